import { call } from '../../support/client';
import { askForChange, confirmEmail, createActiveConsumer } from '../../support/emailChanges';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('200: the address, and the change that waits', async () => {
  const people = await createActiveConsumer(app);
  const { consumer } = people;
  const read = async () => (await call(app, 'GET', '/v2/accounts/email', undefined, consumer)).body;
  expect(await read()).toEqual({ email: consumer.email, pending: null });
  const asked = await askForChange(app, people);
  const pending = { email: asked.email, expires_at: expect.any(Number) as number };
  expect(await read()).toEqual({ email: consumer.email, pending });
  await app.pool.query('UPDATE email_changes SET expires_at = now() WHERE account_id = $1', [consumer.id]);
  expect(await read()).toEqual({ email: consumer.email, pending: null });
  const second = await askForChange(app, people);
  await confirmEmail(app, second.confirm);
  expect(await read()).toEqual({ email: second.email, pending: null });
});
