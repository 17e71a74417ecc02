import { call } from '../support/client';
import { giveByHand } from '../support/access';
import { createOffer } from '../support/cancelOffers';
import {
  cards,
  createConsumer,
  createFee,
  createItem,
  type Person,
  purchase,
  reaches,
  type Shop,
  type Submitted,
} from '../support/factories';
import { createBrandedMerchant } from '../support/paywall';
import { failToRenew } from '../support/testClock';
import { type TestApp } from '../support/startApp';
import { giveGift } from '../support/vouchers';

/** A magazine with a brand, prices and readers: what the pictures of customers' pages show. */

export interface Magazine {
  merchant: Person;
  itemId: number;
}

export const brand = {
  brand_name: 'The Paywall Weekly',
  paywall_primary_color: '#b4341f',
  paywall_secondary_color: '#62636c',
  paywall_buttons_bg_color: '#b4341f',
  paywall_buttons_text_color: '#ffffff',
  preview_buttons_bg_color: '#b4341f',
  preview_buttons_text_color: '#ffffff',
  preview_top_border: false,
  paywall_footer: '<p>The Paywall Weekly, Zürich</p>',
  paywall_brand_logo: '',
  terms_url: 'https://weekly.example/terms',
};

export const metadata = {
  preview_title: 'Read everything, without limits',
  preview_description: 'One long read a week, the full archive since 2011, and every audio edition.',
};

export async function createMagazine(app: TestApp, changes: Record<string, unknown> = {}): Promise<Magazine> {
  const merchant = await createBrandedMerchant(app, { ...brand, ...changes });
  const { item } = await sellMagazine(app, merchant);
  return { merchant, itemId: item.id };
}

/** Magazines with the seven layouts of the paywall. */
export async function createLayouts(app: TestApp): Promise<Magazine[]> {
  const layouts = [];
  for (const template_id of [1, 2, 3, 4, 5, 6, 7]) layouts.push(await createMagazine(app, { template_id }));
  return layouts;
}

async function sellMagazine(app: TestApp, merchant: Person) {
  const fields = { title: 'The Paywall Weekly', content: '<h1>Issue 48</h1>', metadata };
  const item = await createItem(app, merchant, fields);
  const fee = await createFee(app, merchant, item.id, { description: 'Monthly' });
  await createFee(app, merchant, item.id, { description: 'Yearly', period: 'year', amount: '99.00' });
  return { item, fee };
}

/** The person with a name and an address as people have them. Those of the tests are long. */
export async function named(app: TestApp, person: Person, name: string, email: string): Promise<Person> {
  const values = [person.id, name, email];
  await app.pool.query('UPDATE accounts SET full_name = $2, email = $3, email_normalized = $3 WHERE id = $1', values);
  return { ...person, email };
}

/** A reader of the portal, and the subscriptions by their states. */
export interface Reading {
  shop: Shop;
  active: string;
  pastDue: string;
}

/** A reader with a subscription, an overdue one, an item from the merchant, and a gift to a friend. */
export async function createReading(app: TestApp): Promise<Reading> {
  const merchant = await createBrandedMerchant(app, brand);
  const reader = await createConsumer(app, merchant);
  const consumer = await named(app, reader, 'Ana Petrova', 'ana@readers.example');
  const shop = { merchant, consumer, ...(await sellMagazine(app, merchant)) };
  const pastDue = await subscribeToAudio(app, shop);
  const active = await buy(app, shop, shop.fee, cards.success);
  const item = await createItem(app, merchant, { title: 'The final, live' });
  // The clock of the merchant is a month ahead.
  const expires_at = Math.floor(Date.now() / 1000) + 90 * 86_400;
  await giveByHand(app, { merchant, consumer, item }, { expires_at });
  await giveGift(shop, 'bea@friends.example.org');
  await createOffer(app, merchant);
  return { shop, active, pastDue };
}

async function subscribeToAudio(app: TestApp, shop: Shop): Promise<string> {
  const audio = await createItem(app, shop.merchant, { title: 'Audio edition' });
  const fee = await createFee(app, shop.merchant, audio.id, { description: 'Monthly', amount: '4.99' });
  const id = await buy(app, shop, fee, cards.declinedAtRenewal);
  await failToRenew(app, shop, id);
  return id;
}

async function buy(app: TestApp, { consumer }: Shop, fee: Shop['fee'], card: string): Promise<string> {
  const { body } = await call<Submitted>(app, 'POST', '/subscriptions', purchase({ fee }, card), consumer);
  await reaches(app, consumer, body.subscription_id, 'active');
  return body.subscription_id;
}
