import { randomUUID } from 'node:crypto';
import { findFaults, isWithoutHoles, readSequence } from '../support/books';
import { call } from '../support/client';
import {
  createConsumer,
  createShop,
  password,
  purchase,
  reaches,
  subscribe,
  type Shop,
  type Submitted,
} from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

const times = <T>(count: number, run: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_unused, index) => run(index)));

describe('one purchase, submitted 50 times at once', () => {
  beforeAll(async () => void (await app.startWorker()));

  const submit = (shop: Shop, token: string, key?: string) =>
    call<Submitted>(app, 'POST', '/subscriptions', purchase(shop), {
      token,
      ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
    });

  async function expectOne(shop: Shop): Promise<string> {
    const text = 'SELECT token FROM subscriptions WHERE account_id = $1';
    const { rows } = await app.pool.query<{ token: string }>(text, [shop.consumer.id]);
    expect(rows).toHaveLength(1);
    const id = rows[0]?.token ?? '';
    await reaches(app, shop.consumer, id, 'active');
    expect(await findFaults(app.pool, id)).toEqual([]);
    const kept = await app.pool.query('SELECT 1 FROM cards WHERE account_id = $1', [shop.consumer.id]);
    expect(kept.rows).toHaveLength(1);
    return id;
  }

  test('409 already_has_access: without a key one gets in, the others are told', async () => {
    const shop = await createShop(app);
    const replies = await times(50, () => submit(shop, shop.consumer.token));
    const refused = replies.filter(({ status }) => status !== 202);
    expect(refused).toHaveLength(49);
    for (const { status, body } of refused)
      expect([status, body]).toMatchObject([409, { error: 'already_has_access' }]);
    await expectOne(shop);
  });

  test('409 already_has_access: from two tokens of one account', async () => {
    const shop = await createShop(app);
    const { consumer, merchant } = shop;
    const login = { client_id: merchant.uuid, username: consumer.email, password, grant_type: 'password' };
    const second = await call<{ access_token: string }>(app, 'POST', '/accounts/authenticate', login);
    const tokens = [consumer.token, second.body.access_token];
    const replies = await times(50, (index) => submit(shop, tokens[index % 2] ?? ''));
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(49);
    await expectOne(shop);
  });

  test('409 request_in_progress: with one Idempotency-Key all hear of one subscription, or that it is on its way', async () => {
    const shop = await createShop(app);
    const key = randomUUID();
    const replies = await times(50, () => submit(shop, shop.consumer.token, key));
    const accepted = replies.filter(({ status }) => status === 202);
    expect(accepted.length).toBeGreaterThan(0);
    for (const { body } of replies.filter(({ status }) => status !== 202))
      expect(body).toMatchObject({ code: 409, error: 'request_in_progress' });
    const id = await expectOne(shop);
    for (const { body } of accepted) expect(body.subscription_id).toBe(id);
    const again = await submit(shop, shop.consumer.token, key);
    expect(again).toMatchObject({ status: 202, body: { subscription_id: id, status: 'incomplete' } });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  test('202: with a key of its own each, still one gets in', async () => {
    const shop = await createShop(app);
    const replies = await times(50, () => submit(shop, shop.consumer.token, randomUUID()));
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(1);
    await expectOne(shop);
  });

  test('subscribe.success: 20 consumers at once have their events in one row without holes', async () => {
    const shop = await createShop(app);
    const consumers = await times(20, () => createConsumer(app, shop.merchant));
    const ids = await Promise.all(
      consumers.map(async (consumer) => {
        const { body } = await subscribe(app, { ...shop, consumer });
        await reaches(app, consumer, body.subscription_id, 'active');
        return body.subscription_id;
      }),
    );
    for (const id of ids) expect(await findFaults(app.pool, id)).toEqual([]);
    expect(await readSequence(app.pool, shop.merchant.id)).toHaveLength(40);
    expect(isWithoutHoles(await readSequence(app.pool, shop.merchant.id))).toBe(true);
  });
});
