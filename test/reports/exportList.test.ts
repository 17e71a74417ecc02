import { get } from 'node:http';
import { call } from '../support/client';
import { createShop, type Shop } from '../support/factories';
import { createFollower } from '../support/world';
import { live, startStory } from '../support/reporting';
import { startApp, type TestApp } from '../support/startApp';
import { answerOf, importStores } from '../support/storeTold';
import { until } from '../support/until';
import { createVoucher } from '../support/vouchers';
import { createWebhook } from '../support/webhooks';

let app: TestApp;
let shop: Shop;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app, { amount: '10.00' });
  await createVoucher(app, shop.merchant, { name: '=1+1' });
  await live(await startStory(app, shop), [['begin', 0]]);
});

afterAll(() => app.stop());

const file = (list: string, token = shop.merchant.token, query = '') =>
  call<string>(app, 'GET', `/reporting/exports/${list}${query}`, undefined, { token });
const rowsOf = async (list: string, query: string) =>
  (await file(list, shop.merchant.token, query)).body.trim().split('\r\n').slice(1);

test.each([
  ['customers', 'id,uuid,email,full_name', () => shop.consumer.email],
  ['subscriptions', 'subscription_id,status', () => ',EUR,10,1,month,'],
  ['movements', 'id,kind,reason', () => ',new,first payment,'],
  ['vouchers', 'id,name,code', () => "'=1+1"],
  ['items', 'id,title', () => 'Cup final'],
  ['accesses', 'id,account_id', () => 'subscription'],
  ['payment-history', 'trx_token,transaction_token', () => ',recurrent,'],
])('200: all %s, with a line that names the columns', async (list, columns, told) => {
  const { status, headers, body } = await file(list);
  const [head, line, ...more] = body.trim().split('\r\n');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(headers.get('content-disposition')).toBe(`attachment; filename="${list}.csv"`);
  expect([head?.startsWith(columns), line?.includes(told()), more]).toEqual([true, true, []]);
});

test('200: each file begins with the UTF-8 mark, so that spreadsheets read every script', async () => {
  await call(app, 'PUT', `/accounts`, { full_name: 'ünï' }, shop.consumer);
  for (const list of ['customers', 'items', 'payment-history']) {
    const answer = await fetch(`${app.address}/reporting/exports/${list}`, {
      headers: { Authorization: `Bearer ${shop.merchant.token}` },
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect([list, bytes.subarray(0, 3).toString('hex')]).toEqual([list, 'efbbbf']);
    if (list === 'customers') expect(bytes.toString()).toContain('ünï');
  }
});

test('400 missing_parameter: a list of one account without an account, and the answer names the field', async () => {
  expect(await file('timeline')).toMatchObject({
    status: 400,
    body: { error: 'missing_parameter', errors: { account_id: 'The account_id must not be empty.' } },
  });
});

test('200: a long list comes whole and once, in parts, and one that nobody reads on is not read on', async () => {
  const other = await createShop(app);
  await app.pool.query(
    `INSERT INTO accounts (uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
     SELECT gen_random_uuid(), $1, $2, 'consumer', n || '@csv.test', n || '@csv.test', repeat('long ', 200), ''
     FROM generate_series(1, 20000) AS n`,
    [other.merchant.id, other.merchant.uuid],
  );
  const { body } = await file('customers', other.merchant.token);
  const ids = body
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => Number(line.split(',')[0]));
  expect([ids.length, new Set(ids).size]).toEqual([20_001, 20_001]);
  const headers = { Authorization: `Bearer ${other.merchant.token}` };
  const request = get(`${app.address}/reporting/exports/customers`, { headers });
  request.on('error', () => undefined);
  await new Promise((resolve) => request.once('response', (response) => response.once('readable', () => resolve(0))));
  request.destroy();
  await until(async () => {
    const { rows } = await app.pool.query<{ busy: number }>(
      `SELECT count(*)::int AS busy FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%full_name, is_active%'
         AND pid <> pg_backend_pid()`,
    );
    return rows[0]?.busy === 0;
  });
});

test.each([
  ['customers', '?search[]=title:ada', '?search[]=title:nobody'],
  ['customers', '?active=true', '?active=inactive'],
  ['subscriptions', '?status=active', '?status=paused'],
  ['movements', '?kind=new,expansion', '?kind=churn_payment'],
  ['movements', '?from=2020-01-01', '?to=2020-01-01'],
  ['movements', '?first=true&customers=true', '?first=false'],
  ['transitions', '?state=active', '?state=on_hold'],
  ['transitions', '?state=active', '?what=renewed,dunning_lost'],
  ['vouchers', '?search[]=name:=1', '?search[]=name:other'],
  ['items', '?item_type=html_asset&active=true', '?item_type=package'],
  ['payment-history', '?type=recurrent', '?type=refund'],
  ['payment-history', '?startDate=2020-01-01', '?endDate=2020-01-01'],
])('200: %s as they were asked for, %s', async (list, wanted, unwanted) => {
  const all = await rowsOf(list, '');
  const some = await rowsOf(list, wanted.replace('ada', encodeURIComponent(shop.consumer.email)));
  expect([some.length > 0, some.every((row) => all.includes(row))]).toEqual([true, true]);
  expect(await rowsOf(list, unwanted)).toEqual([]);
});

test('200: subscriptions of app stores stand in the file as on the page', async () => {
  const other = await createShop(app);
  const { claim } = await importStores();
  const told = { state: 'active', isTrial: false, price: { amount: 4.99, currency: 'EUR' }, transaction: 1 } as const;
  await claim(other, other.consumer, 'apple', answerOf('in-a-file', told, Date.now()));
  const [line, ...more] = (await file('subscriptions', other.merchant.token, '?status=active')).body
    .trim()
    .split('\r\n')
    .slice(1);
  expect(more).toEqual([]);
  expect(line).toContain(`,active,${other.consumer.id},${other.consumer.email},`);
  expect(line).toContain(',EUR,4.99,1,month,');
});

test('200: a deleted voucher is in no file', async () => {
  const voucher = await createVoucher(app, shop.merchant, { name: 'gone' });
  await call(app, 'DELETE', `/vouchers/${voucher.id}`, undefined, shop.merchant);
  expect(await rowsOf('vouchers', '?search[]=name:gone')).toEqual([]);
});

test.each([
  ['items', '?kind=new', 'kind'],
  ['movements', '?search[]=title:x', 'search'],
  ['customers', '?search[]=code:x', 'search'],
  ['transitions', '?from=2026-02-01&to=2026-01-01', 'to'],
])('422: %s has no such filter: %s', async (list, query, field) => {
  const { status, body } = await file(list, shop.merchant.token, query);
  expect(status).toBe(422);
  expect(Object.keys((body as unknown as { errors: object }).errors)).toEqual([field]);
});

test('200: only the rows with these ids', async () => {
  expect(await rowsOf('customers', `?ids[]=${shop.consumer.id}&ids[]=none`)).toHaveLength(1);
  expect(await rowsOf('customers', '?ids[]=2000000000')).toEqual([]);
  expect(await rowsOf('subscriptions', '?ids[]=none')).toEqual([]);
  const [row = ''] = await rowsOf('subscriptions', '');
  expect(await rowsOf('subscriptions', `?ids[]=${row.split(',')[0]}`)).toEqual([row]);
});

test('422 invalid_input: ids of a list that is not chosen from, and more than a hundred', async () => {
  expect((await file('items', shop.merchant.token, '?ids[]=1')).status).toBe(422);
  const many = Array.from({ length: 101 }, (_, index) => `ids[]=${index}`).join('&');
  expect((await file('customers', shop.merchant.token, `?${many}`)).status).toBe(422);
});

test('200: nothing of another merchant', async () => {
  const other = await createShop(app);
  expect((await file('subscriptions', other.merchant.token)).body.trim().split('\r\n')).toHaveLength(1);
});

test('403 forbidden: a follower who may see reports, and not the list', async () => {
  const world = { app, ...shop };
  const reader = await createFollower(world, ['reports:read']);
  expect((await file('customers', reader.token)).status).toBe(403);
  expect((await file('movements', reader.token)).status).toBe(200);
  // Nobody who acts as the follower can give the confirmation.
  expect((await file('movements', reader.acted)).status).toBe(403);
});

const unknown = 2_147_483_647;
const refusal = (error: string) => ({ status: 404, body: { error } });

test('404 item_not_found: before the first line', async () => {
  for (const list of ['access-codes', 'access-fees', 'domains'])
    expect([list, await file(`${list}?item_id=${unknown}`)]).toEqual([list, expect.objectContaining({ status: 404 })]);
  expect(await file(`domains?item_id=${unknown}`)).toMatchObject(refusal('item_not_found'));
});

test('404 access_code_not_found: before the first line', async () => {
  expect(await file(`access-code-devices?item_id=${shop.item.id}&code_id=1`)).toMatchObject(
    refusal('access_code_not_found'),
  );
});

test('404 account_not_found: before the first line', async () => {
  expect(await file(`timeline?account_id=${unknown}`)).toMatchObject(refusal('account_not_found'));
});

test('404 voucher_not_found: before the first line', async () => {
  expect(await file(`voucher-rules?voucher_id=${unknown}`)).toMatchObject(refusal('voucher_not_found'));
});

test('404 webhook_not_found: before the first line', async () => {
  expect(await file(`webhook-deliveries?webhook_id=${unknown}`)).toMatchObject(refusal('webhook_not_found'));
});

test('404 item_not_found: what is another merchant’s is as if it were not there', async () => {
  const other = await createShop(app);
  const voucher = await createVoucher(app, other.merchant);
  const webhook = await createWebhook(app, other.merchant);
  const asked = [
    `access-codes?item_id=${other.item.id}`,
    `access-fees?item_id=${other.item.id}`,
    `timeline?account_id=${other.consumer.id}`,
    `voucher-rules?voucher_id=${voucher.id}`,
    `webhook-deliveries?webhook_id=${webhook.id}`,
  ];
  for (const list of asked) expect([list, (await file(list)).status]).toEqual([list, 404]);
  for (const list of asked.slice(0, 4))
    expect([list, (await file(list, other.merchant.token)).status]).toEqual([list, 200]);
});

test('403 feature_disabled: the list of what is turned off', async () => {
  const other = await createShop(app);
  await call(app, 'PUT', '/v2/features/gifts', { enabled: 'false' }, other.merchant);
  expect(await file('gifts', other.merchant.token)).toMatchObject({ status: 403, body: { error: 'feature_disabled' } });
});

test('403 forbidden: a follower is shown no other followers', async () => {
  const reader = await createFollower({ app, ...shop }, ['reports:read']);
  expect((await file('followers', reader.acted)).status).toBe(403);
});

test('200: what somebody left as a formula is a text', async () => {
  const left = { email: 'left@csv.test', full_name: '=HYPERLINK("http://evil")', merchant_uuid: shop.merchant.uuid };
  await call(app, 'POST', '/v2/accounts/customers/data-capture', left);
  expect((await rowsOf('data-captures', ''))[0]).toContain(`left@csv.test,"'=HYPERLINK(""http://evil"")",`);
});

test('404 not_found: a list that there is none of', async () => {
  expect((await file('secrets')).status).toBe(404);
});
