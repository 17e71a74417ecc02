import { pathOf, signedInAt } from '../../support/checkout';
import { call } from '../../support/client';
import { createShop, type Shop } from '../../support/factories';
import { sandboxFormSettings } from '../../support/sandboxForm';
import { startApp, type TestApp } from '../../support/startApp';

/** The pages of merchants that take Link without cards, or neither of them. */

let app: TestApp;
beforeAll(async () => void (app = await startApp(sandboxFormSettings())));
afterAll(() => app.stop());

const enable = ({ merchant }: Shop, ...names: string[]) =>
  call(app, 'PUT', '/accounts/settings', { payment_methods: names }, merchant);

const save = ({ consumer }: Shop, payment_token: string) =>
  call(app, 'PUT', '/v2/payments/cards/default', { payment_token, currency_iso: 'EUR' }, consumer);

const checkoutOf = async (shop: Shop) => (await (await signedInAt(app, shop)).open(pathOf(shop))).text;

test('200: with Link only, the checkout has the form of Link, and no card that was saved before', async () => {
  const shop = await createShop(app);
  await save(shop, 'tok_success');
  expect(await checkoutOf(shop)).toContain('ending in');
  await enable(shop, 'link');
  const text = await checkoutOf(shop);
  expect(text).toContain('data-methods="link"');
  expect(text).not.toContain('ending in');
});

test('200: with Link only, the checkout offers a saved Link', async () => {
  const shop = await createShop(app);
  await enable(shop, 'link');
  await save(shop, 'tok_link');
  expect(await checkoutOf(shop)).toMatch(/value="saved"[^>]*>\s*<span>Link</);
});

test('200: a trial without a card offers none at a merchant who takes neither', async () => {
  const trial = { trial_period_quantity: 7, trial_period_period: 'day', trial_end_behaviour: 'pause' };
  const shop = await createShop(app, trial);
  expect(await checkoutOf(shop)).toContain('data-payment-form');
  await enable(shop, 'direct_debit');
  expect(await checkoutOf(shop)).not.toContain('data-payment-form');
});
