import { createBrand } from '../support/branding';
import { call } from '../support/client';
import { cards, createMerchant, createShop, purchase, reaches, type Shop, type Submitted } from '../support/factories';
import { receives } from '../support/mailbox';
import { createPayShop, paid, refund } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';

/** The mails of a purchase always have the brand in which it was made. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const brandFor = ({ merchant }: Pick<Shop, 'merchant'>) =>
  createBrand({ app, merchant }, { brand_name: 'The Match Club', default: false });

/** The signature of the newest mail of a template. */
const isBranded = async ({ merchant, consumer }: Shop, template: string, to = consumer.email) =>
  (await receives(app, merchant, to, template)).text.includes('The Match Club');

async function begin(shop: Shop, brandingId: unknown): Promise<string> {
  const body = { ...purchase(shop), branding_id: brandingId };
  const submitted = await call<Submitted>(app, 'POST', '/subscriptions', body, shop.consumer);
  await reaches(app, shop.consumer, submitted.body.subscription_id, 'active');
  return submitted.body.subscription_id;
}

test('202: a subscription’s receipt, and what it is told later', async () => {
  const shop = await createShop(app);
  const id = await begin(shop, await brandFor(shop));
  expect(await isBranded(shop, 'receipt')).toBe(true);
  await call(app, 'DELETE', `/subscriptions/${id}`, {}, shop.consumer);
  expect(await isBranded(shop, 'subscription_canceled')).toBe(true);
});

test.each([['undefined'], [0], ['x'.repeat(300)]])('202: %j is the default brand', async (brandingId) => {
  const shop = await createShop(app);
  await brandFor(shop);
  await begin(shop, brandingId);
  expect(await isBranded(shop, 'receipt')).toBe(false);
});

test('202: another merchant’s is the default brand', async () => {
  const shop = await createShop(app);
  await begin(shop, await brandFor({ merchant: await createMerchant(app) }));
  expect(await isBranded(shop, 'receipt')).toBe(false);
});

test('200: a payment’s receipt and refund', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop, cards.success, { branding_id: await brandFor(shop) });
  expect(await isBranded(shop, 'receipt')).toBe(true);
  await refund(app, shop.merchant, token);
  expect(await isBranded(shop, 'refund')).toBe(true);
});

test('200: a gift', async () => {
  const shop = await createPayShop(app);
  const to = 'friend@example.org';
  await paid(app, shop, cards.success, { branding_id: await brandFor(shop), is_gift: true, receiver_email: to });
  expect(await isBranded(shop, 'gift', to)).toBe(true);
});
