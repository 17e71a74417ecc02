import { call } from '../../support/client';
import { addressOf, askForChange, confirmEmail, createActiveConsumer } from '../../support/emailChanges';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('200: the link no longer works', async () => {
  const asked = await askForChange(app, await createActiveConsumer(app));
  expect((await call(app, 'DELETE', '/v2/accounts/email', undefined, asked.consumer)).status).toBe(200);
  expect(await confirmEmail(app, asked.confirm)).toMatchObject({ status: 422, body: { error: 'email_token_invalid' } });
  expect(await addressOf(app, asked.consumer)).toBe(asked.consumer.email);
});

test('404 email_change_not_found: nothing waits, or it has expired', async () => {
  const asked = await askForChange(app, await createActiveConsumer(app));
  await app.pool.query('UPDATE email_changes SET expires_at = now() WHERE account_id = $1', [asked.consumer.id]);
  const cancel = () => call(app, 'DELETE', '/v2/accounts/email', undefined, asked.consumer);
  expect(await cancel()).toMatchObject({ status: 404, body: { error: 'email_change_not_found' } });
  expect(await cancel()).toMatchObject({ status: 404, body: { error: 'email_change_not_found' } });
});
