import { randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { type BatchPage, type BatchResponse } from '../../../src/vouchers/batches.schemas';
import { call, type Reply } from '../../support/client';
import { createConsumer, createShop, purchase, type Shop } from '../../support/factories';
import { type ErrorBody } from '../../support/raw';
import { startApp, type TestApp } from '../../support/startApp';
import { voucherFields, type Voucher } from '../../support/vouchers';
import { reservationOf, reserve } from '../../support/voucherUses';

type Batch = z.output<typeof BatchResponse>;

let app: TestApp;
let shop: Shop;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());
beforeEach(async () => (shop = await createShop(app)));

const create = <Body = Batch>(
  fields: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Reply<Body>> => {
  const caller = { ...shop.merchant, headers };
  return call<Body>(app, 'POST', '/v2/voucher-batches', { ...voucherFields, ...fields }, caller);
};

async function codesOf(id: number): Promise<string[]> {
  const text = 'SELECT code FROM vouchers WHERE batch_id = $1 ORDER BY id';
  return (await app.pool.query<{ code: string }>(text, [id])).rows.map(({ code }) => code);
}

/** The number of vouchers and batches that the merchant has. */
async function stored(): Promise<unknown> {
  const text = `SELECT (SELECT count(*)::int FROM vouchers WHERE merchant_id = $1) AS vouchers,
    (SELECT count(*)::int FROM voucher_batches WHERE merchant_id = $1) AS batches`;
  return (await app.pool.query<object>(text, [shop.merchant.id])).rows[0];
}

const list = async () =>
  (await call<z.output<typeof BatchPage>>(app, 'GET', '/v2/voucher-batches', undefined, shop.merchant)).body;

async function readFile(list: string): Promise<string> {
  const headers = { Authorization: `Bearer ${shop.merchant.token}` };
  const response = await fetch(`${app.address}/reporting/exports/${list}`, { headers });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer()).toString('utf8');
}

test('201: the requested number of different codes, with prefix and suffix, each for one use', async () => {
  const { status, body } = await create({ count: 25, prefix: 'FAIR-', suffix: '-24' });
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { name: 'Spring', prefix: 'FAIR-', suffix: '-24', count: 25, uses: 0 },
  });
  const codes = await codesOf(body.id);
  expect(new Set(codes).size).toBe(25);
  for (const code of codes) expect(code).toMatch(/^FAIR-[A-HJ-NP-Z2-9]{10}-24$/);
  const path = `/vouchers?search[]=batch:${body.id}&size=100`;
  const { body: page } = await call<{ collection: Voucher[] }>(app, 'GET', path, undefined, shop.merchant);
  expect(page.collection).toHaveLength(25);
  for (const voucher of page.collection)
    expect(voucher).toMatchObject({ batch_id: body.id, discount: 25, usage_limit: 1, usage_counter: 0, length: 10 });
});

test('201: one code, and ten thousand in one request, each with a rule', async () => {
  expect(await codesOf((await create({ count: 1 })).body.id)).toHaveLength(1);
  const { body } = await create({ count: 10_000, rules: [{ rule_type: 'assets', value: shop.item.id }] });
  expect(new Set(await codesOf(body.id)).size).toBe(10_000);
  const text =
    'SELECT FROM voucher_rules r JOIN vouchers v ON v.id = r.voucher_id WHERE v.batch_id = $1 AND r.item_id = $2';
  expect((await app.pool.query(text, [body.id, shop.item.id])).rowCount).toBe(10_000);
});

test.each([
  ['count', { count: 0 }],
  ['count', { count: 10_001 }],
  ['count', { count: 1.5 }],
  ['length', { count: 1, length: 7 }],
  ['length', { count: 1, length: 51 }],
  ['prefix', { count: 1, prefix: 'with blanks' }],
  ['end_date', { count: 1, end_date: '2019-01-01' }],
  ['discount', { count: 1, discount_amount: 1, discount_currency: 'EUR' }],
  ['rules', { count: 1, rules: Array.from({ length: 11 }, () => ({ rule_type: 'assets', value: 1 })) }],
])('422 invalid_input: %s, and nothing is written: %j', async (name, fields) => {
  const { status, body } = await create<ErrorBody>(fields);
  expect({ status, names: Object.keys(body.errors ?? {}) }).toEqual({ status: 422, names: [name] });
  expect(await stored()).toEqual({ vouchers: 0, batches: 0 });
});

test('422 invalid_input: the error of count names its limits', async () => {
  const { body } = await create<ErrorBody>({ count: 10_001 });
  expect(body.errors).toEqual({ count: 'The count must be at most 10000.' });
});

test('400 missing_parameter: without a count', async () => {
  expect((await create<ErrorBody>({})).body.errors).toEqual({ count: 'The count must not be empty.' });
});

async function expectRefusedRule(rule_type: string, value: number, refusal: object): Promise<void> {
  expect(await create<ErrorBody>({ count: 3, rules: [{ rule_type, value }] })).toMatchObject(refusal);
  expect(await stored()).toEqual({ vouchers: 0, batches: 0 });
}

test('404 item_not_found: a rule about another merchant’s item writes nothing', async () => {
  const { item } = await createShop(app);
  await expectRefusedRule('assets', item.id, { status: 404, body: { error: 'item_not_found' } });
});

test('404 access_fee_not_found: a rule about another merchant’s fee writes nothing', async () => {
  const { fee } = await createShop(app);
  await expectRefusedRule('access_fees', fee.id, { status: 404, body: { error: 'access_fee_not_found' } });
});

test('400 account_does_not_exist: a rule about another merchant’s customer writes nothing', async () => {
  const { consumer } = await createShop(app);
  await expectRefusedRule('emails', consumer.id, { status: 400, body: { error: 'account_does_not_exist' } });
});

test('201: the same Idempotency-Key makes one batch, even for two requests at once', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const atOnce = await Promise.all([1, 2].map(() => create({ count: 5 }, headers)));
  for (const { status } of atOnce) expect([201, 409]).toContain(status);
  expect(await create({ count: 5 }, headers)).toMatchObject({ status: 201, body: { count: 5 } });
  expect(await stored()).toEqual({ vouchers: 5, batches: 1 });
});

test('200: a code of a batch is a voucher, and the list and the file of batches count its uses', async () => {
  const { body: first } = await create({ count: 2, name: 'First' });
  const { body: second } = await create({ count: 1, name: 'Second' });
  const [voucher_code] = await codesOf(first.id);
  const fields = { ...purchase(shop), voucher_code };
  expect((await call(app, 'POST', '/subscriptions', fields, shop.consumer)).status).toBe(202);
  expect((await list()).collection).toMatchObject([
    { id: second.id, name: 'Second', count: 1, uses: 0 },
    { id: first.id, name: 'First', count: 2, uses: 1 },
  ]);
  const file = (await readFile('voucher-batches')).split('\r\n');
  expect(file.slice(1, 3).map((line) => line.split(',').slice(0, 6))).toEqual([
    [String(second.id), 'Second', '', '', '1', '0'],
    [String(first.id), 'First', '', '', '2', '1'],
  ]);
  const friend = await createConsumer(app, shop.merchant);
  const again = await call<ErrorBody>(app, 'POST', '/subscriptions', fields, friend);
  expect(again).toMatchObject({ status: 404, body: { error: 'voucher_not_found' } });
});

test('422 voucher_customer_limit: a customer can use one of three codes of a batch, even at the same time', async () => {
  const { body } = await create({ count: 3, usage_limit_per_customer: 1 });
  const codes = await codesOf(body.id);
  const replies = await Promise.allSettled(codes.map((code) => reserve(reservationOf(shop, code))));
  expect(replies.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  for (const reply of replies)
    if (reply.status === 'rejected') expect(reply.reason).toMatchObject({ code: 'voucher_customer_limit' });
});

test('200: the codes of one batch as a file for spreadsheets', async () => {
  const { body } = await create({ count: 3 });
  await create({ count: 2 });
  const file = await readFile(`vouchers?search[]=batch:${body.id}`);
  expect(file.charCodeAt(0)).toBe(0xfeff);
  const [head = '', ...lines] = file.slice(1).trim().split('\r\n');
  const columns = head.split(',');
  expect(columns).toEqual(expect.arrayContaining(['code', 'usage_counter', 'usage_limit', 'batch_id']));
  const codes = lines.map((line) => line.split(',')[columns.indexOf('code')]);
  expect(codes.sort()).toEqual((await codesOf(body.id)).sort());
});
