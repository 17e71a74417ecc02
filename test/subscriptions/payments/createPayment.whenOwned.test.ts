import { createPackage } from '../../support/catalogue';
import { call } from '../../support/client';
import { createFee, type Shop } from '../../support/factories';
import { grant } from '../../support/grant';
import { createPayShop, paid, pay, refund, refunded, withFee } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';

/** The access of a buyer who has access already, by the fee's `when_owned`. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const hoursLeft = async ({ item, consumer }: Shop) => {
  const { body } = await call<{ expires_at: number }>(app, 'GET', `/items/${item.id}/access`, undefined, consumer);
  return Math.round((body.expires_at - Date.now() / 1000) / 3600);
};

/** The consumer has bought a package with the item, for ten days. */
async function buyPackage(shop: Shop): Promise<string> {
  const held = await createPackage(app, shop.merchant);
  await call(app, 'PATCH', `/v2/items/packages/${held.id}/bulk`, { add_asset_ids: [shop.item.id] }, shop.merchant);
  const tenDays = { access_type: 'ppv', quantity: 10, period: 'day', amount: '9.00', currency: 'EUR' };
  const fee = await createFee(app, shop.merchant, held.id, { ...tenDays, description: 'Ten days of all' });
  return paid(app, { ...shop, fee });
}

test('200: with no rule it follows on access to the same item, and on no package', async () => {
  const shop = await createPayShop(app);
  await buyPackage(shop);
  expect(await hoursLeft(shop)).toBe(240);
  await paid(app, shop);
  expect(await hoursLeft(shop)).toBe(240);
  await paid(app, await withFee(app, shop, { access_type: 'ppv', quantity: 9, period: 'day', amount: '5' }));
  expect(await hoursLeft(shop)).toBe(11 * 24);
});

test('200: start_now counts from now on, whatever runs', async () => {
  const shop = await createPayShop(app, { when_owned: 'start_now' });
  await grant(app, shop, { from: '-1 hour', to: '24 hours' });
  await paid(app, shop);
  expect(await hoursLeft(shop)).toBe(48);
});

test('422 invalid_input: access cannot be extended beyond the last time that clients can read', async () => {
  const quantity = Math.floor((0x7fffffff - Date.now() / 1000) / (7 * 86_400));
  const shop = await createPayShop(app, { quantity, period: 'week' });
  await grant(app, shop, { from: '-1 hour', to: '8 days' });
  expect(await pay(app, shop)).toMatchObject({
    status: 422,
    body: { errors: { access_fee_id: expect.stringContaining('2038-01-19') as string } },
  });
  const { rows } = await app.pool.query('SELECT FROM charges WHERE account_id = $1', [shop.consumer.id]);
  expect(rows).toEqual([]);
});

test('409 already_has_access: start_now gives nothing to who has access for as long', async () => {
  const shop = await createPayShop(app, { when_owned: 'start_now' });
  await grant(app, shop, { from: '-1 hour', to: '49 hours' });
  expect(await pay(app, shop)).toMatchObject({ status: 409, body: { error: 'already_has_access' } });
});

test('200: extend_current follows on a package too, and begins at once where that is refunded', async () => {
  const shop = await createPayShop(app, { when_owned: 'extend_current' });
  const bought = await buyPackage(shop);
  await paid(app, shop);
  expect(await hoursLeft(shop)).toBe(12 * 24);
  await refund(app, shop.merchant, bought, { revoke_access: true });
  await refunded(app, bought);
  expect(await hoursLeft(shop)).toBe(48);
});

test('200: what is bought keeps its rule, whatever the fee says later', async () => {
  const shop = await createPayShop(app, { when_owned: 'extend_current' });
  const bought = await buyPackage(shop);
  await paid(app, shop);
  const path = `/v2/items/${shop.item.id}/access-fees/${shop.fee.id}`;
  const same = { access_type: 'ppv', quantity: 2, period: 'day', amount: '4.50', currency: 'EUR', description: 'Two' };
  expect(await call(app, 'PUT', path, same, shop.merchant)).toMatchObject({
    status: 201,
    body: { id: shop.fee.id, when_owned: 'extend_same_item' },
  });
  await refund(app, shop.merchant, bought, { revoke_access: true });
  await refunded(app, bought);
  expect(await hoursLeft(shop)).toBe(48);
});
