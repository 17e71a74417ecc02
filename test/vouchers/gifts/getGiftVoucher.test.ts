import { type z } from 'zod';
import { type GiftVoucherResponse } from '../../../src/vouchers/gifts.schemas';
import { call } from '../../support/client';
import { createShop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { giveGift } from '../../support/vouchers';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('200: with its code, for the merchant', async () => {
  const shop = await createShop(app);
  const { giftId, code } = await giveGift(shop);
  const path = `/v2/vouchers/gifts/${giftId}`;
  const { status, body } = await call<z.output<typeof GiftVoucherResponse>>(app, 'GET', path, undefined, shop.merchant);
  expect({ status, id: body.id, code: body.code, used: body.is_used }).toEqual({
    status: 200,
    id: giftId,
    code,
    used: false,
  });
});

test('404 gift_voucher_not_found: of nobody, and another merchant’s', async () => {
  const { merchant } = await createShop(app);
  const other = await giveGift(await createShop(app));
  for (const id of [other.giftId, 2_147_483_647])
    expect(await call(app, 'GET', `/v2/vouchers/gifts/${id}`, undefined, merchant)).toMatchObject({
      status: 404,
      body: { message: 'Gift voucher not found', error: 'gift_voucher_not_found' },
    });
});
