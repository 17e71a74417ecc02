import {
  addresses,
  createCountrySet,
  createOpenItem,
  createOpenShop,
  manage,
  refusalOf,
  startBehindProxy,
} from '../../support/restrictions';
import { type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startBehindProxy();
});

afterAll(() => app.stop());

test('200: the set stands in for the global sets of the item, and takes the place of the one before', async () => {
  const shop = await createOpenShop(app);
  const other = await createOpenItem(app, shop);
  const { macedonia: address } = addresses;
  const first = await createCountrySet(app, shop, { global: false, type: 'blacklist', countries: ['MK'] });
  const second = await createCountrySet(app, shop, { global: false, countries: ['MK'] });
  await createCountrySet(app, shop, { countries: ['US'] });
  expect(await refusalOf(app, shop, { address })).toBe('geo');
  await manage(app, shop, 'POST', `geo/country-set/${first.id}/item/${shop.item.id}`);
  expect(await refusalOf(app, shop, { address: addresses.america })).toBeUndefined();
  const { status, body } = await manage(app, shop, 'PUT', `geo/country-set/${second.id}/item/${shop.item.id}`);
  expect([status, body]).toEqual([200, second]);
  expect(await refusalOf(app, shop, { address })).toBeUndefined();
  expect(await refusalOf(app, shop, { address: addresses.america })).toBe('geo');
  expect(await refusalOf(app, other, { address })).toBe('geo');
});

test('200: again changes nothing', async () => {
  const shop = await createOpenShop(app);
  const { id } = await createCountrySet(app, shop, { global: false });
  const apply = () => manage(app, shop, 'PUT', `geo/country-set/${id}/item/${shop.item.id}`);
  const replies = await Promise.all([apply(), apply(), apply()]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('404 country_set_not_found: another merchant’s set', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const { id } = await createCountrySet(app, neighbour);
  const { status, body } = await manage(app, shop, 'PUT', `geo/country-set/${id}/item/${shop.item.id}`);
  expect([status, body['error']]).toEqual([404, 'country_set_not_found']);
  expect(await refusalOf(app, shop, { address: addresses.america })).toBeUndefined();
});

test('404 item_not_found: another merchant’s item', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  const { id } = await createCountrySet(app, shop, { global: false });
  const { status, body } = await manage(app, shop, 'PUT', `geo/country-set/${id}/item/${neighbour.item.id}`);
  expect([status, body['error']]).toEqual([404, 'item_not_found']);
  expect(await refusalOf(app, neighbour, { address: addresses.america })).toBeUndefined();
});
