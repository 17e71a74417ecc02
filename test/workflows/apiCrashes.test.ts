import { findFaults } from '../support/books';
import { type ChildProgram } from '../support/childProcess';
import { listen, type Listening } from '../support/client';
import { createConsumer, createShop, reaches, subscribe, type Shop } from '../support/factories';
import { prepareApi, type ChildApi } from '../support/startApi';
import { type ApiCrashPoint } from '../support/crashingApi';
import { until } from '../support/until';

/** The API is killed around a purchase and starts again. Accepted requests are kept, and others can be sent again. */

let api: ChildApi;
let worker: ChildProgram;

beforeAll(async () => {
  api = await prepareApi();
  worker = await api.startWorker();
});

afterAll(() => api.stop());

async function subscriptionsOf({ consumer }: Shop): Promise<string[]> {
  const text = 'SELECT token FROM subscriptions WHERE account_id = $1';
  const { rows } = await api.pool.query<{ token: string }>(text, [consumer.id]);
  return rows.map(({ token }) => token);
}

async function killedWhileSubscribing(point: ApiCrashPoint): Promise<Shop> {
  const whole = await api.start();
  const shop = await createShop(api);
  await whole.kill();
  const crashing = await api.start({ CRASH_AT: point });
  await expect(subscribe(api, shop)).rejects.toThrow();
  expect(await crashing.ended).toBe('SIGKILL');
  return shop;
}

async function expectPaid(shop: Shop, id: string): Promise<void> {
  await reaches(api, shop.consumer, id, 'active');
  expect(await findFaults(api.pool, id)).toEqual([]);
}

test.each(['afterCommit', 'afterStart'] as const)(
  'subscribe.success: killed %s, the API finishes what it had accepted when it is back',
  async (point) => {
    const shop = await killedWhileSubscribing(point);
    const [id = '', ...others] = await subscriptionsOf(shop);
    expect(others).toEqual([]);
    const child = await api.start();
    await expectPaid(shop, id);
    await child.kill();
  },
);

test('202: killed before the commit, the API has kept nothing and the purchase may be sent again', async () => {
  const shop = await killedWhileSubscribing('beforeCommit');
  expect(await subscriptionsOf(shop)).toEqual([]);
  const child = await api.start();
  const { status, body } = await subscribe(api, shop);
  expect(status).toBe(202);
  await expectPaid(shop, body.subscription_id);
  await child.kill();
});

test('subscribe.success: a socket that lost the API hears what it missed, once and in order', async () => {
  const first = await api.start();
  const shop = await createShop(api);
  const second = { ...shop, consumer: await createConsumer(api, shop.merchant) };
  const before = await listen(api, shop.merchant);
  await subscribe(api, shop);
  await before.hears('subscribe.success');
  process.kill(worker.pid, 'SIGSTOP');
  const { body } = await subscribe(api, second);
  await first.kill();
  expect(await before.closed).toBe(1006);
  process.kill(worker.pid, 'SIGCONT');
  await until(async () => (await findFaults(api.pool, body.subscription_id)).length === 0);

  await api.start();
  const lastEventId = before.heard.at(-1)?.id ?? 0;
  const after = await listen(api, { ...shop.merchant, lastEventId });
  await after.hears('subscribe.success');
  const typesOf = ({ heard }: Listening) => heard.map(({ id, type }) => [id, type]);
  expect(typesOf(before)).toEqual([
    [1, 'access.granted'],
    [2, 'subscribe.success'],
  ]);
  expect(typesOf(after)).toEqual([
    [3, 'access.granted'],
    [4, 'subscribe.success'],
  ]);
  const whole = await listen(api, { ...shop.merchant, lastEventId: 0 });
  await until(() => whole.heard.length === 4);
  expect(whole.heard).toEqual([...before.heard, ...after.heard]);
});
