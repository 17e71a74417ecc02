import { pathOf, signedInAt } from '../../support/checkout';
import { call } from '../../support/client';
import { createShop } from '../../support/factories';
import { sandboxFormSettings } from '../../support/sandboxForm';
import { startApp, type TestApp } from '../../support/startApp';
import { atHome, nameSeller } from '../../support/tax';

/** Prices in a frame of another site, whose checkout opens in a window of its own. */

let app: TestApp;

beforeAll(async () => (app = await startApp(sandboxFormSettings())));
afterAll(() => app.stop());

const words = (text: string) => text.replaceAll(/<[^>]+>|\s+/g, ' ').replaceAll(/ +/g, ' ');

test('a customer sees the prices in the form of the billing address, as in the window of the checkout', async () => {
  const shop = await createShop(app, { amount: '10.00' });
  await nameSeller(app, shop, [atHome, { country: 'CA', scheme: 'domestic' }], { prices_include_tax: false });
  const walker = await signedInAt(app, shop);
  const inFrame = async () => words((await walker.openFrame(pathOf(shop))).text);
  expect(await inFrame()).toContain('€11.90 every month');
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'CA', region: 'CA-ON' }, shop.consumer);
  const text = await inFrame();
  expect(text).toContain('Continue');
  expect(text).toContain('€10.00 every month plus tax');
});
