import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { type MailServer, startMailServer } from '../support/mailServer';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let mailServer: MailServer;

beforeAll(async () => {
  mailServer = await startMailServer();
  app = await startApp({ SMTP_URL: mailServer.url, MAIL_FROM: 'news@mail.example.org' });
});

afterAll(async () => {
  await app.stop();
  await mailServer.stop();
});

test('404 not_found: there is no test mailbox where a mail server is set', async () => {
  const merchant = await createMerchant(app);
  const reply = await call(app, 'GET', '/test-mailbox', undefined, merchant);
  expect(reply).toMatchObject({ status: 404, body: { error: 'not_found' } });
});
