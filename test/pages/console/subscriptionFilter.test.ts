import {
  createConsumer,
  createFee,
  createItem,
  createShop,
  type Person,
  type Shop,
  subscribe,
} from '../../support/factories';
import { createFollower } from '../../support/followers';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';

/** The list of subscriptions of a merchant by state, item and customer. */

let app: TestApp;
let shop: Shop;
let other: Shop;
let walker: PageWalker;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app);
  await subscribe(app, shop);
  const item = await createItem(app, shop.merchant, { title: 'Audio edition' });
  const consumer = await createConsumer(app, shop.merchant);
  other = { ...shop, item, consumer, fee: await createFee(app, shop.merchant, item.id) };
  await subscribe(app, other);
  walker = await enterConsole(app, shop.merchant.email);
});
afterAll(() => app.stop());

const path = '/console/subscriptions';
const shown = async (query: Record<string, string>) => {
  const { status, text } = await walker.open(`${path}?${new URLSearchParams(query).toString()}`);
  const rows = [shop, other].filter(({ consumer }) => text.includes(`<a href="/console/customers/${consumer.id}"`));
  return { status, text, items: rows.map(({ item }) => item.id) };
};

test('200: all, those of an item, and those of a customer', async () => {
  expect((await shown({})).items).toEqual([shop.item.id, other.item.id]);
  expect((await shown({ item_id: String(other.item.id) })).items).toEqual([other.item.id]);
  expect((await shown({ customer: ` ${shop.consumer.email.toUpperCase()}` })).items).toEqual([shop.item.id]);
  expect((await shown({ customer: String(other.consumer.id) })).items).toEqual([other.item.id]);
  expect((await shown({ customer: shop.consumer.email, item_id: String(other.item.id) })).items).toEqual([]);
});

test('200: the item of a filter is chosen in its form, and its file and its saved filter keep it', async () => {
  const { text } = await shown({ item_id: String(other.item.id) });
  expect(text).toMatch(new RegExp(`<option value="${other.item.id}" selected\\s*>Audio edition`));
  expect(text).toContain(`/console/csv/subscriptions?never_paid=false&amp;item_id=${other.item.id}`);
  expect(text).toContain(`name="filter_item_id" value="${other.item.id}"`);
});

async function createNamed(email: string, name: string): Promise<Person> {
  const consumer = await createConsumer(app, shop.merchant);
  await app.pool.query('UPDATE accounts SET email = $2, full_name = $3 WHERE id = $1', [consumer.id, email, name]);
  return consumer;
}

test('200: a customer whose address or name is a part of those of newer customers', async () => {
  const consumer = await createNamed('ann@lee.example', 'Ann Lee');
  await subscribe(app, { ...shop, consumer });
  await createNamed('joann@lee.example', 'Joann Lee');
  await createNamed('maryann@lee.example', 'Ann Leeson');
  for (const customer of ['ann@lee.example', ' ANN LEE ']) {
    const { status, text } = await shown({ customer });
    expect(status).toBe(200);
    expect(text).toContain(`<a href="/console/customers/${consumer.id}"`);
  }
});

test('422: a customer whom the merchant does not have, and a term that fits several', async () => {
  for (const customer of ['nobody@example.org', '@example.org']) {
    const { status, text, items } = await shown({ customer });
    expect([status, items]).toEqual([422, []]);
    expect(text).toContain('Enter the full email address');
  }
});

test('422: a customer of more than 200 letters, a state and an item that do not exist show the form with the error of the field', async () => {
  for (const [name, value] of [
    ['customer', 'x'.repeat(201)],
    ['customer', '1'.repeat(201)],
    ['status', 'odd'],
    ['item_id', 'x'],
  ] as const) {
    const { status, text } = await shown({ [name]: value });
    expect(status).toBe(422);
    expect(text).toContain('action="/console/subscriptions"');
    expect(text).toMatch(new RegExp(`<(input|select)[^>]*name="${name}"[^>]*aria-invalid="true"`));
  }
});

test('200: an attempt that was never paid is shown only on request, in the list, its file and the page of the customer', async () => {
  const consumer = await createConsumer(app, shop.merchant);
  const { body } = await subscribe(app, { ...shop, consumer });
  await app.pool.query(`UPDATE subscriptions SET state = 'incomplete_expired', ended_at = now() WHERE token = $1`, [
    body.subscription_id,
  ]);
  const link = `<a href="/console/subscriptions/${body.subscription_id}"`;
  const all = await shown({});
  expect(all.text).not.toContain(link);
  expect(all.text).toContain('/console/csv/subscriptions?never_paid=false');
  expect((await shown({ customer: consumer.email })).text).not.toContain(link);
  expect((await shown({ status: 'incomplete_expired' })).text).toContain(link);
  const { text } = await walker.open(`/console/customers/${consumer.id}`);
  expect(text).not.toContain(link);
  const [, address = ''] = /href="(\/console\/subscriptions\?status=incomplete_expired[^"]+)"/.exec(text) ?? [];
  expect((await walker.open(address.replaceAll('&amp;', '&'))).text).toContain(link);
  expect((await walker.open(`/console/customers/${shop.consumer.id}`)).text).not.toContain('status=incomplete_expired');
});

test('200: a customer of spaces counts as none', async () => {
  expect((await shown({ customer: '   ' })).items).toEqual([shop.item.id, other.item.id]);
});

test('200: a follower without the rights has neither the items nor the customers, and reads that the list is not filtered', async () => {
  const follower = await createFollower(app, shop.merchant, ['payments:read']);
  const followers = await enterConsole(app, follower.email);
  const { status, text } = await followers.open(`${path}?customer=x`);
  expect(status).toBe(200);
  expect(text).not.toContain('name="item_id"');
  expect(text).not.toContain('name="customer"');
  expect(text).toContain('The filter by customer is not applied, because you do not have the right “View customers”.');
  expect((await followers.open(path)).text).not.toContain('filter by customer is not applied');
});
