import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { type Transaction } from '../../src/adapters/postgres/connection';
import type * as Uses from '../../src/vouchers/uses';
import { call } from '../support/client';
import { createConsumer, createFee, createShop, type Shop } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { createPackage, createVoucher, giveGift, type Voucher } from '../support/vouchers';
import {
  confirm,
  giveBack,
  lapse as lapseIn,
  release,
  reservationOf,
  reserve,
  usageCounterOf,
  type Reservation,
} from '../support/voucherUses';

type Reserve = (inTransaction: Transaction, of: Reservation) => Promise<unknown>;

let app: TestApp;
let uses: typeof Uses;
let transaction: <T>(work: (inTransaction: Transaction) => Promise<T>) => Promise<T>;
let shop: Shop;

beforeAll(async () => {
  app = await startApp({ DATABASE_POOL: '20' });
  uses = await import('../../src/vouchers/uses.js');
  ({ transaction } = await import('../../src/adapters/postgres/connection.js'));
  shop = await createShop(app);
});
afterAll(() => app.stop());

const wanted = (code: string, of: Partial<Reservation> = {}) => reservationOf(shop, code, of);
const make = (fields: Record<string, unknown> = {}) => createVoucher(app, shop.merchant, fields);
const refused = { code: 'voucher_not_found' };

const lapse = (subject: string) => lapseIn(app.pool, subject);
const counterOf = ({ id }: Pick<Voucher, 'id'>) => usageCounterOf(app.pool, id);

async function countUses({ id }: Pick<Voucher, 'id'>, ...states: string[]): Promise<number> {
  const text = 'SELECT FROM voucher_uses WHERE voucher_id = $1 AND state = ANY($2)';
  return (await app.pool.query(text, [id, states])).rowCount ?? NaN;
}

describe('a limit under any number of redemptions at once', () => {
  /** The race that a limit must survive: the value that was read has changed when it is written. */
  const readThenWrite: Reserve = async (
    inTransaction,
    { merchantId, accountId, itemId, accessFeeId, code, subject },
  ) => {
    const { execute } = await import('../../src/adapters/postgres/statement.js');
    const [voucher] = await execute<{ id: number; usage_limit: number; usage_counter: number }>(
      inTransaction,
      'SELECT id, usage_limit, usage_counter FROM vouchers WHERE merchant_id = $1 AND code = $2',
      [merchantId, code],
    );
    if (!voucher || voucher.usage_counter >= voucher.usage_limit) throw new Error('used up');
    await execute(
      inTransaction,
      `INSERT INTO voucher_uses (merchant_id, voucher_id, account_id, item_id, access_fee_id, subject, state, code,
         discount, discount_period, lapses_at)
       VALUES ($1, $2, $3, $4, $5, $6, 'reserved', '', 25, 'once', now() + interval '1 hour')`,
      [merchantId, voucher.id, accountId, itemId, accessFeeId, subject],
    );
    await execute(inTransaction, 'UPDATE vouchers SET usage_counter = $2 WHERE id = $1', [
      voucher.id,
      voucher.usage_counter + 1,
    ]);
  };

  /** How many of 200 redemptions at once are granted, and the reasons why the others are not. */
  async function redeem(reserveUse: Reserve, limit: number) {
    const voucher = await make({ usage_limit: limit });
    const replies = await Promise.allSettled(
      Array.from({ length: 200 }, () =>
        transaction((inTransaction) => reserveUse(inTransaction, wanted(voucher.code))),
      ),
    );
    const refusals = replies.flatMap((reply) => (reply.status === 'rejected' ? [reply.reason as unknown] : []));
    const granted = replies.length - refusals.length;
    expect(await countUses(voucher, 'reserved')).toBe(granted);
    return { granted, refusals };
  }

  test.each([1, 3, 10, 199])('%i of 200 are granted', async (limit) => {
    const { granted, refusals } = await redeem((inTransaction, of) => uses.reserveVoucher(inTransaction, of), limit);
    expect(granted).toBe(limit);
    // If two pass the limit together, a constraint of the table refuses the second one with an internal error.
    for (const refusal of refusals) expect(refusal).toMatchObject(refused);
  });

  test('the same redemptions by reading first and writing then pass the limit: the race is a race', async () => {
    expect((await redeem(readThenWrite, 10)).granted).toBeGreaterThan(10);
  });

  test('what fails meanwhile is granted to others, and never more than the limit is taken', async () => {
    const voucher = await make({ usage_limit: 5 });
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const of = wanted(voucher.code);
        const reserved = await reserve(of).catch(() => undefined);
        if (!reserved) return 'refused';
        if (index % 3 === 0) return (await confirm(of.subject)) && 'confirmed';
        await release(of.subject);
        return 'released';
      }),
    );
    const confirmed = outcomes.filter((outcome) => outcome === 'confirmed').length;
    expect(confirmed).toBeLessThanOrEqual(5);
    expect(await counterOf(voucher)).toBe(confirmed);
    expect(await countUses(voucher, 'confirmed')).toBe(confirmed);
  });

  test('reservations that have lapsed are freed once, however many come for them at once', async () => {
    const voucher = await make({ usage_limit: 5 });
    const first = Array.from({ length: 5 }, () => wanted(voucher.code));
    for (const purchase of first) await reserve(purchase);
    for (const { subject } of first) await lapse(subject);
    const replies = await Promise.allSettled(Array.from({ length: 50 }, () => reserve(wanted(voucher.code))));
    expect(replies.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(await counterOf(voucher)).toBe(5);
    expect(await countUses(voucher, 'lapsed')).toBe(5);
  });
});

describe('the life of a use', () => {
  test('what is reserved is the voucher as it is now, whatever becomes of it', async () => {
    const voucher = await make({
      code: 'Spring-1',
      discount_period: 'repeating',
      discount_duration: 3,
      rebill_discount: 5,
    });
    const of = wanted(' spring-1 ');
    const applied = {
      voucherId: voucher.id,
      code: 'Spring-1',
      discount: { percent: 25, rebillPercent: 5, period: 'repeating', duration: 3 },
      isGift: false,
    };
    expect(await reserve(of)).toEqual(applied);
    await call(app, 'PATCH', `/v2/vouchers/${voucher.id}`, { discount: 99, code: 'OTHER' }, shop.merchant);
    expect(await reserve(of)).toEqual(applied);
    await call(app, 'DELETE', `/vouchers/${voucher.id}`, undefined, shop.merchant);
    expect(await confirm(of.subject)).toBe(true);
    expect(await countUses(voucher, 'confirmed')).toBe(1);
  });

  test('a voucher that ends between reservation and confirmation: the reservation stands', async () => {
    const voucher = await make({ usage_limit: 1 });
    const of = wanted(voucher.code);
    await reserve(of);
    await app.pool.query(`UPDATE vouchers SET ends_at = now() WHERE id = $1`, [voucher.id]);
    expect(await confirm(of.subject)).toBe(true);
    await expect(reserve(wanted(voucher.code))).rejects.toMatchObject(refused);
  });

  test('every step again changes nothing more', async () => {
    const voucher = await make({ usage_limit: 3 });
    const [kept, given] = [wanted(voucher.code), wanted(voucher.code)];
    for (const purchase of [kept, kept, given, given]) await reserve(purchase);
    expect(await counterOf(voucher)).toBe(2);
    for (const subject of [kept.subject, kept.subject]) expect(await confirm(subject)).toBe(true);
    for (const subject of [given.subject, given.subject, kept.subject]) await release(subject);
    expect(await counterOf(voucher)).toBe(1);
    for (const subject of [kept.subject, kept.subject, given.subject]) await giveBack(subject);
    expect(await counterOf(voucher)).toBe(0);
    expect(await confirm(kept.subject)).toBe(true);
    expect(await counterOf(voucher)).toBe(0);
  });

  test('a purchase without a voucher passes every step', async () => {
    const subject = `S-${randomUUID()}`;
    expect(await uses.holdVoucher(subject)).toBe(true);
    expect(await confirm(subject)).toBe(true);
    await release(subject);
    await giveBack(subject);
  });

  test('an hour that is over ends a reservation when somebody else wants it, not before', async () => {
    const voucher = await make({ usage_limit: 1 });
    const [late, next] = [wanted(voucher.code), wanted(voucher.code)];
    await reserve(late);
    await lapse(late.subject);
    expect(await confirm(late.subject)).toBe(true);
    await expect(reserve(next)).rejects.toMatchObject(refused);

    const other = await make({ usage_limit: 1 });
    const slow = wanted(other.code);
    await reserve(slow);
    await lapse(slow.subject);
    await reserve(wanted(other.code));
    expect(await confirm(slow.subject)).toBe(false);
    expect(await counterOf(other)).toBe(1);
  });

  test('a reservation that lapsed is taken again where there is room', async () => {
    const voucher = await make({ usage_limit: 1 });
    const [slow, quick] = [wanted(voucher.code), wanted(voucher.code)];
    await reserve(slow);
    await lapse(slow.subject);
    await reserve(quick);
    await release(quick.subject);
    expect(await uses.holdVoucher(slow.subject)).toBe(true);
    expect(await confirm(slow.subject)).toBe(true);
    expect(await counterOf(voucher)).toBe(1);
  });

  test('a reservation that is held, because its charge is under way, does not lapse', async () => {
    const voucher = await make({ usage_limit: 1 });
    const of = wanted(voucher.code);
    await reserve(of);
    expect(await uses.holdVoucher(of.subject)).toBe(true);
    await lapse(of.subject);
    await expect(reserve(wanted(voucher.code))).rejects.toMatchObject(refused);
    expect(await confirm(of.subject)).toBe(true);
  });

  test('a transaction that fails takes no use', async () => {
    const voucher = await make({ usage_limit: 1 });
    const failing = transaction(async (inTransaction) => {
      await uses.reserveVoucher(inTransaction, wanted(voucher.code));
      throw new Error('the row was not written');
    });
    await expect(failing).rejects.toThrow('not written');
    expect(await counterOf(voucher)).toBe(0);
  });

  test('whatever happens in whatever order, the counter counts the uses that are taken and stays within the limit', async () => {
    const step = fc.record({
      what: fc.constantFrom('reserve', 'confirm', 'release', 'giveBack', 'hold', 'lapse'),
      whose: fc.integer({ min: 0, max: 4 }),
    });
    const act = { confirm, release, giveBack, lapse, hold: (subject: string) => uses.holdVoucher(subject) };
    const history = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 25 }));
    await fc.assert(
      fc.asyncProperty(history, async ([limit, happens]) => {
        const voucher = await make({ usage_limit: limit });
        const purchases = Array.from({ length: 5 }, () => wanted(voucher.code));
        for (const { what, whose } of happens) {
          const of = purchases[whose] ?? wanted(voucher.code);
          await (what === 'reserve' ? reserve(of).catch(() => undefined) : act[what](of.subject));
          const taken = await countUses(voucher, 'reserved', 'confirmed');
          expect(await counterOf(voucher)).toBe(taken);
          expect(taken).toBeLessThanOrEqual(limit);
        }
      }),
      { numRuns: 40 },
    );
  });
});

test('of a gift and a voucher of one code, the gift is taken', async () => {
  const gift = await giveGift(shop, shop.consumer.email);
  const voucher = await make();
  await app.pool.query('UPDATE vouchers SET code = $2, canonical_code = $2 WHERE id = $1', [voucher.id, gift.code]);
  const found = await uses.findVoucherFor(
    { merchantId: shop.merchant.id, accountId: shop.consumer.id },
    wanted(gift.code),
  );
  const reserved = await reserve(wanted(gift.code));
  expect([found?.voucher, reserved]).toMatchObject(
    Array(2).fill({ code: `****${gift.code.slice(-4)}`, discount: { percent: 100 } }),
  );
  expect(await counterOf(voucher)).toBe(0);
});

describe('what a voucher is good for', () => {
  const isGood = async (code: string, of: Partial<Reservation> = {}) => {
    const reserved = await reserve(wanted(code, of)).catch((error: unknown) => {
      expect(error).toMatchObject(refused);
    });
    return reserved !== undefined;
  };

  test('without rules: everything that the merchant sells, and nothing of another', async () => {
    const { code } = await make();
    const season = await createPackage(app, shop);
    expect(await isGood(code)).toBe(true);
    expect(await isGood(code, { itemId: season.id, accessFeeId: season.feeId })).toBe(true);
    const other = await createShop(app);
    const theirs = { merchantId: other.merchant.id, accountId: other.consumer.id };
    expect(await isGood(code, { ...theirs, itemId: other.item.id, accessFeeId: other.fee.id })).toBe(false);
  });

  test('an item rule: that item', async () => {
    const { code } = await make({ rules: [{ rule_type: 'assets', value: shop.item.id }] });
    const season = await createPackage(app, shop);
    expect(await isGood(code)).toBe(true);
    expect(await isGood(code, { itemId: season.id, accessFeeId: season.feeId })).toBe(false);
  });

  test('a package rule: the package’s own fee, not those of the items in it', async () => {
    const season = await createPackage(app, shop);
    await app.pool.query('INSERT INTO package_items (merchant_id, package_id, item_id) VALUES ($1, $2, $3)', [
      shop.merchant.id,
      season.id,
      shop.item.id,
    ]);
    const { code } = await make({ rules: [{ rule_type: 'packages', value: season.id }] });
    expect(await isGood(code, { itemId: season.id, accessFeeId: season.feeId })).toBe(true);
    expect(await isGood(code)).toBe(false);
  });

  test('a fee rule: that fee, and what takes its place at another price', async () => {
    const { code } = await make({ rules: [{ rule_type: 'access_fees', value: shop.fee.id }] });
    const dearer = await createFee(app, shop.merchant, shop.item.id, { amount: '12.99' });
    const yearly = await createFee(app, shop.merchant, shop.item.id, { period: 'year' });
    expect(await isGood(code)).toBe(true);
    expect(await isGood(code, { accessFeeId: dearer.id })).toBe(false);
    const replace = (by: number) =>
      app.pool.query('UPDATE access_fees SET retired_at = now(), replaced_by = $2 WHERE id = $1', [shop.fee.id, by]);
    await replace(yearly.id);
    expect(await isGood(code, { accessFeeId: yearly.id })).toBe(false);
    await replace(dearer.id);
    expect(await isGood(code, { accessFeeId: dearer.id })).toBe(true);
    await app.pool.query('UPDATE access_fees SET retired_at = NULL, replaced_by = NULL WHERE id = $1', [shop.fee.id]);
  });

  test('an account rule: those accounts, and with item rules both must hold', async () => {
    const friend = await createConsumer(app, shop.merchant);
    const email = { rule_type: 'emails', value: friend.id };
    const { code } = await make({ rules: [email] });
    expect(await isGood(code, { accountId: friend.id })).toBe(true);
    expect(await isGood(code)).toBe(false);
    const season = await createPackage(app, shop);
    const both = await make({ rules: [email, { rule_type: 'packages', value: season.id }] });
    const package_ = { itemId: season.id, accessFeeId: season.feeId };
    expect(await isGood(both.code, { accountId: friend.id, ...package_ })).toBe(true);
    expect(await isGood(both.code, { accountId: friend.id })).toBe(false);
    expect(await isGood(both.code, package_)).toBe(false);
  });

  test('several items: any of them', async () => {
    const season = await createPackage(app, shop);
    const rules = [
      { rule_type: 'packages', value: season.id },
      { rule_type: 'assets', value: shop.item.id },
    ];
    const { code } = await make({ rules });
    expect(await isGood(code)).toBe(true);
    expect(await isGood(code, { itemId: season.id, accessFeeId: season.feeId })).toBe(true);
  });

  test('from its start to its end, by the merchant’s time', async () => {
    const inDays = (days: number) => Math.floor(Date.now() / 1000) + days * 86_400;
    const begun = await make({ start_date: inDays(-2), end_date: inDays(2) });
    const coming = await make({ start_date: inDays(2) });
    expect(await isGood(begun.code)).toBe(true);
    expect(await isGood(coming.code)).toBe(false);
    await app.pool.query(`INSERT INTO test_clocks (merchant_id, ahead) VALUES ($1, interval '3 days')`, [
      shop.merchant.id,
    ]);
    expect(await isGood(begun.code)).toBe(false);
    expect(await isGood(coming.code)).toBe(true);
    await app.pool.query('DELETE FROM test_clocks WHERE merchant_id = $1', [shop.merchant.id]);
  });
});
