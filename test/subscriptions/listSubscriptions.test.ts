import { call } from '../support/client';
import {
  createConsumer,
  createFee,
  createItem,
  createMerchant,
  createShop,
  purchase,
  type Person,
  type Shop,
  type SubscriptionRow,
  type Submitted,
} from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;
let consumer: Person;
let neighbour: Person;
/** Of the consumer, oldest first. */
let tokens: string[];
let shops: Shop[];

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
  consumer = await createConsumer(app, merchant);
  neighbour = await createConsumer(app, merchant);
  shops = await Promise.all(Array.from({ length: 4 }, () => createShopOf(merchant)));
  tokens = [];
  for (const shop of shops) tokens.push(await buy(shop));
  await buy({ ...(shops[0] as Shop), consumer: neighbour });
  await buy(await createShop(app));
});

afterAll(() => app.stop());

async function createShopOf(owner: Person): Promise<Shop> {
  const item = await createItem(app, owner);
  return { merchant: owner, consumer, item, fee: await createFee(app, owner, item.id) };
}

async function buy(shop: Shop): Promise<string> {
  const { body } = await call<Submitted>(app, 'POST', '/subscriptions', purchase(shop), shop.consumer);
  return body.subscription_id;
}

interface Page {
  total: number;
  page: number;
  offset: number;
  limit: number;
  next_cursor: string | null;
  collection: SubscriptionRow[];
}

const list = (query = '', person: Pick<Person, 'token'> = consumer) =>
  call<Page>(app, 'GET', `/subscriptions${query}`, undefined, person);

/** The rows of the consumer by their number, 0 for the oldest. */
const rowsOf = ({ body }: Awaited<ReturnType<typeof list>>) =>
  body.collection.map(({ subscription_id }) => tokens.indexOf(subscription_id));

test('200: newest first, fifteen to a page, and only its own', async () => {
  const reply = await list();
  expect(reply).toMatchObject({ status: 200, body: { total: 4, page: 1, offset: 0, limit: 15 } });
  expect(rowsOf(reply)).toEqual([3, 2, 1, 0]);
});

test('200: a row in both vocabularies that clients read, and without `amount`', async () => {
  const [row] = (await list('?limit=1')).body.collection;
  const shop = shops[3];
  expect(row).toEqual({
    subscription_id: tokens[3],
    id: expect.any(Number) as number,
    status: 'incomplete',
    action_type: 'incomplete',
    cancel_token: expect.stringMatching(/^[\da-f]{32}$/) as string,
    description: 'Monthly pass',
    item_id: shop?.item.id,
    asset_id: shop?.item.id,
    item_title: 'Cup final',
    asset_title: 'Cup final',
    item_type: 'html_asset',
    access_fee_id: shop?.fee.id,
    access_type: { id: expect.any(Number) as number, name: 'subscription', quantity: 1, period: 'month' },
    formatted_amount: '€9.99',
    charged_amount: 9.99,
    subscription_price: 9.99,
    currency: 'EUR',
    merchant_id: merchant.id,
    account_id: consumer.id,
    payment_method_name: 'Card',
    payment_tool_info: '4242',
    voucher_code: '',
    trial_end: 0,
    current_period_start: 0,
    current_period_end: 0,
    next_billing_date: 0,
    next_rebill_date: 0,
    cancel_at_period_end: false,
    canceled_at: 0,
    ended_at: 0,
    failure_reason: '',
    next_amount: 9.99,
    offer_percent: 0,
    offer_charges_left: 0,
    pauses_at_period_end: false,
    resumes_at: 0,
    grace_ends_at: 0,
    next_retry_at: 0,
    pending_access_fee_id: 0,
    balance: 0,
    unsubscribe_url: expect.any(String) as string,
    created_at: expect.any(Number) as number,
    updated_at: expect.any(Number) as number,
  });
});

test.each([
  ['?page=0&limit=3', { page: 1, offset: 0, limit: 3 }, [3, 2, 1]],
  ['?page=1&limit=3', { page: 1, offset: 0, limit: 3 }, [3, 2, 1]],
  ['?page=2&limit=3', { page: 2, offset: 3, limit: 3 }, [0]],
  ['?page=3&limit=3', { page: 3, offset: 6, limit: 3 }, []],
  ['?size=2', { page: 1, offset: 0, limit: 2 }, [3, 2]],
  ['?size=1&limit=4', { page: 1, offset: 0, limit: 1 }, [3]],
  ['?limit=500&page=', { page: 1, offset: 0, limit: 500 }, [3, 2, 1, 0]],
  ['?page=1000000&size=500', { page: 1_000_000, offset: 499_999_500, limit: 500 }, []],
])('200: %s', async (query, place, rows) => {
  const reply = await list(query);
  expect(reply.body).toMatchObject({ ...place, total: 4 });
  expect(rowsOf(reply)).toEqual(rows);
});

test('200: pages repeat and skip nothing if ids and times of creation differ in order', async () => {
  const shop = await createShop(app);
  const bought: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    const own = await createConsumer(app, shop.merchant);
    bought.push(await buy({ ...shop, consumer: own }));
  }
  // Later ids have earlier times. The third and the fourth row have the same time.
  const hours = [1, 2, 3, 3, 5, 6];
  for (const [index, token] of bought.entries())
    await app.pool.query(`UPDATE subscriptions SET created_at = now() - make_interval(hours => $2) WHERE token = $1`, [
      token,
      hours[index],
    ]);
  await app.pool.query(
    `UPDATE subscriptions s SET created_at = o.created_at FROM subscriptions o WHERE s.token = $1 AND o.token = $2`,
    [bought[3], bought[2]],
  );
  const read = [1, 2, 3].map(async (page) => (await list(`?limit=2&page=${page}`, shop.merchant)).body.collection);
  const tokensRead = (await Promise.all(read)).flat().map(({ subscription_id }) => subscription_id);
  const newestFirst = [0, 1, 3, 2, 4, 5].map((index) => bought[index]);
  expect(tokensRead).toEqual(newestFirst);
});

test('200: a cursor continues after the last row, whatever was bought since', async () => {
  const shop = await createShop(app);
  const buyOnce = async () => buy({ ...shop, consumer: await createConsumer(app, shop.merchant) });
  const bought: string[] = [];
  for (let n = 0; n < 4; n += 1) bought.push(await buyOnce());
  const read: string[] = [];
  let query = '?limit=2';
  for (;;) {
    const { body } = await list(query, shop.merchant);
    read.push(...body.collection.map(({ subscription_id }) => subscription_id));
    if (body.next_cursor === null) break;
    await buyOnce();
    query = `?limit=2&cursor=${body.next_cursor}`;
  }
  expect(read).toEqual(bought.toReversed());
  const other = await createShop(app);
  const { body } = await list('?limit=2', shop.merchant);
  expect((await list(`?cursor=${body.next_cursor ?? ''}`, other.merchant)).body).toMatchObject({ collection: [] });
});

test.each(['x', 'W10', Buffer.from('[1.5]').toString('base64url'), Buffer.from('[1]').toString('base64url')])(
  '422 invalid_input: the cursor %s, which this list never returns',
  async (cursor) => {
    expect(await list(`?cursor=${cursor}`, merchant)).toMatchObject({
      status: 422,
      body: { errors: { cursor: expect.stringContaining('cursor') as string } },
    });
  },
);

test('200: by item and by state', async () => {
  expect(rowsOf(await list(`?item_id=${shops[1]?.item.id}`))).toEqual([1]);
  expect((await list('?item_id=2147483647')).body).toMatchObject({ total: 0, collection: [] });
  await app.pool.query(`UPDATE subscriptions SET state = 'expired', ended_at = now() WHERE token = $1`, [tokens[2]]);
  expect(rowsOf(await list('?status=expired'))).toEqual([2]);
  expect(rowsOf(await list('?status=incomplete'))).toEqual([3, 1, 0]);
  expect((await list('?status=expired')).body.collection[0]).toMatchObject({ status: 'expired', action_type: 'ended' });
});

test('200: a merchant sees those of its customers, of one with account_id, and of nobody else', async () => {
  expect((await list('', merchant)).body.total).toBe(5);
  expect((await list(`?account_id=${consumer.id}`, merchant)).body.total).toBe(4);
  expect((await list(`?account_id=${neighbour.id}`, merchant)).body.total).toBe(1);
  const other = await createMerchant(app);
  expect((await list(`?account_id=${consumer.id}`, other)).body.total).toBe(0);
  expect((await list(`?item_id=${shops[0]?.item.id}`, other)).body.total).toBe(0);
});

test('200: a consumer that names another account sees its own all the same', async () => {
  expect((await list(`?account_id=${neighbour.id}`)).body.total).toBe(4);
  expect((await list(`?account_id=${consumer.id}`, neighbour)).body.total).toBe(1);
});

test('401 invalid_auth_token: nobody', async () => {
  expect(await list('', { token: 'x' })).toMatchObject({ status: 401, body: { error: 'invalid_auth_token' } });
});

test.each([
  'page=-1',
  'page=x',
  'page=1000001',
  'limit=0',
  'limit=501',
  'size=1.5',
  'status=unknown',
  'status[]=active&status[]=expired',
  'account_id=0',
  'item_id=undefined',
  'item_id[$gt]=0',
])('422 invalid_input: ?%s', async (query) => {
  const { status, body } = await call<{ errors: object }>(app, 'GET', `/subscriptions?${query}`, undefined, consumer);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [query.split(/[=[]/)[0]] });
});

test('200: without purchases whose first payment never came, in the list, its pages and its file', async () => {
  const shop = await createShop(app);
  const rows: string[] = [];
  for (let n = 0; n < 4; n += 1) rows.push(await buy({ ...shop, consumer: await createConsumer(app, shop.merchant) }));
  const [first = '', declined = '', third = '', last = ''] = rows;
  await app.pool.query(`UPDATE subscriptions SET state = 'incomplete_expired', ended_at = now() WHERE token = $1`, [
    declined,
  ]);
  const found = async (query: string) =>
    (await list(query, shop.merchant)).body.collection.map(({ subscription_id: id }) => id);
  expect(await found('')).toEqual([last, third, declined, first]);
  expect(await found('?never_paid=true')).toEqual([last, third, declined, first]);
  expect(await found('?never_paid=false')).toEqual([last, third, first]);
  expect(await found('?never_paid=false&sort=period_end&order=asc')).toEqual([first, third, last]);
  expect(await found('?never_paid=false&status=incomplete_expired')).toEqual([]);
  const { body } = await list('?never_paid=false&limit=2', shop.merchant);
  expect([body.total, body.next_cursor === null]).toEqual([3, false]);
  expect(await found(`?never_paid=false&limit=2&cursor=${body.next_cursor}`)).toEqual([first]);
  for (const order of ['', '&sort=created&order=desc']) {
    const path = `/reporting/exports/subscriptions?never_paid=false${order}`;
    const file = await fetch(`${app.address}${path}`, { headers: { authorization: `Bearer ${shop.merchant.token}` } });
    const [, ...lines] = (await file.text()).trim().split('\r\n');
    expect(lines.map((line) => line.split(',')[0])).toEqual([last, third, first]);
  }
});

test('422 invalid_input: never_paid is neither true nor false', async () => {
  const reply = await list('?never_paid=maybe', merchant);
  expect(reply).toMatchObject({ status: 422, body: { errors: { never_paid: expect.any(String) as string } } });
});
