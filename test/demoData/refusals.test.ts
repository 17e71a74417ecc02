import { demoPlace } from '../support/demoData';
import { createMerchant } from '../support/factories';
import { enterConsole } from '../support/pageWalker';
import { startApp, type TestApp } from '../support/startApp';

/** An installation of the test environment whose mails leave it. */

let app: TestApp;
beforeAll(async () => (app = await startApp({ SMTP_URL: 'smtp://127.0.0.1:9' })));
afterAll(() => app.stop());

test('303: with a mail server nothing is filled, because mails to invented people would leave', async () => {
  const walker = await enterConsole(app, (await createMerchant(app)).email);
  expect((await walker.open('/console')).text).not.toContain('name="demo"');
  expect((await walker.open(demoPlace)).text).toContain('needs the sandbox for payments and the test mailbox');
  expect((await walker.submit(demoPlace)).status).toBe(303);
  expect((await app.pool.query('SELECT FROM demo_fills')).rowCount).toBe(0);
});
