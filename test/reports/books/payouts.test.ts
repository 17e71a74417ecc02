import { compare, listDifferences, subscribeLongAgo } from '../../support/differences';
import { call } from '../../support/client';
import { type Person } from '../../support/factories';
import { entriesOf, journalFaults } from '../../support/journal';
import { putInState } from '../../support/operators';
import { createOwnShop, startAccountsApp, type AccountsApp } from '../../support/paymentAccounts';

/** The payouts of the accounts of merchants. */

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});
afterAll(() => app.stop());
afterEach(async () => expect(await journalFaults(app.pool)).toEqual([]));

const payoutsOf = ({ id }: Pick<Person, 'id'>) => entriesOf(app.pool, id, 'payout');

interface Line {
  account: string;
  currency: string;
  closing: number;
}

async function closingOf(merchant: Person, account: string): Promise<Record<string, number>> {
  const path = '/reporting/books/trial-balance';
  const { body } = await call<{ collection: Line[] }>(app, 'GET', path, undefined, merchant);
  const lines = body.collection.filter((line) => line.account === account);
  return Object.fromEntries(lines.map(({ currency, closing }) => [currency, closing]));
}

test('a payout moves money from the provider to the bank, once, and differs from nothing', async () => {
  const { shop, account } = await subscribeLongAgo(app);
  account.books.move('payout', { amount: -900, currency: 'eur' });
  await compare(app);
  await compare(app);
  expect(await payoutsOf(shop.merchant)).toEqual(['bank > payment_provider 900']);
  expect(await listDifferences(app, shop.merchant)).toEqual([]);
  expect(await closingOf(shop.merchant, 'bank')).toEqual({ EUR: 9 });
  // 9.99, less 0.30 fee.
  expect(await closingOf(shop.merchant, 'payment_provider')).toEqual({ EUR: 0.69 });
  const path = '/payments/balance-transactions';
  const { body } = await call<{ collection: object[] }>(app, 'GET', path, undefined, shop.merchant);
  const object = expect.stringMatching(/^po_/) as string;
  expect(body.collection).toContainEqual(
    expect.objectContaining({ kind: 'payout', payment: '', object, amount: 9, currency: 'EUR', fee: 0 }),
  );
});

test('a payout that fails after it was booked is booked in the other direction', async () => {
  const { shop, account } = await createOwnShop(app);
  const id = account.books.move('payout', { amount: -5000, currency: 'eur' });
  await compare(app);
  account.books.move('payout_reversal', { id, amount: 5000, currency: 'eur' });
  await compare(app);
  await compare(app);
  expect(await payoutsOf(shop.merchant)).toEqual(['bank > payment_provider 5000', 'payment_provider > bank 5000']);
  expect(await closingOf(shop.merchant, 'bank')).toEqual({ EUR: 0 });
  expect(await listDifferences(app, shop.merchant)).toEqual([]);
});

test('the bank pays for a negative balance and for a top-up; a payout of 0 is not booked, and its fee is', async () => {
  const { shop, account } = await createOwnShop(app);
  account.books.move('payout', { amount: 700, currency: 'eur' });
  account.books.move('payout_reversal', { amount: -700, currency: 'eur' });
  account.books.move('topup', { amount: 300, currency: 'eur' });
  account.books.move('topup_reversal', { amount: -200, currency: 'eur' });
  account.books.move('payout', { amount: 0, currency: 'eur', fee: 25 });
  await compare(app);
  expect((await payoutsOf(shop.merchant)).sort()).toEqual([
    'bank > payment_provider 200',
    'bank > payment_provider 700',
    'payment_provider > bank 300',
    'payment_provider > bank 700',
  ]);
  expect(await entriesOf(app.pool, shop.merchant.id, 'fee')).toEqual(['provider_fees > payment_provider 25']);
});

test('payouts in two currencies have a balance each', async () => {
  const { shop, account } = await createOwnShop(app);
  account.books.move('payout', { amount: -1000, currency: 'usd' });
  account.books.move('payout', { amount: -1000, currency: 'jpy' });
  await compare(app);
  expect(await closingOf(shop.merchant, 'bank')).toEqual({ JPY: 1000, USD: 10 });
});

test('other movements of the account are left out', async () => {
  const { shop, account } = await createOwnShop(app);
  for (const category of ['payout_minimum_balance_hold', 'transfer', 'advance', 'a_category_of_tomorrow'])
    account.books.move(category, { amount: -1000, currency: 'eur' });
  await compare(app);
  expect(await entriesOf(app.pool, shop.merchant.id)).toEqual([]);
});

test('the payouts of a suspended merchant are booked, and nothing of them for another merchant', async () => {
  const [one, other] = [await createOwnShop(app), await createOwnShop(app)];
  await putInState(app, one.shop.merchant, 'suspended');
  one.account.books.move('payout', { amount: -1000, currency: 'eur' });
  await compare(app);
  expect(await payoutsOf(one.shop.merchant)).toEqual(['bank > payment_provider 1000']);
  expect(await payoutsOf(other.shop.merchant)).toEqual([]);
  expect(await closingOf(other.shop.merchant, 'bank')).toEqual({});
});
