import { call, listen } from '../../support/client';
import {
  cards,
  createConsumer,
  createMerchant,
  createShop,
  password,
  type Person,
  reaches,
  registration,
  type Shop,
  subscribe,
} from '../../support/factories';
import { auditOf, createFollower } from '../../support/followers';
import { guessSevenTimes } from '../../support/guesses';
import { type MailServer, startMailServer } from '../../support/mailServer';
import { erase, isErased, operationOf, requestErasure } from '../../support/privacy';
import { startApp, type TestApp } from '../../support/startApp';
import { connectTemporal, type TemporalClient } from '../../support/temporalClient';
import { until } from '../../support/until';
import { queryBooks } from '../../support/providerBooks';

let app: TestApp;
let mailServer: MailServer;
let temporal: TemporalClient;

beforeAll(async () => {
  mailServer = await startMailServer();
  app = await startApp({ SMTP_URL: mailServer.url });
  temporal = await connectTemporal();
  await app.startWorker();
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
  await mailServer.stop();
});

const eraseBy = (who: Person, fields: Record<string, unknown>) => call(app, 'DELETE', '/accounts/erase', fields, who);

const row = async (id: number) =>
  (await app.pool.query<Record<string, unknown>>('SELECT * FROM accounts WHERE id = $1', [id])).rows[0];

const signIn = ({ email, merchantUuid }: Person) =>
  call(app, 'POST', '/accounts/authenticate', {
    client_id: merchantUuid,
    grant_type: 'password',
    username: email,
    password,
  });

/** Writes past the triggers that protect an erased account. */
async function asRestored(...changes: [string, unknown[]][]): Promise<void> {
  const client = await app.pool.connect();
  await client.query('SET session_replication_role = replica');
  for (const [text, values] of changes) await client.query(text, values);
  await client.query('RESET session_replication_role');
  client.release();
}

describe('202: the account', () => {
  test('is signed out at once, cannot sign in again, and the dead token can still log out', async () => {
    const { consumer } = await createShop(app);
    const { status, body } = await eraseBy(consumer, { password, branding_id: 'undefined' });
    expect({ status, body }).toMatchObject({ status: 202, body: { message: 'Account successfully deleted' } });
    expect((await call(app, 'GET', '/accounts', undefined, consumer)).status).toBe(401);
    expect((await signIn(consumer)).status).toBe(401);
    expect((await call(app, 'GET', '/accounts/logout', undefined, consumer)).status).toBe(200);
    await isErased(app, consumer.id);
  });

  test('keeps nothing of its owner, and its address can register again', async () => {
    const { consumer, merchant } = await createShop(app);
    await eraseBy(consumer, { password });
    await isErased(app, consumer.id);
    expect(await row(consumer.id)).toMatchObject({
      uuid: consumer.uuid,
      email: `erased-${consumer.id}@erased.invalid`,
      full_name: 'Erased account',
      metadata: {},
      referrer: '',
      date_of_birth: null,
      is_active: false,
    });
    const again = { ...registration('consumer', merchant.uuid), username: consumer.email };
    expect((await call(app, 'POST', '/accounts', again)).status).toBe(200);
    const erased = { ...consumer, email: `erased-${consumer.id}@erased.invalid` };
    expect((await signIn(erased)).status).toBe(401);
  });

  test('loses its subscription, its access and its card; the books keep the payment', async () => {
    const { shop, id } = await subscribed();
    const { consumer, merchant } = shop;
    await eraseBy(consumer, { password });
    await isErased(app, consumer.id);
    const { body } = await call<{ status: string; payment_tool_info: string }>(
      app,
      'GET',
      `/subscriptions/${id}`,
      undefined,
      merchant,
    );
    expect(body).toMatchObject({ status: 'canceled', payment_tool_info: '0000' });
    const one = async (text: string) => (await app.pool.query(text, [consumer.id])).rows as unknown[];
    expect(await one('SELECT 1 FROM accesses WHERE account_id = $1 AND revoked_at IS NULL')).toEqual([]);
    expect(await one('SELECT holder_name, last_four, fingerprint FROM cards WHERE account_id = $1')).toEqual([
      { holder_name: '', last_four: '0000', fingerprint: '' },
    ]);
    expect(
      await one(`SELECT c.amount_minor::int, c.currency, c.status FROM charges c JOIN subscriptions s ON s.id = c.subscription_id
        WHERE s.account_id = $1`),
    ).toEqual([{ amount_minor: 999, currency: 'EUR', status: 'paid' }]);
    const forgotten = await queryBooks(app.pool, 'SELECT 1 FROM sandbox_cards WHERE forgotten_at IS NOT NULL');
    expect(forgotten.rows.length).toBeGreaterThan(0);
  });

  test('hears by mail that it is gone, and the mail goes with its delivery', async () => {
    const { consumer } = await createShop(app);
    await eraseBy(consumer, { password });
    await until(() =>
      mailServer.received.find(
        ({ recipients, subject }) => recipients.includes(consumer.email) && subject?.endsWith('was deleted'),
      ),
    );
    const left = () => app.pool.query('SELECT 1 FROM mails WHERE recipient = $1', [consumer.email]);
    await until(async () => (await left()).rows.length === 0);
  });

  test('never comes back: its row does not change, and no row of it can be written', async () => {
    const { consumer, merchant, item } = await createShop(app);
    await erase(app, consumer);
    await expect(app.pool.query(`UPDATE accounts SET full_name = 'Ana' WHERE id = $1`, [consumer.id])).rejects.toThrow(
      'the account is erased',
    );
    const favorite = `INSERT INTO media_favorites (merchant_id, account_id, media_id) VALUES ($1, $2, 'film')`;
    await expect(app.pool.query(favorite, [merchant.id, consumer.id])).rejects.toThrow('the account is erased');
    const change = { id: consumer.id, full_name: 'Ana' };
    expect((await call(app, 'PUT', '/accounts', change, merchant)).status).toBe(404);
    const grant = { item_id: item.id, consumer_id: consumer.id, expires_at: '2040-01-01' };
    expect((await call(app, 'POST', '/items/access', grant, merchant)).status).toBe(400);
    const users = await call<{ total: number }>(app, 'GET', '/accounts/registered-users', undefined, merchant);
    expect(users.body.total).toBe(0);
  });

  test('404 account_not_found: where a replica has not heard yet that the session is dead', async () => {
    const { consumer } = await createShop(app);
    const kept = await app.pool.query<{ row: string }>(
      'SELECT to_jsonb(s)::text AS row FROM sessions s WHERE account_id = $1',
      [consumer.id],
    );
    await erase(app, consumer);
    await asRestored(
      ['INSERT INTO sessions SELECT * FROM jsonb_populate_record(NULL::sessions, $1)', [kept.rows[0]?.row]],
      ['UPDATE sessions SET revoked_at = NULL WHERE account_id = $1', [consumer.id]],
      ['UPDATE accounts SET is_active = true WHERE id = $1', [consumer.id]],
    );
    expect((await call(app, 'GET', '/accounts', undefined, consumer)).status).toBe(200);
    for (const [method, path, fields] of [
      ['POST', '/v2/accounts/media/favorites', { media_id: 'film-1' }],
      ['PUT', '/accounts', { full_name: 'Ana' }],
    ] as const)
      expect(await call(app, method, path, fields, consumer)).toMatchObject({
        status: 404,
        body: { error: 'account_not_found' },
      });
  });
});

test('account.erased: the last that is told of the account, to a merchant that listens', async () => {
  const { shop } = await subscribed();
  const listening = await listen(app, shop.merchant);
  const own = await listen(app, shop.consumer);
  await eraseBy(shop.consumer, { password });
  expect(await own.closed).toBe(4401);
  expect(await listening.hears('account.erased')).toMatchObject({ resource: {}, account_uuid: shop.consumer.uuid });
  expect(listening.heard.map(({ type }) => type)).toEqual([
    'subscribe.cancelled.success',
    'access.revoked',
    'subscribe.expired',
    'account.erased',
  ]);
  await listening.close();
});

test('202: events of before tell what happened, and not to whom', async () => {
  const { shop, id } = await subscribed();
  await eraseBy(shop.consumer, { password });
  await isErased(app, shop.consumer.id);
  const text = `SELECT resource FROM events WHERE account_id = $1 AND type = 'subscribe.success'`;
  const { rows } = await app.pool.query<{ resource: Record<string, unknown> }>(text, [shop.consumer.id]);
  expect(rows[0]?.resource).toMatchObject({ subscription_id: id, amount: '9.99' });
  expect(rows[0]?.resource).not.toHaveProperty('email');
});

test('202: an operator finds the run by its merchant, and no person in it', async () => {
  const { consumer, merchant } = await createShop(app);
  await eraseBy(consumer, { password });
  await isErased(app, consumer.id);
  const { rows } = await app.pool.query<{ token: string }>(
    'SELECT token FROM account_operations WHERE account_id = $1',
    [consumer.id],
  );
  const handle = temporal.client.workflow.getHandle(`account-erasure-${rows[0]?.token}`);
  await handle.result();
  const described = await handle.describe();
  expect(described.searchAttributes).toMatchObject({ PaywallMerchant: [merchant.id], PaywallState: ['done'] });
  expect(await described.staticSummary()).toBe(`account ${consumer.id}`);
});

describe('a merchant', () => {
  test('202: erases a customer by its own password, and again to the same answer; both are one deed in its log', async () => {
    const { consumer, merchant } = await createShop(app);
    const fields = { customer_id: consumer.id, password };
    const first = await eraseBy(merchant, fields);
    expect(first).toMatchObject({ status: 202, body: { message: 'Account successfully deleted' } });
    expect(await eraseBy(merchant, fields)).toMatchObject({ status: 202, body: first.body });
    await isErased(app, consumer.id);
    expect(await eraseBy(merchant, fields)).toMatchObject({ status: 202, body: first.body });
    const log = (await auditOf(app, merchant)).filter(({ action }) => action === 'account.erase');
    expect(log).toMatchObject([{ object_type: 'account', object_id: String(consumer.id) }]);
    const { rows } = await app.pool.query('SELECT 1 FROM account_operations WHERE account_id = $1', [consumer.id]);
    expect(rows).toHaveLength(1);
  });

  test('400 missing_parameter: without saying whom', async () => {
    const merchant = await createMerchant(app);
    expect(await eraseBy(merchant, { password })).toMatchObject({
      status: 400,
      body: { error: 'missing_parameter', errors: { customer_id: 'The customer_id must not be empty.' } },
    });
  });

  test('400 account_does_not_exist: another merchant’s customer, itself, nobody', async () => {
    const merchant = await createMerchant(app);
    const { consumer } = await createShop(app);
    for (const customer_id of [consumer.id, merchant.id, 2_000_000_000])
      expect(await eraseBy(merchant, { customer_id, password })).toMatchObject({
        status: 400,
        body: { error: 'account_does_not_exist' },
      });
    expect(await operationOf(app, consumer.id)).toBe(0);
  });

  test('403 forbidden: a follower without accounts:write', async () => {
    const merchant = await createMerchant(app);
    const follower = await createFollower(app, merchant, ['accounts:read']);
    const consumer = await createConsumer(app, merchant);
    const reply = await call(app, 'DELETE', '/accounts/erase', { customer_id: consumer.id, password }, follower);
    expect(reply.status).toBe(403);
  });
});

test('400 account_does_not_exist: a consumer names somebody else', async () => {
  const { consumer, merchant } = await createShop(app);
  const other = await createConsumer(app, merchant);
  expect(await eraseBy(consumer, { customer_id: other.id, password })).toMatchObject({
    status: 400,
    body: { error: 'account_does_not_exist' },
  });
  expect([await operationOf(app, consumer.id), await operationOf(app, other.id)]).toEqual([0, 0]);
});

test('422 wrong_password: nothing happens', async () => {
  const { consumer } = await createShop(app);
  expect(await eraseBy(consumer, { password: 'not-my-password' })).toMatchObject({
    status: 422,
    body: { error: 'wrong_password', message: 'Invalid credentials' },
  });
  expect((await call(app, 'GET', '/accounts', undefined, consumer)).status).toBe(200);
});

test('429 too_many_requests: who guesses passwords has to wait', async () => {
  const { consumer } = await createShop(app);
  const statuses = await guessSevenTimes(app, (guess) => eraseBy(consumer, { password: `guess-${guess}` }));
  expect(statuses.at(-1)).toBe(429);
});

test('202: asked for by five at once, it is done once', async () => {
  const { consumer } = await createShop(app);
  const replies = await Promise.all(Array.from({ length: 5 }, () => requestErasure(app, consumer)));
  for (const { status } of replies) expect([202, 401]).toContain(status);
  await isErased(app, consumer.id);
  const told = await app.pool.query(`SELECT 1 FROM events WHERE account_id = $1 AND type = 'account.erased'`, [
    consumer.id,
  ]);
  expect(told.rows).toHaveLength(1);
});

async function subscribed(): Promise<{ shop: Shop; id: string }> {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop, cards.success);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  return { shop, id: body.subscription_id };
}
