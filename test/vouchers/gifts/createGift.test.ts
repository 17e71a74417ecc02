import { randomUUID } from 'node:crypto';
import type * as Connection from '../../../src/adapters/postgres/connection';
import type * as Gifts from '../../../src/vouchers/gifts';
import type * as Uses from '../../../src/vouchers/uses';
import { createConsumer, createFee, createShop, type Person, type Shop } from '../../support/factories';
import { mailsTo, receives } from '../../support/mailbox';
import { startApp, type TestApp } from '../../support/startApp';
import { tablesHolding } from '../../support/stored';
import { createVoucher, giveGift } from '../../support/vouchers';
import { confirm, release, reservationOf, reserve } from '../../support/voucherUses';

let app: TestApp;
let gifts: typeof Gifts;
let uses: typeof Uses;
let transaction: typeof Connection.transaction;
let shop: Shop;
let receiver: Person;

beforeAll(async () => {
  app = await startApp({ DATABASE_POOL: '20' });
  gifts = await import('../../../src/vouchers/gifts.js');
  uses = await import('../../../src/vouchers/uses.js');
  ({ transaction } = await import('../../../src/adapters/postgres/connection.js'));
});
afterAll(() => app.stop());
beforeEach(async () => {
  shop = await createShop(app);
  receiver = await createConsumer(app, shop.merchant);
});

async function redeem(code: string, person: Person = receiver, accessFeeId = shop.fee.id) {
  const reservation = reservationOf(shop, code, { accountId: person.id, accessFeeId });
  return { subject: reservation.subject, ...(await reserve(reservation)) };
}
const refund = (paymentToken: string) => transaction((inTransaction) => gifts.refundGift(inTransaction, paymentToken));
const refused = { code: 'voucher_not_found' };

async function stateOf(giftId: number): Promise<unknown> {
  const text = 'SELECT state, redeemed_by FROM gift_vouchers WHERE id = $1';
  return (await app.pool.query(text, [giftId])).rows[0];
}

test('a gift is a voucher of 100 % for one use of the fee by the receiver, who is told by mail', async () => {
  const { giftId, code } = await giveGift(shop, receiver.email);
  expect(code).toMatch(/^[A-HJ-NP-Z2-9]{12}$/);
  const mail = await receives(app, shop.merchant, receiver.email, 'gift');
  expect(mail.text).toContain(code);
  expect(mail.text).toContain('Cup final');
  const { subject, discount } = await redeem(code.toLowerCase());
  expect(discount).toEqual({ percent: 100, rebillPercent: null, period: 'once', duration: null });
  await expect(redeem(code)).rejects.toMatchObject(refused);
  await confirm(subject);
  expect(await stateOf(giftId)).toEqual({ state: 'redeemed', redeemed_by: receiver.id });
});

test('a payment makes one gift and one mail, however often it is settled', async () => {
  const token = `C-${randomUUID()}`;
  const first = await giveGift(shop, receiver.email, token);
  expect(await giveGift(shop, receiver.email, token)).toEqual(first);
  const { rows } = await app.pool.query('SELECT FROM vouchers WHERE merchant_id = $1 AND is_gift', [shop.merchant.id]);
  expect(rows).toHaveLength(1);
  expect(
    (await mailsTo(app, shop.merchant, receiver.email)).filter(({ template }) => template === 'gift'),
  ).toHaveLength(1);
});

test('nobody but the receiver redeems it, and for nothing but its fee', async () => {
  const { code } = await giveGift(shop, receiver.email);
  const dearer = await createFee(app, shop.merchant, shop.item.id, { period: 'year', amount: '99' });
  await expect(redeem(code, shop.consumer)).rejects.toMatchObject(refused);
  await expect(redeem(code, receiver, dearer.id)).rejects.toMatchObject(refused);
  await redeem(code);
});

test('whoever registers with the address later is the receiver', async () => {
  const { email } = await createConsumer(app, (await createShop(app)).merchant);
  const { code } = await giveGift(shop, email);
  const { rows } = await app.pool.query<{ id: number }>(
    `UPDATE accounts SET email = $2, email_normalized = $2 WHERE id = $1 RETURNING id`,
    [receiver.id, email],
  );
  expect(rows).toHaveLength(1);
  await redeem(code);
});

test('of a hundred redemptions at once one is granted', async () => {
  const { code } = await giveGift(shop, receiver.email);
  const replies = await Promise.allSettled(Array.from({ length: 100 }, () => redeem(code)));
  expect(replies.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('its code lies nowhere in the clear: not when it is bought, not when it is redeemed', async () => {
  const { code } = await giveGift(shop, receiver.email);
  const applied = await redeem(code);
  expect(applied.code).toBe(`****${code.slice(-4)}`);
  await confirm(applied.subject);
  expect(await tablesHolding(app.pool, code)).toEqual([]);
});

test('a redemption that fails leaves the gift as it was', async () => {
  const { giftId, code } = await giveGift(shop, receiver.email);
  const { subject } = await redeem(code);
  await release(subject);
  expect(await stateOf(giftId)).toEqual({ state: 'bought', redeemed_by: null });
  await redeem(code);
});

describe('a refund', () => {
  test('kills the code, and again does no harm', async () => {
    const { giftId, code, paymentToken } = await giveGift(shop, receiver.email);
    expect(await refund(paymentToken)).toBe(true);
    expect(await refund(paymentToken)).toBe(true);
    expect(await stateOf(giftId)).toMatchObject({ state: 'refunded' });
    await expect(redeem(code)).rejects.toMatchObject(refused);
  });

  test('is refused once the gift is redeemed or being redeemed, and of no gift', async () => {
    const { code, paymentToken } = await giveGift(shop, receiver.email);
    const { subject } = await redeem(code);
    expect(await refund(paymentToken)).toBe(false);
    await confirm(subject);
    expect(await refund(paymentToken)).toBe(false);
    expect(await refund('C-of-nobody')).toBe(false);
  });

  test('goes before a redemption that nobody went on with, which then cannot go on', async () => {
    const { code, paymentToken } = await giveGift(shop, receiver.email);
    const { subject } = await redeem(code);
    await app.pool.query('UPDATE voucher_uses SET lapses_at = now() WHERE subject = $1', [subject]);
    expect(await refund(paymentToken)).toBe(true);
    expect(await uses.holdVoucher(subject)).toBe(false);
    expect(await confirm(subject)).toBe(false);
  });

  test('and a redemption at once: one of them', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { code, paymentToken } = await giveGift(shop, receiver.email);
      const [redeemed, refunded] = await Promise.all([
        redeem(code).then(
          () => true,
          () => false,
        ),
        refund(paymentToken),
      ]);
      expect([redeemed, refunded].filter(Boolean)).toHaveLength(1);
    }
  });
});

test('404 access_fee_not_found: a fee of another item or merchant makes no gift', async () => {
  const other = await createShop(app);
  for (const wrong of [{ fee: other.fee }, { item: other.item }])
    await expect(giveGift({ ...shop, ...wrong })).rejects.toMatchObject({ code: 'access_fee_not_found' });
});

test('a gift may be looked up beside a merchant’s own vouchers', async () => {
  const { code } = await createVoucher(app, shop.merchant, { usage_limit: 1 });
  const gift = await giveGift(shop, receiver.email);
  const [own, given] = [await redeem(code), await redeem(gift.code)];
  expect([own.discount.percent, given.discount.percent]).toEqual([25, 100]);
});
