import { askedBy } from '../support/asked';
import { call } from '../support/client';
import { copyRow } from '../support/copies';
import { createConsumer, createShop, type Shop, subscribe } from '../support/factories';
import { rowsReadBy } from '../support/plans';
import { startApp, type TestApp } from '../support/startApp';
import { vacuum } from '../support/vacuum';

/** A page of subscriptions is read from an index, however many other rows there are. */

let app: TestApp;
let shop: Shop;

const many = 20_000;
const real = 5;

async function idOf(): Promise<number> {
  const consumer = await createConsumer(app, shop.merchant);
  const { body } = await subscribe(app, { ...shop, consumer });
  const { rows } = await app.pool.query<{ id: number }>('SELECT id FROM subscriptions WHERE token = $1', [
    body.subscription_id,
  ]);
  return rows[0]?.id ?? 0;
}

/** Most attempts are newer than all subscriptions. */
beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app);
  const [begun, unpaid] = [await idOf(), await idOf()];
  const copy = (id: number, count: number, state: string, time: string) =>
    copyRow(app, 'subscriptions', {
      id,
      count,
      changes: { token: `'${state}-' || n`, state: `'${state}'`, ended_at: 'now()', created_at: time },
    });
  await copy(begun, real, 'expired', `now() - interval '5 years' + n * interval '1 hour'`);
  await copy(unpaid, many, 'incomplete_expired', `now() - n * interval '1 hour'`);
  await copy(unpaid, many, 'canceled', `now() - interval '6 years' - n * interval '1 hour'`);
  await app.pool.query(`UPDATE subscriptions SET state = 'incomplete_expired' WHERE state = 'incomplete'`);
  await vacuum(app.pool, ['subscriptions']);
}, 120_000);
afterAll(() => app.stop());

test.each([
  ['without attempts that were never paid', 'never_paid=false'],
  ['without attempts that were never paid, of an item', 'never_paid=false&item_id={item}'],
  ['without attempts that were never paid, by the end of the period', 'never_paid=false&sort=period_end&order=asc'],
  ['in a rare state', 'status=expired'],
  ['in a rare state, without attempts that were never paid', 'status=expired&never_paid=false'],
])('200: a page %s', async (_, query) => {
  const asked = await askedBy(async () => {
    const path = `/subscriptions?limit=${real}&${query.replace('{item}', String(shop.item.id))}`;
    const { body } = await call<{ collection: object[] }>(app, 'GET', path, undefined, shop.merchant);
    expect(body.collection).toHaveLength(real);
  });
  const page = asked.find(({ text }) => text.includes('both_kinds') && text.includes('LIMIT'));
  if (!page) throw new Error('no page was read');
  // Each row is read with its details from some tables.
  expect([page.text, (await rowsReadBy(page)) <= 12 * real]).toEqual([page.text, true]);
});
