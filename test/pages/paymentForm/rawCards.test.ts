import { pathOf, signedInAt } from '../../support/checkout';
import { createShop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { formSettings } from '../../support/stripeForm';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ ...formSettings({ url: 'http://127.0.0.1:9' }), STRIPE_RAW_CARDS: 'true' });
});
afterAll(() => app.stop());

test('200: where card numbers may pass through the service, the checkout has fields for them and a closed policy', async () => {
  const shop = await createShop(app);
  const { text, headers } = await (await signedInAt(app, shop)).open(pathOf(shop));
  for (const name of ['number', 'card_name', 'exp_month', 'exp_year', 'cvv']) expect(text).toContain(`name="${name}"`);
  expect(text).not.toContain('data-payment-form');
  expect(text).not.toContain('/assets/paymentForm');
  expect(headers.get('content-security-policy')).not.toContain('stripe.com');
});
