import {
  addresses,
  createCountrySet,
  createOpenItem,
  createOpenShop,
  manage,
  refusalOf,
  startBehindProxy,
} from './restrictions';
import { type Shop } from './factories';
import { type TestApp } from './startApp';

/** The tests of both methods that assign a country set to an item. */
export interface ItemCountrySet {
  standsInForGlobalSets(): Promise<void>;
  changesNothingAgain(): Promise<void>;
  refusesAnothersSet(): Promise<void>;
  refusesAnothersItem(): Promise<void>;
}

/** Starts the service for a test file. */
export function itemCountrySet(method: 'POST' | 'PUT'): ItemCountrySet {
  let app: TestApp;

  beforeAll(async () => {
    app = await startBehindProxy();
  });
  afterAll(() => app.stop());

  const give = (shop: Shop, setId: number, itemId = shop.item.id, by = method) =>
    manage(app, shop, by, `geo/country-set/${setId}/item/${itemId}`);

  return {
    async standsInForGlobalSets() {
      const shop = await createOpenShop(app);
      const other = await createOpenItem(app, shop);
      const { macedonia: address } = addresses;
      const first = await createCountrySet(app, shop, { global: false, type: 'blacklist', countries: ['MK'] });
      const second = await createCountrySet(app, shop, { global: false, countries: ['MK'] });
      await createCountrySet(app, shop, { countries: ['US'] });
      expect(await refusalOf(app, shop, { address })).toBe('geo');
      await give(shop, first.id, shop.item.id, 'POST');
      expect(await refusalOf(app, shop, { address: addresses.america })).toBeUndefined();
      const { status, body } = await give(shop, second.id);
      expect([status, body]).toEqual([200, second]);
      expect(await refusalOf(app, shop, { address })).toBeUndefined();
      expect(await refusalOf(app, shop, { address: addresses.america })).toBe('geo');
      expect(await refusalOf(app, other, { address })).toBe('geo');
    },

    async changesNothingAgain() {
      const shop = await createOpenShop(app);
      const { id } = await createCountrySet(app, shop, { global: false });
      const replies = await Promise.all([give(shop, id), give(shop, id), give(shop, id)]);
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    },

    async refusesAnothersSet() {
      const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
      const { id } = await createCountrySet(app, neighbour);
      const { status, body } = await give(shop, id);
      expect([status, body['error']]).toEqual([404, 'country_set_not_found']);
      expect(await refusalOf(app, shop, { address: addresses.america })).toBeUndefined();
    },

    async refusesAnothersItem() {
      const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
      const { id } = await createCountrySet(app, shop, { global: false });
      const { status, body } = await give(shop, id, neighbour.item.id);
      expect([status, body['error']]).toEqual([404, 'item_not_found']);
      expect(await refusalOf(app, neighbour, { address: addresses.america })).toBeUndefined();
    },
  };
}
