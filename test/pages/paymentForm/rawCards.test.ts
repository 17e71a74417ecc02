import { pathOf, signedInAt } from '../../support/checkout';
import { cards, createShop, reaches, subscribe } from '../../support/factories';
import { formSettings } from '../../support/stripeForm';
import { startStripeApp, type StripeApp } from '../../support/stripeNotifications';

/** Card numbers may pass through the service, for the existing clients of an operator who is certified for it. */

let app: StripeApp;

beforeAll(async () => {
  app = await startStripeApp((stripe) => ({ ...formSettings(stripe), STRIPE_RAW_CARDS: 'true' }));
});
afterAll(() => app.stop());

test('200: the checkout has the provider’s form all the same, and no field for a card number', async () => {
  const shop = await createShop(app);
  const { text, headers } = await (await signedInAt(app, shop)).open(pathOf(shop));
  expect(text).toContain('data-payment-form="stripe"');
  expect(text).not.toMatch(/name="(?:number|card_name|cvv|exp_month|exp_year)"/);
  expect(headers.get('content-security-policy')).toContain('https://js.stripe.com');
});

test('202: a client pays with a number', async () => {
  const shop = await createShop(app);
  const { status, body } = await subscribe(app, shop, cards.success);
  expect(status).toBe(202);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
});
