import { call } from '../../support/client';
import { createConsumer, createMerchant, password } from '../../support/factories';
import { waitForLocks } from '../../support/locks';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('401 invalid_credentials: a sign-in that crosses a change of its password does not outlive it', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const changing = await app.pool.connect();
  await changing.query('BEGIN');
  await changing.query(`UPDATE accounts SET password_hash = password_hash || 'changed' WHERE id = $1`, [consumer.id]);
  const fields = { grant_type: 'password', client_id: consumer.merchantUuid, username: consumer.email, password };
  const crossing = call(app, 'POST', '/accounts/authenticate', fields);
  await waitForLocks(app.pool);
  await changing.query('COMMIT');
  changing.release();
  expect(await crossing).toMatchObject({ status: 401, body: { error: 'invalid_credentials' } });
});
