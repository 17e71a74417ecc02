import { call } from './client';
import { cards, createConsumer, createFee, createItem, type Person, reaches, type Shop, subscribe } from './factories';
import { receives } from './mailbox';
import { pathIn } from './mailedLinks';
import { createBrandedMerchant } from './paywall';
import { type TestApp } from './startApp';
import { failToRenew } from './testClock';

/** A subscription, and the path of the signed link in a mail about it. */
export interface LinkedPlan {
  shop: Shop;
  id: string;
  path: string;
}

async function subscribed(app: TestApp, card: string) {
  const merchant = await createBrandedMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const item = await createItem(app, merchant);
  const shop = { merchant, consumer, item, fee: await createFee(app, merchant, item.id) };
  const { subscription_id: id } = (await subscribe(app, shop, card)).body;
  await reaches(app, consumer, id, 'active');
  return { shop, id };
}

/** A renewal that needs another card, and the link to enter one. */
export async function planWithoutCard(app: TestApp): Promise<LinkedPlan> {
  const { shop, id } = await subscribed(app, cards.lostAtRenewal);
  await failToRenew(app, shop, id);
  const mail = await receives(app, shop.merchant, shop.consumer.email, 'card_needed');
  return { shop, id, path: pathIn(mail, '/payments/card/') };
}

/** A subscription that is canceled for the end of its period, and the link to keep it. */
export async function canceledPlan(app: TestApp): Promise<LinkedPlan> {
  const { shop, id } = await subscribed(app, cards.success);
  return { shop, id, path: await cancel(app, shop, id) };
}

/** Cancels for the end of the period, and returns the link of the mail. */
export async function cancel(app: TestApp, { merchant, consumer }: Shop, id: string, after = 0): Promise<string> {
  await call(app, 'DELETE', `/subscriptions/${id}`, undefined, consumer);
  const mail = await receives(app, merchant, consumer.email, 'subscription_canceled', after);
  return pathIn(mail, '/subscriptions/keep/');
}

/** Opens the page of a link as a browser does, without a session. */
export const openLink = (app: TestApp, path: string, language = 'en') =>
  call<string>(app, 'GET', path, undefined, { headers: { 'Accept-Language': language, Accept: 'text/html' } });

/** Presses the button of the page. */
export const pressButton = (app: TestApp, path: string, fields?: Record<string, string>) =>
  call<string>(app, 'POST', path, fields, { headers: { Accept: 'text/html' } });

/** Eight days later by the clock of this machine. */
export async function afterEightDays<T>(work: () => Promise<T>): Promise<T> {
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 8 * 86_400_000);
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}

/** The account is being erased. */
export const beginErasure = ({ pool }: TestApp, { id }: Person) =>
  pool.query('UPDATE accounts SET erasing_at = now() WHERE id = $1', [id]);
