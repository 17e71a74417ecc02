import { randomUUID } from 'node:crypto';
import { type ChildProgram } from '../support/childProcess';
import { call, type Method, type Reply } from '../support/client';
import { purchase, type Person, type Shop } from '../support/factories';
import { createPayShop, pay, settles } from '../support/payments';
import { type ApiCrashPoint } from '../support/crashingApi';
import { prepareApi, type ChildApi } from '../support/startApi';
import { queryBooks } from '../support/providerBooks';
import { accessesOf, customersOf, fileOf, newAddresses, nextYear } from '../support/customerFiles';

/** The API is killed around the COMMIT of a request with a key. A repetition is the same request. */

let api: ChildApi;

beforeAll(async () => {
  api = await prepareApi();
  await api.startWorker();
});

afterAll(() => api.stop());

type Send = () => Promise<Reply<Record<string, unknown>>>;

function keyed(caller: Person, method: Method, path: string, body: Record<string, unknown>): Send {
  const options = { token: caller.token, headers: { 'Idempotency-Key': randomUUID() } };
  return () => call(api, method, path, body, options);
}

/** Prepares on a healthy API, sends to one that dies, and repeats on a healthy one. Returns the last answer and its time. */
async function killedWhileSending(point: ApiCrashPoint, prepare: () => Promise<Send>) {
  const whole = await api.start();
  const send = await prepare();
  await whole.kill();
  const crashing = await api.start({ CRASH_AT: point });
  await expect(send()).rejects.toThrow();
  expect(await crashing.ended).toBe('SIGKILL');
  const another: ChildProgram = await api.start();
  const first = await send();
  for (const ago of ['5 seconds', '3 minutes']) {
    await api.pool.query('UPDATE idempotency_keys SET created_at = now() - $1::interval', [ago]);
    expect(await send()).toMatchObject({ status: first.status, body: first.body });
  }
  return { first, end: () => another.kill() };
}

async function valuesOf(text: string, value: unknown): Promise<unknown[]> {
  const { rows } = await queryBooks<{ value: unknown }>(api.pool, text, [value]);
  return rows.map((row) => row.value);
}

test.each(['beforeKeyedCommit', 'afterKeyedCommit', 'beforeKeyedAnswer'] as const)(
  '200: killed %s, a payment repeated with its key is one payment and one charge',
  async (point) => {
    let shop: Shop | undefined;
    const { first, end } = await killedWhileSending(point, async () => {
      shop = await createPayShop(api);
      return keyed(shop.consumer, 'POST', '/payments', purchase(shop));
    });
    expect(first.status).toBe(200);
    expect(first.headers.get('idempotency-replayed')).toBe(point === 'beforeKeyedCommit' ? null : 'true');
    const { transaction } = first.body;
    expect(await valuesOf('SELECT token AS value FROM payments WHERE account_id = $1', shop?.consumer.id)).toEqual([
      transaction,
    ]);
    await settles(api, String(transaction), 'paid');
    const charged = `SELECT charge.idempotency_key AS value FROM sandbox_charges charge JOIN payments p
      ON charge.idempotency_key LIKE p.token || '%' WHERE p.account_id = $1 AND charge.status = 'paid'`;
    expect(await valuesOf(charged, shop?.consumer.id)).toHaveLength(1);
    await end();
  },
);

test.each(['beforeKeyedCommit', 'afterKeyedCommit'] as const)(
  '200: killed %s, an import of customers repeated with its key is one import',
  async (point) => {
    let shop: Shop | undefined;
    const { first, end } = await killedWhileSending(point, async () => {
      shop = await createPayShop(api);
      const rows = newAddresses(10).map((email) => [email, shop?.item.id ?? 0, nextYear]);
      const csv = fileOf(['email', 'item_id', 'access_until'], ...rows);
      return keyed(shop.merchant, 'POST', '/v2/accounts/customers/import', { csv });
    });
    expect(first.body).toMatchObject({ new_customers: 10, new_accesses: 10 });
    expect(await accessesOf(api, shop?.merchant ?? { id: 0 })).toHaveLength(10);
    expect(await customersOf(api, shop?.merchant ?? { id: 0 })).toHaveLength(11);
    await end();
  },
);

test('200: killed afterKeyedCommit, a refund repeated with its key is one refund', async () => {
  let merchantId: number | undefined;
  const { first, end } = await killedWhileSending('afterKeyedCommit', async () => {
    const shop = await createPayShop(api);
    const { body } = await pay(api, shop);
    await settles(api, body.transaction, 'paid');
    merchantId = shop.merchant.id;
    return keyed(shop.merchant, 'POST', `/payments/${body.transaction}/refund`, { amount: '1.00' });
  });
  expect(first.status).toBe(200);
  expect(await valuesOf('SELECT amount_minor::int AS value FROM refunds WHERE merchant_id = $1', merchantId)).toEqual([
    100,
  ]);
  await end();
});

test('202: killed afterKeyedCommit, a subscription repeated with its key returns the first one', async () => {
  let shop: Shop | undefined;
  const { first, end } = await killedWhileSending('afterKeyedCommit', async () => {
    shop = await createPayShop(api, { access_type: 'subscription', quantity: 1, period: 'month' });
    return keyed(shop.consumer, 'POST', '/subscriptions', purchase(shop));
  });
  expect(first.status).toBe(202);
  const tokens = await valuesOf('SELECT token AS value FROM subscriptions WHERE account_id = $1', shop?.consumer.id);
  expect(tokens).toEqual([first.body['subscription_id']]);
  await end();
});
