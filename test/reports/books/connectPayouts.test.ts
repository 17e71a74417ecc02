import { compare, listDifferences } from '../../support/differences';
import { call } from '../../support/client';
import { reaches } from '../../support/factories';
import { entriesOf, journalFaults } from '../../support/journal';
import { createShopBelow, startAccountsApp, subscribeWithForm, type AccountsApp } from '../../support/paymentAccounts';
import { platformSettings } from '../../support/stripePlatform';

/** The payouts of accounts that share the operator's platform (Stripe Connect). Each account has a balance of its own. */

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp({ CARD_PROVIDER: 'none', ...platformSettings });
  await app.startWorker();
});
afterAll(() => app.stop());

async function createSeller() {
  const { shop, account } = await createShopBelow(app);
  const { body } = await subscribeWithForm(app, shop, account);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  return { shop, account };
}

test('each merchant below the platform has its own payouts, once, and its books agree with the provider', async () => {
  const [one, other] = [await createSeller(), await createSeller()];
  one.account.books.move('payout', { amount: -969, currency: 'eur' });
  const id = other.account.books.move('payout', { amount: -500, currency: 'eur' });
  await compare(app);
  other.account.books.move('payout_reversal', { id, amount: 500, currency: 'eur' });
  await compare(app);
  await compare(app);
  expect(await entriesOf(app.pool, one.shop.merchant.id, 'payout')).toEqual(['bank > payment_provider 969']);
  expect(await entriesOf(app.pool, other.shop.merchant.id, 'payout')).toEqual([
    'bank > payment_provider 500',
    'payment_provider > bank 500',
  ]);
  for (const { shop } of [one, other]) {
    expect(await listDifferences(app, shop.merchant)).toEqual([]);
    expect(await journalFaults(app.pool, shop.merchant.id)).toEqual([]);
  }
  const path = '/reporting/books/trial-balance';
  const { body } = await call<{ collection: object[] }>(app, 'GET', path, undefined, one.shop.merchant);
  // 9.99, less 0.30 fee, less the payout: the provider owes nothing.
  expect(body.collection).toContainEqual(expect.objectContaining({ account: 'payment_provider', closing: 0 }));
});

test('payouts of an account that has removed the platform wait, and those of the others are booked', async () => {
  const [gone, other] = [await createSeller(), await createSeller()];
  for (const { account } of [gone, other]) account.books.move('payout', { amount: -100, currency: 'eur' });
  gone.account.isAuthorized = false;
  await compare(app);
  expect(await entriesOf(app.pool, gone.shop.merchant.id, 'payout')).toEqual([]);
  expect(await entriesOf(app.pool, other.shop.merchant.id, 'payout')).toEqual(['bank > payment_provider 100']);
  gone.account.isAuthorized = true;
  await compare(app);
  expect(await entriesOf(app.pool, gone.shop.merchant.id, 'payout')).toEqual(['bank > payment_provider 100']);
});
