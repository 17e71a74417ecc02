import { call, type Reply } from './client';
import { accounts, charged, createMandate, offerDebits, subscribeByDebit } from './debits';
import { createConsumer, createFee, createItem, reaches, subscribe, type Shop, type Submitted } from './factories';
import { receives } from './mailbox';
import { createBrandedMerchant } from './paywall';
import { buyOnPage, offerRedirects } from './redirects';
import { changeCardOutcome } from './scenarios';
import { type TestApp } from './startApp';
import { failToRenew, passDays } from './testClock';

export interface OwedRenewal {
  shop: Shop;
  id: string;
  path: string;
}

/** A renewal that the bank has declined, and the path of the link in its mail. The card pays again. */
export function owedRenewal(
  app: TestApp,
  outcome = 'success',
  beforePurchase: (shop: Shop) => Promise<void> = async () => {},
): Promise<OwedRenewal> {
  return owedBy(app, (shop) => subscribe(app, shop).then(idOf), { outcome, beforePurchase });
}

/** The same with a saved Link. */
export async function owedByLink(app: TestApp): Promise<OwedRenewal> {
  return owedBy(app, async ({ merchant, consumer, fee }) => {
    await call(app, 'PUT', '/accounts/settings', { payment_methods: ['card', 'link'] }, merchant);
    const body = { access_fee: fee.id, payment_token: 'tok_link' };
    return idOf(await call<Submitted>(app, 'POST', '/subscriptions', body, consumer));
  });
}

/** The same with PayPal. */
export async function owedByPaypal(app: TestApp): Promise<OwedRenewal> {
  return owedBy(app, async (shop) => {
    await offerRedirects(app, shop);
    const page = await buyOnPage(app, shop, 'subscription', { payment_method: 'paypal' });
    await page.answer('approved');
    return page.id;
  });
}

const idOf = ({ body }: Reply<Submitted>) => body.subscription_id;

interface OwedOptions {
  outcome?: string;
  beforePurchase?: (shop: Shop) => Promise<void>;
}

async function owedBy(
  app: TestApp,
  buy: (shop: Shop) => Promise<string>,
  { outcome = 'success', beforePurchase = async () => {} }: OwedOptions = {},
): Promise<OwedRenewal> {
  const shop = await createOwingShop(app);
  await beforePurchase(shop);
  const id = await buy(shop);
  await reaches(app, shop.consumer, id, 'active');
  await changeCardOutcome(app, { id }, 'declined');
  await failToRenew(app, shop, id);
  const path = await linkIn(app, shop);
  await changeCardOutcome(app, { id }, outcome);
  return { shop, id, path };
}

/** A renewal whose direct debit has failed. The next debits are paid, or fail too. */
export async function owedByDebit(
  app: TestApp,
  iban: (typeof accounts)['failedOnceAtRenewal' | 'failedAtRenewal'] = accounts.failedOnceAtRenewal,
): Promise<OwedRenewal> {
  const shop = await createOwingShop(app);
  await offerDebits(app, shop);
  await createMandate(app, shop, iban);
  const id = idOf(await subscribeByDebit(app, shop));
  await charged(app, id, 'processing');
  await passDays(app, shop.merchant, 6);
  const { current_period_end: endsAt, current_period_start: startsAt } = await reaches(
    app,
    shop.consumer,
    id,
    'active',
  );
  await passDays(app, shop.merchant, (endsAt - startsAt) / 86_400);
  await charged(app, id, 'processing', '2:1');
  // The bank decides after five days, and the first retry is a day later.
  await passDays(app, shop.merchant, 5.5);
  await reaches(app, shop.consumer, id, 'past_due');
  return { shop, id, path: await linkIn(app, shop) };
}

async function createOwingShop(app: TestApp): Promise<Shop> {
  const merchant = await createBrandedMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const item = await createItem(app, merchant);
  return { merchant, consumer, item, fee: await createFee(app, merchant, item.id) };
}

async function linkIn(app: TestApp, { merchant, consumer }: Shop): Promise<string> {
  const mail = await receives(app, merchant, consumer.email, 'payment_failed');
  const [path] = /\/payments\/pay\/[\w-]+/.exec(mail.text ?? '') ?? [];
  if (path === undefined) throw new Error('the mail has no link');
  return path;
}
