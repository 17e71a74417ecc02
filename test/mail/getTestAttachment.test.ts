import { call } from '../support/client';
import { createConsumer, createMerchant, password } from '../support/factories';
import { receives } from '../support/mailbox';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

test('200: what a mail carries, as its reader would get it', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  await call(app, 'POST', '/accounts/export', { password }, consumer);
  const mail = await receives(app, merchant, consumer.email, 'account_export');
  expect(mail).toMatchObject({ subject: 'Your data at Ana Petrova', attachment_name: 'account.json' });
  const { status, body } = await call(app, 'GET', `/test-mailbox/${mail.id}/attachment`, undefined, merchant);
  expect({ status, body }).toMatchObject({ status: 200, body: { account: { email: consumer.email } } });
});

test('404 not_found: a mail that carries nothing, and another merchant’s', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const plain = await receives(app, merchant, consumer.email, 'activation');
  await call(app, 'POST', '/accounts/export', { password }, consumer);
  const carrying = await receives(app, merchant, consumer.email, 'account_export');
  const other = await createMerchant(app);
  for (const [id, who] of [
    [plain.id, merchant],
    [carrying.id, other],
  ] as const)
    expect((await call(app, 'GET', `/test-mailbox/${id}/attachment`, undefined, who)).status).toBe(404);
});
