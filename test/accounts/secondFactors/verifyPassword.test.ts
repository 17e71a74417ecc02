import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { guessSevenTimes } from '../../support/guesses';
import { ageProof, moveToPages, switchFactorOn, verifyPassword } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** A call that asks for a recent confirmation. */
const addApp = async (person: Pick<Person, 'token'>) =>
  (await call<{ error?: string }>(app, 'POST', '/accounts/apps', { name: 'Reader' }, person)).body.error;

test('200: the password opens the calls of a session of our pages for ten minutes', async () => {
  const merchant = await createMerchant(app);
  await moveToPages(app, merchant, '9 minutes');
  expect(await addApp(merchant)).toBe(undefined);
  await moveToPages(app, merchant, '11 minutes');
  expect(await addApp(merchant)).toBe('recent_password_required');
  expect((await verifyPassword(app, merchant)).status).toBe(200);
  expect(await addApp(merchant)).toBe(undefined);
  await moveToPages(app, merchant, '11 minutes');
  expect(await addApp(merchant)).toBe('recent_password_required');
});

test('200: an old session of another client is not asked, as long as the account has no factor', async () => {
  const merchant = await createMerchant(app);
  await app.pool.query(`UPDATE sessions SET created_at = now() - interval '20 days' WHERE account_id = $1`, [
    merchant.id,
  ]);
  expect(await addApp(merchant)).toBe(undefined);
});

test('200: the password does not replace the second factor', async () => {
  const merchant = await createMerchant(app);
  await switchFactorOn(app, merchant);
  await ageProof(app, merchant, '11 minutes');
  expect((await verifyPassword(app, merchant)).status).toBe(200);
  expect(await addApp(merchant)).toBe('recent_factor_required');
});

test('422 wrong_password: and the call still asks', async () => {
  const merchant = await createMerchant(app);
  await moveToPages(app, merchant, '11 minutes');
  const refused = await verifyPassword(app, merchant, 'another-horse');
  expect(refused).toMatchObject({ status: 422, body: { error: 'wrong_password' } });
  expect(await addApp(merchant)).toBe('recent_password_required');
});

test('429 too_many_requests: after some wrong passwords', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const statuses = await guessSevenTimes(app, (count) => verifyPassword(app, consumer, `another-horse-${count}`));
  expect(statuses[0]).toBe(422);
  expect(statuses.at(-1)).toBe(429);
});
