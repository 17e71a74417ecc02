import { randomUUID } from 'node:crypto';
import { check } from '../../support/access';
import { findFaults } from '../../support/books';
import { type ChildProgram, startProgram } from '../../support/childProcess';
import { call, listen } from '../../support/client';
import { createConsumer, createShop, purchase, reaches, subscribe, type Submitted } from '../../support/factories';
import { describeWithPooler, startPooler, type TestPooler } from '../../support/pooler';
import { type Replica, type Replicas, startReplicas } from '../../support/replicas';
import { until } from '../../support/until';

const poolSize = 3;
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describeWithPooler('behind PgBouncer in transaction mode', () => {
  let pooler: TestPooler;
  let running: Replicas;
  let worker: ChildProgram;

  beforeAll(async () => {
    running = await startReplicas(3, async () => {
      pooler = await startPooler((settings) =>
        settings.replace('default_pool_size = 20', `default_pool_size = ${poolSize}`),
      );
      return { ...pooler.api, DATABASE_POOL: '10' };
    });
    worker = await startProgram('crashingWorker', pooler.worker);
  });

  afterAll(async () => {
    await worker.kill();
    await running.stop();
    await pooler.stop();
  });

  const replica = (index: number) => running.replicas[index % running.replicas.length] as Replica;
  const isReady = async ({ address }: Replica) => (await fetch(`${address}/health/ready`)).status;

  test('the purchases, checks and events of three APIs share three connections', async () => {
    const shop = await createShop(replica(0));
    const sockets = await Promise.all(running.replicas.map((at) => listen(at, shop.merchant)));
    const newConsumer = async (index: number) => ({
      ...shop,
      consumer: await createConsumer(replica(index), shop.merchant),
    });
    const shops = await Promise.all(upTo(18).map(newConsumer));
    const checks = upTo(90).map((turn) => check(replica(turn), shop.item.id, shop.consumer));
    const bought = await Promise.all(shops.map((own, index) => subscribe(replica(index), own)));
    expect(bought.map(({ status }) => status)).toEqual(shops.map(() => 202));
    expect((await Promise.all(checks)).filter(({ status }) => status !== 402)).toEqual([]);
    const { clients, servers } = await pooler.count();
    expect(clients).toBeGreaterThan(2 * poolSize);
    expect(servers).toBeLessThanOrEqual(poolSize);

    for (const [index, { body }] of bought.entries()) {
      const { consumer, item } = shops[index] ?? shop;
      await reaches(replica(index + 1), consumer, body.subscription_id, 'active');
      expect(await findFaults(running.pool, body.subscription_id)).toEqual([]);
      expect(await check(replica(index + 2), item.id, consumer)).toMatchObject({ status: 200 });
    }
    for (const { heard, socket } of sockets) {
      await until(() => heard.filter(({ type }) => type === 'subscribe.success').length === shops.length);
      expect(heard.map(({ id }) => id)).toEqual(upTo(heard.length).map((index) => index + 1));
      socket.close();
    }
  });

  test('one effect: a request that all APIs get at the same time with one key', async () => {
    const shop = await createShop(replica(0));
    const { token } = shop.consumer;
    const headers = { 'Idempotency-Key': randomUUID() };
    const send = (at: Replica) => call<Submitted>(at, 'POST', '/subscriptions', purchase(shop), { token, headers });
    const replies = await Promise.all([...running.replicas, ...running.replicas].map(send));
    expect(replies.filter(({ status }) => status !== 202 && status !== 409)).toEqual([]);
    const { body } = await send(replica(1));
    await reaches(replica(2), shop.consumer, body.subscription_id, 'active');
    expect(await findFaults(running.pool, body.subscription_id)).toEqual([]);
    const count = 'SELECT count(*)::int AS count FROM subscriptions WHERE account_id = $1';
    expect((await running.pool.query(count, [shop.consumer.id])).rows).toEqual([{ count: 1 }]);
  });

  test('200: another PgBouncer takes the connections over, and no request fails', async () => {
    const { item, consumer } = await createShop(replica(0));
    let isReplaced = false;
    const askOn = async (at: Replica) => {
      const seen = new Set<number>();
      while (!isReplaced) seen.add((await check(at, item.id, consumer)).status);
      return [...seen];
    };
    const asking = running.replicas.map(askOn);
    await pooler.replace();
    isReplaced = true;
    expect(await Promise.all(asking)).toEqual([[402], [402], [402]]);
  });

  test('503: while PgBouncer is down, and afterwards everything goes on, sockets included', async () => {
    const shop = await createShop(replica(0));
    const socket = await listen(replica(1), shop.merchant);
    await pooler.kill();
    const refused = await subscribe(replica(0), shop);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await isReady(replica(0))).toBe(503);
    await pooler.start();
    await until(async () => (await Promise.all(running.replicas.map(isReady))).every((status) => status === 200));
    const { body } = await subscribe(replica(0), shop);
    await socket.hears('subscribe.success');
    expect(await findFaults(running.pool, body.subscription_id)).toEqual([]);
    socket.socket.close();
  });

  test('a process does not start behind a pooler that sets no limits', async () => {
    const withoutLimits = await startPooler((settings) => settings.replace(/ connect_query=.*/g, ''));
    const api = { ...withoutLimits.api, PORT: '0', METRICS_PORT: '0' };
    expect(await (await startProgram('crashingApi', api)).ended).toBe('exit code 1');
    await jest.isolateModulesAsync(async () => {
      Object.assign(process.env, withoutLimits.api);
      const { refuseUnlimitedPooler } = await import('../../../src/adapters/postgres/pooler.js');
      const { closeDatabase } = await import('../../../src/adapters/postgres/connection.js');
      await expect(refuseUnlimitedPooler()).rejects.toThrow(
        'sets no idle_in_transaction_session_timeout, lock_timeout, statement_timeout',
      );
      await closeDatabase();
    });
    await withoutLimits.stop();
  });
});
