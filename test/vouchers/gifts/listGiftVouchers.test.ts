import { type z } from 'zod';
import { type GiftPage } from '../../../src/vouchers/gifts.schemas';
import { call } from '../../support/client';
import { createShop, type Shop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { giveGift } from '../../support/vouchers';

let app: TestApp;
let shop: Shop;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());
beforeEach(async () => (shop = await createShop(app)));

const list = async (query = '', { merchant }: Pick<Shop, 'merchant'> = shop) =>
  (await call<z.output<typeof GiftPage>>(app, 'GET', `/vouchers/gifts${query}`, undefined, merchant)).body;

test('200: the newest first, page by page, with what was bought by whom for whom', async () => {
  const first = await giveGift(shop, 'Bea@example.org');
  const second = await giveGift(shop);
  const page = await list('?page=2&size=1');
  expect(page).toEqual({
    total: 2,
    page: 2,
    size: 1,
    offset: 1,
    limit: 1,
    next_cursor: expect.any(String) as string,
    collection: [
      {
        gift_voucher: {
          id: first.giftId,
          code: first.code,
          item_title: 'Cup final',
          item_id: shop.item.id,
          buyer_email: shop.consumer.email,
          receiver_email: 'Bea@example.org',
          is_used: false,
          status: 'bought',
          access_fee_id: shop.fee.id,
          access_fee_description: 'Monthly pass',
          amount: 9.99,
          currency: 'EUR',
        },
      },
    ],
  });
  expect((await list('?size=1')).collection[0]?.gift_voucher.id).toBe(second.giftId);
});

test('200: nobody else’s', async () => {
  await giveGift(shop);
  expect(await list('', await createShop(app))).toMatchObject({ total: 0, collection: [] });
});

test.each(['?page=-1', '?size=501', '?size=0'])('422 invalid_input: %s', async (query) => {
  expect((await call(app, 'GET', `/vouchers/gifts${query}`, undefined, shop.merchant)).status).toBe(422);
});
