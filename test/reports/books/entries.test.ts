import { buyGift, redeemGift } from '../../support/boughtGifts';
import { giveCredit } from '../../support/balances';
import { call, requestChange } from '../../support/client';
import { createFee, createShop, reaches, type Shop, subscribe } from '../../support/factories';
import { bookedDay, entriesOf, journalFaults, recognise } from '../../support/journal';
import { createPayShop, paid, payWithAuthentication, refund, refunded, settles, withFee } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { answerOf, importStores, newOriginal } from '../../support/storeTold';
import { nameSeller } from '../../support/tax';
import { sellInGermany } from '../../support/taxedSales';
import { passDays } from '../../support/testClock';
import { until } from '../../support/until';

/** The entries of each movement of money. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());
afterEach(async () => expect(await journalFaults(app.pool)).toEqual([]));

/** Books the revenue until so many days after the first entry. */
const recogniseUntil = async ({ merchant }: Pick<Shop, 'merchant'>, days: number) =>
  recognise(app.pool, merchant.id, await bookedDay(app.pool, merchant.id, days));
const booked = ({ merchant }: Pick<Shop, 'merchant'>, kind?: string) => entriesOf(app.pool, merchant.id, kind);

const sale = ['payment_provider > deferred_revenue 378', 'payment_provider > tax_payable 72'];

test('a sale is deferred without its tax, and becomes revenue in equal parts', async () => {
  const { shop } = await sellInGermany(app);
  expect(await booked(shop)).toEqual(sale);
  for (const days of [-1, 0, 0, 1, 2]) await recogniseUntil(shop, days);
  const revenue = 'deferred_revenue > revenue 189';
  expect(await booked(shop)).toEqual([...sale, revenue, revenue]);
  const { rows } = await app.pool.query<{ day: string }>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day FROM journal_entries WHERE merchant_id = $1 AND kind = 'recognition' ORDER BY id`,
    [shop.merchant.id],
  );
  expect(rows.map(({ day }) => day)).toEqual([
    await bookedDay(app.pool, shop.merchant.id),
    await bookedDay(app.pool, shop.merchant.id, 1),
  ]);
});

test('a sale without tax is deferred as a whole, and a free one is not booked', async () => {
  const shop = await createPayShop(app);
  await paid(app, shop);
  expect(await booked(shop)).toEqual(['payment_provider > deferred_revenue 450']);
  const free = await createPayShop(app, { amount: '0' });
  await paid(app, free);
  expect(await booked(free)).toEqual([]);
});

test('a refund returns tax and what is not earned; what is earned lowers the income', async () => {
  const { shop, token } = await sellInGermany(app);
  await passDays(app, shop.merchant, 1);
  await refund(app, shop.merchant, token);
  await refunded(app, token);
  expect(await booked(shop, 'refund')).toEqual([
    'tax_payable > payment_provider 72',
    'deferred_revenue > payment_provider 189',
    'refunds > payment_provider 189',
  ]);
  await recogniseUntil(shop, 5);
  expect(await booked(shop, 'recognition')).toEqual(['deferred_revenue > revenue 189']);
});

test('a refund that fails after its success is booked in the other direction', async () => {
  const { shop, token } = await sellInGermany(app);
  await refund(app, shop.merchant, token, { amount: '1.50' });
  await refunded(app, token);
  await app.pool.query(`UPDATE refunds SET state = 'failed' WHERE merchant_id = $1`, [shop.merchant.id]);
  expect(await booked(shop, 'refund')).toEqual([
    'tax_payable > payment_provider 24',
    'deferred_revenue > payment_provider 126',
  ]);
  expect(await booked(shop, 'refund_failed')).toEqual([
    'payment_provider > tax_payable 24',
    'payment_provider > deferred_revenue 126',
  ]);
  await recogniseUntil(shop, 5);
  expect(await booked(shop, 'recognition')).toEqual([
    'deferred_revenue > revenue 189',
    'deferred_revenue > revenue 189',
  ]);
});

test('a refund that is made again after its failure takes back no more than is left', async () => {
  const { shop, token } = await sellInGermany(app);
  await passDays(app, shop.merchant, 1);
  await refund(app, shop.merchant, token);
  await refunded(app, token);
  await app.pool.query(`UPDATE refunds SET state = 'failed' WHERE merchant_id = $1`, [shop.merchant.id]);
  await app.pool.query(
    `INSERT INTO refunds (token, merchant_id, account_id, charge_id, amount_minor, currency, revoke_access, state,
       requested_by, settled_at)
     SELECT 'R-again', merchant_id, account_id, id, 378, currency, false, 'refunded', merchant_id, merchant_now(merchant_id)
     FROM charges WHERE merchant_id = $1`,
    [shop.merchant.id],
  );
  expect((await booked(shop, 'refund')).slice(-2)).toEqual([
    'deferred_revenue > payment_provider 189',
    'refunds > payment_provider 189',
  ]);
});

/** A credit of a plan change, as the step of the subscription writes it. */
const creditPlan = (shop: Shop, amountMinor: number) =>
  app.pool.query(
    `INSERT INTO balance_movements (merchant_id, account_id, currency, amount_minor, reason, cause, charge_id, created_at)
     SELECT merchant_id, account_id, currency, $2, 'plan_change', gen_random_uuid(), id, now()
     FROM charges WHERE merchant_id = $1`,
    [shop.merchant.id, amountMinor],
  );

test('the tax of a credit goes with the part that is left of it', async () => {
  const { shop } = await sellInGermany(app);
  const taxOf = async () =>
    (
      await app.pool.query<{ tax: number }>(
        'SELECT tax_minor::int AS tax FROM customer_balances WHERE account_id = $1',
        [shop.consumer.id],
      )
    ).rows[0]?.tax;
  await giveCredit(app, shop.consumer.id, -100);
  await creditPlan(shop, 100);
  expect(await taxOf()).toBe(0);
  await giveCredit(app, shop.consumer.id, -100);
  await creditPlan(shop, 300);
  expect(await taxOf()).toBe(32);
  await giveCredit(app, shop.consumer.id, -50);
  expect(await taxOf()).toBe(24);
  await giveCredit(app, shop.consumer.id, -151);
  expect(await taxOf()).toBe(0);
});

test('a balance that an erased account cannot get back is written off', async () => {
  const shop = await createPayShop(app);
  await giveCredit(app, shop.consumer.id, 100);
  await payWithAuthentication(app, shop);
  await app.pool.query(`UPDATE charges SET status = 'declined' WHERE merchant_id = $1`, [shop.merchant.id]);
  expect(await booked(shop, 'charge')).toEqual(['open_charges > adjustments 100']);
  const other = await createPayShop(app);
  await giveCredit(app, other.consumer.id, 100);
  const token = await paid(
    app,
    await withFee(app, other, { access_type: 'ppv', quantity: 2, period: 'day', amount: '9' }),
  );
  await giveCredit(app, other.consumer.id, 60);
  await app.pool.query(
    `WITH open AS (
       INSERT INTO refunds (token, merchant_id, account_id, charge_id, amount_minor, credit_minor, currency, revoke_access,
         state, requested_by)
       SELECT 'R-of-erased', merchant_id, account_id, id, 60, 60, currency, false, 'open', merchant_id
       FROM charges WHERE trx_token = $1 RETURNING *
     )
     INSERT INTO balance_movements (merchant_id, account_id, currency, amount_minor, reason, cause, charge_id, refund_id,
       created_at)
     SELECT merchant_id, account_id, currency, -60, 'refund', 'refund:' || token, charge_id, id, now() FROM open`,
    [token],
  );
  await app.pool.query(`UPDATE refunds SET state = 'failed' WHERE token = 'R-of-erased'`);
  expect(await booked(other, 'refund_failed')).toEqual(['open_refunds > adjustments 60']);
});

test('a credit pays a part, and a debt is collected with its tax', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  await giveCredit(app, shop.consumer.id, 119);
  await paid(app, shop);
  // 3.31 by card: 2.78 and 0.53 tax. The credit was a present, so it contains no tax.
  expect(await booked(shop)).toEqual([
    'adjustments > customer_balances 119',
    'customer_balances > open_charges 119',
    'payment_provider > deferred_revenue 278',
    'payment_provider > tax_payable 53',
    'open_charges > deferred_revenue 119',
  ]);
  const other = await createPayShop(app);
  await nameSeller(app, other);
  await giveCredit(app, other.consumer.id, -119);
  await paid(app, other);
  // 5.69 by card: 0.91 tax, of which 0.19 belongs to the debt.
  expect(await booked(other)).toEqual([
    'customer_balances > adjustments 119',
    'open_charges > customer_balances 119',
    'payment_provider > deferred_revenue 378',
    'payment_provider > tax_payable 72',
    'payment_provider > open_charges 119',
    'revenue > tax_payable 19',
  ]);
});

test('a plan change moves what is left of the old plan with its tax, and the next charge uses it', async () => {
  const shop = await createShop(app, { amount: '30.00' });
  await nameSeller(app, shop);
  const cheap = await createFee(app, shop.merchant, shop.item.id, { amount: '12.00' });
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  const change = { access_fee_id: cheap.id, mode: 'now' };
  await requestChange(app, 'POST', `/subscriptions/${body.subscription_id}/switch`, change, shop.consumer);
  // 18.00 of the 30.00 are credit. They contain 2.87 of the 4.79 tax.
  expect(await booked(shop)).toEqual([
    'payment_provider > deferred_revenue 2521',
    'payment_provider > tax_payable 479',
    'tax_on_credits > customer_balances 287',
    'deferred_revenue > customer_balances 1513',
  ]);
  await passDays(app, shop.merchant, 32);
  await until(async () => (await booked(shop)).some((entry) => entry.startsWith('open_charges')));
  expect((await booked(shop)).slice(4)).toEqual([
    'customer_balances > tax_on_credits 191',
    'customer_balances > open_charges 1009',
    'open_charges > deferred_revenue 1009',
  ]);
});

test('a period that gets another end gives its days to the same charge', async () => {
  const shop = await createShop(app, { amount: '30.00', quantity: 10, period: 'day' });
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  await recogniseUntil(shop, 0);
  await app.pool.query(
    `UPDATE subscriptions SET current_period_end = current_period_end + interval '20 days' WHERE token = $1`,
    [body.subscription_id],
  );
  await recogniseUntil(shop, 2);
  // 3.00 for the first of ten days. After the third of thirty days, 3.00 are earned.
  expect(await booked(shop, 'recognition')).toEqual([
    'deferred_revenue > revenue 300',
    'revenue > deferred_revenue 100',
    'deferred_revenue > revenue 100',
  ]);
});

test('a declined charge returns the credit that it took', async () => {
  const shop = await createPayShop(app);
  await giveCredit(app, shop.consumer.id, 100);
  const { body } = await call<{ transaction: string }>(
    app,
    'POST',
    '/payments',
    {
      access_fee: shop.fee.id,
      number: '4000000000000002',
      card_name: 'A B',
      exp_month: '2',
      exp_year: '2040',
      cvv: '123',
    },
    shop.consumer,
  );
  await settles(app, body.transaction, 'failed');
  expect(await booked(shop)).toEqual([
    'adjustments > customer_balances 100',
    'customer_balances > open_charges 100',
    'open_charges > customer_balances 100',
  ]);
});

test('a gift is owed until it is redeemed, and then deferred from that day on', async () => {
  const gift = await buyGift(app);
  expect(await booked(gift.shop)).toEqual(['payment_provider > gifts_outstanding 450']);
  await passDays(app, gift.shop.merchant, 3);
  const { body } = await redeemGift(app, gift, gift.receiver);
  await settles(app, body.transaction, 'paid');
  expect(await booked(gift.shop, 'gift')).toEqual(['gifts_outstanding > deferred_revenue 450']);
  await recogniseUntil(gift.shop, 3);
  expect(await booked(gift.shop, 'recognition')).toEqual(['deferred_revenue > revenue 225']);
});

test('the refund of a gift that nobody has redeemed ends what is owed', async () => {
  const { shop, token } = await buyGift(app);
  await refund(app, shop.merchant, token);
  await refunded(app, token);
  expect(await booked(shop, 'refund')).toEqual(['gifts_outstanding > payment_provider 450']);
});

test('a chargeback ends what is owed for a gift, and a won one restores it', async () => {
  const { shop } = await buyGift(app);
  await lose(shop, false);
  await lose(shop, true);
  expect(await booked(shop, 'dispute')).toEqual([
    'chargebacks > payment_provider 200',
    'gifts_outstanding > chargebacks 450',
    'payment_provider > chargebacks 200',
    'chargebacks > gifts_outstanding 450',
  ]);
});

test('a refund that ends after a chargeback of a gift lowers the income, because nothing is owed any more', async () => {
  const { shop } = await buyGift(app);
  await app.pool.query(
    `INSERT INTO refunds (token, merchant_id, account_id, charge_id, amount_minor, currency, revoke_access, state,
       requested_by)
     SELECT 'R-of-gift', merchant_id, account_id, id, 100, currency, false, 'open', merchant_id
     FROM charges WHERE merchant_id = $1`,
    [shop.merchant.id],
  );
  await lose(shop, false);
  await app.pool.query(`UPDATE refunds SET state = 'refunded' WHERE token = 'R-of-gift'`);
  expect(await booked(shop, 'refund')).toEqual(['refunds > payment_provider 100']);
});

test('a refund of a gift that fails after the gift is redeemed is deferred again', async () => {
  const gift = await buyGift(app);
  await refund(app, gift.shop.merchant, gift.token, { amount: '1.00' });
  await refunded(app, gift.token);
  const { body } = await redeemGift(app, gift, gift.receiver);
  await settles(app, body.transaction, 'paid');
  await app.pool.query(`UPDATE refunds SET state = 'failed' WHERE merchant_id = $1`, [gift.shop.merchant.id]);
  expect(await booked(gift.shop, 'refund_failed')).toEqual(['payment_provider > deferred_revenue 100']);
  await recogniseUntil(gift.shop, 5);
  expect(await booked(gift.shop, 'recognition')).toEqual([
    'deferred_revenue > revenue 225',
    'deferred_revenue > revenue 225',
  ]);
});

/** A bank takes 2.00 of the charge, or the merchant wins them back. */
const lose = ({ merchant }: Pick<Shop, 'merchant'>, isWon: boolean) =>
  app.pool.query(
    `INSERT INTO disputes AS d (provider, reference, charge_id, is_won, told_at, amount_minor)
     SELECT 'sandbox', 'entries-' || id, id, $2, now(), 200 FROM charges WHERE merchant_id = $1
     ON CONFLICT (provider, reference) DO UPDATE SET is_won = excluded.is_won`,
    [merchant.id, isWon],
  );

test('a chargeback takes what the bank took, and a won one gives it back', async () => {
  const { shop } = await sellInGermany(app);
  for (const isWon of [false, false, true, false]) await lose(shop, isWon);
  expect(await booked(shop, 'dispute')).toEqual([
    'chargebacks > payment_provider 200',
    'payment_provider > chargebacks 200',
    'chargebacks > payment_provider 200',
  ]);
  const { body } = await call<{ collection: { chargebacks: number }[] }>(
    app,
    'GET',
    '/reporting/summary',
    undefined,
    shop.merchant,
  );
  expect(body.collection[0]?.chargebacks).toBe(2);
});

test('a fee of the provider is an expense, and a returned fee is not', async () => {
  const { shop } = await sellInGermany(app);
  for (const [reference, fee] of [
    ['txn_1', 41],
    ['txn_2', -41],
    ['txn_3', 0],
  ] as const)
    await app.pool.query(
      `INSERT INTO balance_transactions (merchant_id, provider, reference, kind, charge_reference, object_reference,
         amount_minor, currency, fee_minor, fee_currency, happened_at)
       VALUES ($1, 'stripe', $2, 'charge', '', '', 450, 'EUR', $3, 'EUR', now())`,
      [shop.merchant.id, reference, fee],
    );
  expect(await booked(shop, 'fee')).toEqual([
    'provider_fees > payment_provider 41',
    'payment_provider > provider_fees 41',
  ]);
});

test('a sale in an app store is deferred, and its refund returns what is not earned', async () => {
  const shop = await createPayShop(app);
  const { claim, look } = await importStores();
  const original = newOriginal();
  const price = { amount: 4, currency: 'EUR' };
  const told = { state: 'active', isTrial: false, price, transaction: 1 } as const;
  await claim(shop, shop.consumer, 'google-play', answerOf(original, told, Date.now()));
  expect(await booked(shop)).toEqual(['app_stores > deferred_revenue 400']);
  await look(original, answerOf(original, { ...told, state: 'revoked' }, Date.now() + 1_000), Date.now() + 1_000);
  expect(await booked(shop, 'store_refund')).toEqual(['deferred_revenue > app_stores 400']);
});

test('a purchase in an app store without an end of its own is earned over its access', async () => {
  const shop = await createPayShop(app);
  const { claim } = await importStores();
  const original = newOriginal();
  const told = { state: 'active', isTrial: false, price: { amount: 4, currency: 'EUR' }, transaction: 1 } as const;
  const once = { kind: 'one_time', expiresAt: null, autoRenew: false } as const;
  await claim(shop, shop.consumer, 'google-play', { ...answerOf(original, told, Date.now()), ...once });
  await recogniseUntil(shop, 5);
  expect(await booked(shop, 'recognition')).toEqual([
    'deferred_revenue > revenue 200',
    'deferred_revenue > revenue 200',
  ]);
});

test.each(['UPDATE journal_entries SET amount_minor = 1', 'DELETE FROM journal_entries', 'TRUNCATE journal_entries'])(
  'the journal only grows: %s',
  async (text) => {
    await sellInGermany(app);
    await expect(app.pool.query(text)).rejects.toThrow('the journal only grows');
  },
);

test.each([
  ['the same account twice', `'revenue', 'revenue', 1`],
  ['an unknown account', `'revenue', 'cash', 1`],
  ['nothing', `'payment_provider', 'revenue', 0`],
  ['a negative amount', `'payment_provider', 'revenue', -1`],
])('an entry cannot have %s', async (_what, values) => {
  const { merchant } = await createPayShop(app);
  const text = `INSERT INTO journal_entries (merchant_id, day, kind, about, currency, debit_account, credit_account, amount_minor)
    VALUES ($1, now(), 'charge', 'charge:0', 'EUR', ${values})`;
  await expect(app.pool.query(text, [merchant.id])).rejects.toThrow(/violates check constraint/);
});
