import { demoPlace, removeDemo } from '../support/demoData';
import { createMerchant } from '../support/factories';
import { enterConsole } from '../support/pageWalker';
import { productionSettings } from '../support/production';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
beforeAll(async () => (app = await startApp({ ...productionSettings(), MERCHANT_SIGNUP: 'open' })));
afterAll(() => app.stop());

test('404: in production there is no demo data, and no button for it', async () => {
  const walker = await enterConsole(app, (await createMerchant(app)).email);
  expect((await walker.open('/console')).text).not.toContain(demoPlace);
  expect((await walker.open(demoPlace)).status).toBe(404);
  await walker.open('/console');
  const { status, text } = await walker.submit(demoPlace);
  expect([status, text.includes('Page not found')]).toEqual([404, true]);
  expect((await app.pool.query('SELECT FROM demo_fills')).rowCount).toBe(0);
});

test('404: in production there is no removal either', async () => {
  const walker = await enterConsole(app, (await createMerchant(app)).email);
  await walker.open('/console');
  expect((await removeDemo(walker)).status).toBe(404);
});
