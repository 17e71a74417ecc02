import { buyGift, redeemGift } from '../../support/boughtGifts';
import { call } from '../../support/client';
import { createShop } from '../../support/factories';
import { settles } from '../../support/payments';
import { erase } from '../../support/privacy';
import { startApp, type TestApp } from '../../support/startApp';
import { giveGift } from '../../support/vouchers';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

async function giftIdOf(token: string): Promise<number> {
  const text = 'SELECT id FROM gift_vouchers WHERE payment_token = $1';
  return (await app.pool.query<{ id: number }>(text, [token])).rows[0]?.id ?? 0;
}

test('200: the receiver is mailed the same code once more', async () => {
  const gift = await buyGift(app);
  const path = `/vouchers/gifts/${await giftIdOf(gift.token)}/resend`;
  expect((await call(app, 'POST', path, {}, gift.shop.merchant)).status).toBe(200);
  const mailbox = `/test-mailbox?to=${gift.receiver.email}`;
  const { body } = await call<{ collection: { text: string }[] }>(app, 'GET', mailbox, undefined, gift.shop.merchant);
  const codes = body.collection.filter(({ text }) => text.includes(gift.code));
  expect(codes).toHaveLength(2);
});

test('409 gift_used: what is redeemed is not sent again', async () => {
  const gift = await buyGift(app);
  const { body } = await redeemGift(app, gift, gift.receiver);
  await settles(app, body.transaction, 'paid');
  const path = `/vouchers/gifts/${await giftIdOf(gift.token)}/resend`;
  expect(await call(app, 'POST', path, {}, gift.shop.merchant)).toMatchObject({
    status: 409,
    body: { error: 'gift_used' },
  });
});

test('409 mail_not_possible: the receiver’s account is erased', async () => {
  const gift = await buyGift(app);
  await erase(app, gift.receiver);
  const path = `/vouchers/gifts/${await giftIdOf(gift.token)}/resend`;
  expect(await call(app, 'POST', path, {}, gift.shop.merchant)).toMatchObject({
    status: 409,
    body: { error: 'mail_not_possible', message: 'The mail cannot be sent: The receiver’s account is erased.' },
  });
});

test('404 gift_voucher_not_found: of nobody, and another merchant’s', async () => {
  const { merchant } = await createShop(app);
  const { giftId } = await giveGift(await createShop(app));
  for (const id of [giftId, 2_147_483_647])
    expect(await call(app, 'POST', `/vouchers/gifts/${id}/resend`, {}, merchant)).toMatchObject({
      status: 404,
      body: { error: 'gift_voucher_not_found' },
    });
});
