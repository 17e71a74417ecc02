import { randomUUID } from 'node:crypto';
import { call, type Method, type Reply } from '../support/client';
import { purchase, type Person } from '../support/factories';
import { createPayShop, pay, settles } from '../support/payments';
import { type ApiCrashPoint } from '../support/crashingApi';
import { prepareApi, type ChildApi } from '../support/startApi';
import { type TestApp } from '../support/startApp';
import { queryBooks } from '../support/providerBooks';
import { until } from '../support/until';
import { accessesOf, customersOf, fileOf, newAddresses, nextYear } from '../support/customerFiles';

/**
 * The API is killed around the COMMIT of a request with a key. A repetition is the same request, and another API process
 * on the same database answers it.
 */

let api: ChildApi;

beforeAll(async () => {
  api = await prepareApi();
  await Promise.all([api.start(), api.startWorker()]);
});

afterAll(() => api.stop());

interface Keyed {
  key: string;
  send: (place: Pick<TestApp, 'address'>) => Promise<Reply<Record<string, unknown>>>;
}

function keyed(caller: Person, method: Method, path: string, body: Record<string, unknown>): Keyed {
  const key = randomUUID();
  const options = { token: caller.token, headers: { 'Idempotency-Key': key } };
  return { key, send: (place) => call(place, method, path, body, options) };
}

/** Sends to an API that dies, and repeats on the one that lives. Returns the last answer. */
async function killedWhileSending(point: ApiCrashPoint, { key, send }: Keyed) {
  const crashing = await api.startBeside({ CRASH_AT: point });
  await expect(send(crashing)).rejects.toThrow();
  expect(await crashing.ended).toBe('SIGKILL');
  // Until the database has noticed the death, the request is in progress.
  const first = await until(async () => {
    const reply = await send(api);
    return reply.body['error'] !== 'request_in_progress' && reply;
  });
  for (const ago of ['5 seconds', '3 minutes']) {
    const text = 'UPDATE idempotency_keys SET created_at = now() - $1::interval WHERE key = $2';
    expect((await api.pool.query(text, [ago, key])).rowCount).toBe(1);
    expect(await send(api)).toMatchObject({ status: first.status, body: first.body });
  }
  return first;
}

async function valuesOf(text: string, value: unknown): Promise<unknown[]> {
  const { rows } = await queryBooks<{ value: unknown }>(api.pool, text, [value]);
  return rows.map((row) => row.value);
}

test.concurrent.each(['beforeKeyedCommit', 'afterKeyedCommit', 'beforeKeyedAnswer'] as const)(
  '200: killed %s, a payment repeated with its key is one payment and one charge',
  async (point) => {
    const shop = await createPayShop(api);
    const first = await killedWhileSending(point, keyed(shop.consumer, 'POST', '/payments', purchase(shop)));
    expect(first.status).toBe(200);
    expect(first.headers.get('idempotency-replayed')).toBe(point === 'beforeKeyedCommit' ? null : 'true');
    const { transaction } = first.body;
    expect(await valuesOf('SELECT token AS value FROM payments WHERE account_id = $1', shop.consumer.id)).toEqual([
      transaction,
    ]);
    await settles(api, String(transaction), 'paid');
    const charged = `SELECT charge.idempotency_key AS value FROM sandbox_charges charge JOIN payments p
      ON charge.idempotency_key LIKE p.token || '%' WHERE p.account_id = $1 AND charge.status = 'paid'`;
    expect(await valuesOf(charged, shop.consumer.id)).toHaveLength(1);
  },
);

test.concurrent.each(['beforeKeyedCommit', 'afterKeyedCommit'] as const)(
  '200: killed %s, an import of customers repeated with its key is one import',
  async (point) => {
    const shop = await createPayShop(api);
    const rows = newAddresses(10).map((email) => [email, shop.item.id, nextYear]);
    const csv = fileOf(['email', 'item_id', 'access_until'], ...rows);
    const request = keyed(shop.merchant, 'POST', '/v2/accounts/customers/import', { csv });
    const first = await killedWhileSending(point, request);
    expect(first.body).toMatchObject({ new_customers: 10, new_accesses: 10 });
    expect(await accessesOf(api, shop.merchant)).toHaveLength(10);
    expect(await customersOf(api, shop.merchant)).toHaveLength(11);
  },
);

test.concurrent('200: killed afterKeyedCommit, a refund repeated with its key is one refund', async () => {
  const shop = await createPayShop(api);
  const { body } = await pay(api, shop);
  await settles(api, body.transaction, 'paid');
  const request = keyed(shop.merchant, 'POST', `/payments/${body.transaction}/refund`, { amount: '1.00' });
  const first = await killedWhileSending('afterKeyedCommit', request);
  expect(first.status).toBe(200);
  const refunds = 'SELECT amount_minor::int AS value FROM refunds WHERE merchant_id = $1';
  expect(await valuesOf(refunds, shop.merchant.id)).toEqual([100]);
});

test.concurrent(
  '202: killed afterKeyedCommit, a subscription repeated with its key returns the first one',
  async () => {
    const shop = await createPayShop(api, { access_type: 'subscription', quantity: 1, period: 'month' });
    const request = keyed(shop.consumer, 'POST', '/subscriptions', purchase(shop));
    const first = await killedWhileSending('afterKeyedCommit', request);
    expect(first.status).toBe(202);
    const tokens = await valuesOf('SELECT token AS value FROM subscriptions WHERE account_id = $1', shop.consumer.id);
    expect(tokens).toEqual([first.body['subscription_id']]);
  },
);
