import { findFaults } from '../support/books';
import { startProgram } from '../support/childProcess';
import { createConsumer, createShop, reaches, subscribe } from '../support/factories';
import { type CrashPoint } from '../support/crashPoints';
import { startApp, type TestApp } from '../support/startApp';

/** One of two workers dies, and the other one completes its work without help. */

const purchases = 12;

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

test.each<CrashPoint>([
  'chargeFirstPeriod:before',
  'provider.charge:after',
  'chargeFirstPeriod:after',
  'activateSubscription:before',
  'activateSubscription:after',
])('subscribe.success: one worker dies at %s, the other goes on', async (point) => {
  const shop = await createShop(app);
  const [mortal, other] = await Promise.all([
    startProgram('crashingWorker', { DATABASE_POOL: '2', CRASH_AT: point }),
    startProgram('crashingWorker', { DATABASE_POOL: '4' }),
  ]);
  const buy = async () => {
    const consumer = await createConsumer(app, shop.merchant);
    const { body } = await subscribe(app, { ...shop, consumer });
    return { consumer, id: body.subscription_id };
  };
  const begun = await Promise.all(Array.from({ length: purchases }, buy));
  // Temporal may give all of these to the other worker.
  let hasDied = false;
  const died = mortal.ended.finally(() => (hasDied = true));
  while (!hasDied) begun.push(await buy());
  expect(await died).toBe('SIGKILL');
  for (const { consumer, id } of begun) await reaches(app, consumer, id, 'active');
  await other.kill();
  for (const { id } of begun) expect(await findFaults(app.pool, id)).toEqual([]);
});
