import { randomUUID } from 'node:crypto';
import { chargesOf, eventsOf, takenFor } from '../support/ledger';
import { startLives, type Lived, type Lives } from '../support/lives';

/** A life that is longer than one run of its workflow. */

let lives: Lives;

beforeAll(async () => (lives = await startLives()));

afterAll(() => lives.stop());

const handleOf = (life: Lived) => lives.temporal.client.workflow.getHandle(`subscription-${life.id}`);

test('subscribe.renewed: it goes on in a new run, which knows what was asked of the old one', async () => {
  const life = await lives.begin(undefined, { fee: { quantity: 1, period: 'hour', amount: '0.50' } });
  const firstRun = (await handleOf(life).describe()).runId;
  const id = `pause:${randomUUID()}`;
  const pause = () =>
    handleOf(life).executeUpdate('pause', {
      updateId: id,
      args: [{ id, kind: 'pause', atMs: Date.now(), aheadMs: 0 }],
    });
  expect(await pause()).toEqual({ done: true, state: 'active' });
  await life.ask('resume');

  const clock = await life.pass(9);
  const run = await handleOf(life).describe();
  expect(run.runId).not.toBe(firstRun);
  expect(run.searchAttributes['PaywallState']).toEqual(['active']);
  expect(run.searchAttributes['PaywallMerchant']).toEqual([life.shop.merchant.id]);
  expect(await pause()).toEqual({ done: true, state: 'active' });
  expect(await life.row()).toMatchObject({ status: 'active', pauses_at_period_end: false });

  expect(clock.status).toBe('active');
  const charges = await chargesOf(lives.app, life.id);
  expect(charges).toHaveLength(9 * 24 + 1);
  expect(charges.map(({ cycle }) => cycle)).toEqual(charges.map((_, index) => index + 1));
  expect(await takenFor(lives.app, life.id)).toHaveLength(charges.length);
  const renewed = (await eventsOf(lives.app, life.id)).filter((type) => type === 'subscribe.renewed');
  expect(renewed).toHaveLength(charges.length - 1);
});
