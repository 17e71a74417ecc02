import { generatedRoutes, naturalRole, sendExample } from '../support/generated';
import { type Route } from '../../src/kit/routes';
import { call } from '../support/client';
import { examplesOf } from '../support/examples';
import { createConsumer, createItem, createMerchant, password, type Person } from '../support/factories';
import { auditOf, createFollower, signIn } from '../support/followers';
import { receives, tokenIn } from '../support/mailbox';
import { PageWalker } from '../support/pageWalker';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';
import { createWorld, type World } from '../support/world';

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app);
});
afterAll(() => app.stop());

const actionsOf = async (merchant: Person) =>
  (await auditOf(app, merchant)).map(
    ({ action, actor_account_id: actor, object_id }) => `${action} ${object_id} ${actor}`,
  );

/** Changes of a merchant that write nothing of their own, with the reason. */
const exempt: Record<string, string> = {
  reactivateItem: 'its example is on sale already: see below',
  reactivatePackage: 'the same',
  resendGift: 'mails the same gift to the same receiver',
  testStore: 'asks the store, and changes nothing',
  testPaymentProvider: 'asks the provider, and changes nothing',
  testCompanyProvider: 'the same',
  previewMailText: 'shows a draft, and changes nothing',
  sendTestMail: 'mails a draft to the caller, and changes nothing',
  createSavedFilter: 'keeps a view of lists for the person, and can contain the name of a customer',
  deleteSavedFilter: 'the same',
  moveTestClock: 'exists in the test environment only',
};

describe('a change by a merchant has an entry', () => {
  const isChange = (route: Route) => route.endpoint.method !== 'get' && naturalRole(route) === 'merchant';
  const changes = generatedRoutes.filter(([name, route]) => isChange(route) && !(name in exempt));

  test.each(changes)('%s', async (name, route) => {
    for (const { request, answers } of examplesOf(name)) {
      if (answers !== undefined) continue;
      const sent = await request(world, world.merchant);
      const before = (await auditOf(app, world.merchant))[0]?.id ?? 0;
      const { status, body } = await sendExample(app, route, sent, world.merchant.token);
      if (status >= 300) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
      expect((await auditOf(app, world.merchant))[0]?.id ?? 0).toBeGreaterThan(before);
    }
  });

  test('an item that is sold again', async () => {
    const merchant = await createMerchant(app);
    const { id } = await createItem(app, merchant);
    await call(app, 'DELETE', `/items/${id}`, undefined, merchant);
    await call(app, 'PUT', `/items/reactivate-item/${id}`, undefined, merchant);
    const entries = [`item.reactivate ${id} ${merchant.id}`, `item.deactivate ${id} ${merchant.id}`];
    expect(await actionsOf(merchant)).toEqual(expect.arrayContaining(entries));
  });
});

describe('passwords and sign-ins', () => {
  const attempt = (person: Person, word: string, client_id = 'platform') =>
    call(app, 'POST', '/accounts/authenticate', {
      ...{ grant_type: 'password', client_id, username: person.email, password: word },
    });

  test('200: a merchant and a follower sign in', async () => {
    const merchant = await createMerchant(app);
    expect((await attempt(merchant, password)).status).toBe(200);
    expect(await actionsOf(merchant)).toEqual([`sign_in.succeed ${merchant.id} ${merchant.id}`]);
    const follower = await createFollower(app, merchant, ['accounts:read']);
    await signIn(app, follower.email, 'platform');
    expect(await actionsOf(follower)).toContain(`sign_in.succeed ${follower.id} ${follower.id}`);
  });

  test('401 invalid_credentials: a wrong password of a merchant', async () => {
    const merchant = await createMerchant(app);
    expect((await attempt(merchant, `${password}x`)).status).toBe(401);
    await until(async () => (await actionsOf(merchant)).includes(`sign_in.fail ${merchant.id} ${merchant.id}`));
  });

  test('401 invalid_credentials: wrong passwords of a customer, once however many they are', async () => {
    const merchant = await createMerchant(app);
    const consumer = await createConsumer(app, merchant);
    for (const word of ['one', 'two', 'three'])
      expect((await attempt(consumer, `${password}${word}`, merchant.uuid)).status).toBe(401);
    const entry = `sign_in.fail ${consumer.id} ${consumer.id}`;
    await until(async () => (await actionsOf(merchant)).includes(entry));
    // The entries of the customer came before the one of the merchant.
    await attempt(merchant, `${password}x`);
    await until(async () => (await actionsOf(merchant)).includes(`sign_in.fail ${merchant.id} ${merchant.id}`));
    expect((await actionsOf(merchant)).filter((line) => line === entry)).toHaveLength(1);
  });

  test('401 invalid_credentials: with an Idempotency-Key, whose answer is stored', async () => {
    const merchant = await createMerchant(app);
    const consumer = await createConsumer(app, merchant);
    const fields = {
      grant_type: 'password',
      client_id: merchant.uuid,
      username: consumer.email,
      password: 'wrong-horse',
    };
    const headers = { 'Idempotency-Key': 'wrong' };
    for (const replayed of [null, 'true']) {
      const reply = await call(app, 'POST', '/accounts/authenticate', fields, { headers });
      expect([reply.status, reply.headers.get('idempotency-replayed')]).toEqual([401, replayed]);
    }
    await until(async () => (await actionsOf(merchant)).includes(`sign_in.fail ${consumer.id} ${consumer.id}`));
  });

  test('200: a customer signs in, which is in its sessions and not in the log', async () => {
    const merchant = await createMerchant(app);
    const consumer = await createConsumer(app, merchant);
    expect((await attempt(consumer, password, merchant.uuid)).status).toBe(200);
    expect(await actionsOf(merchant)).toEqual([]);
  });

  test('200: a changed password', async () => {
    const merchant = await createMerchant(app);
    const next = 'another-horse-battery';
    const fields = { old_password: password, password: next, password_confirmation: next };
    expect((await call(app, 'POST', '/accounts/change-password', fields, merchant)).status).toBe(200);
    expect(await actionsOf(merchant)).toEqual([`password.change ${merchant.id} ${merchant.id}`]);
  });

  test('200: a password that a mailed link replaces', async () => {
    const merchant = await createMerchant(app);
    const { id, email } = await createConsumer(app, merchant);
    await call(app, 'POST', '/accounts/forgot-password', { email, merchant_uuid: merchant.uuid });
    const token = tokenIn(await receives(app, merchant, email, 'password_reset'));
    const fields = { password: 'another-horse-battery', password_confirmation: 'another-horse-battery' };
    expect((await call(app, 'PUT', `/accounts/forgot-password/${token}`, fields)).status).toBe(200);
    expect(await actionsOf(merchant)).toEqual([`password.reset ${id} ${id}`]);
  });
});

describe('403 forbidden', () => {
  const refusal = (endpoint: string, { id }: Person) => `request.refuse ${endpoint} ${id}`;

  test('a follower without the scope, once however often it asks', async () => {
    const merchant = await createMerchant(app);
    const follower = await createFollower(app, merchant, ['items:read']);
    const ask = () => call(app, 'POST', '/vouchers', { name: 'x' }, follower);
    for (const { status } of [await ask(), await ask(), await ask()]) expect(status).toBe(403);
    const entry = refusal('POST:/vouchers', follower);
    const inLogs = async () =>
      [...(await actionsOf(merchant)), ...(await logOf(follower))].filter((line) => line === entry);
    await until(async () => (await inLogs()).length > 0);
    expect(await inLogs()).toHaveLength(1);
  });

  test('a customer at an endpoint for merchants', async () => {
    const merchant = await createMerchant(app);
    const consumer = await createConsumer(app, merchant);
    expect((await call(app, 'GET', '/audit', undefined, consumer)).status).toBe(403);
    await until(async () => (await actionsOf(merchant)).includes(refusal('GET:/audit', consumer)));
  });

  test('a follower at a page of the console', async () => {
    const merchant = await createMerchant(app);
    const follower = await createFollower(app, merchant, ['items:read']);
    const walker = new PageWalker(app);
    await walker.open('/console/sign-in');
    await walker.submit('/console/sign-in', { email: follower.email, password });
    expect((await walker.open('/console/audit')).status).toBe(403);
    await until(async () =>
      (await logOf(follower)).some((line) => line.startsWith('request.refuse GET:/console/audit')),
    );
  });

  /** Read from the table: the follower may not read its own log. */
  async function logOf({ id }: Person): Promise<string[]> {
    const { rows } = await app.pool.query<{ line: string }>(
      `SELECT action || ' ' || object_id || ' ' || actor_account_id AS line FROM audit_log WHERE merchant_id = $1`,
      [id],
    );
    return rows.map(({ line }) => line);
  }
});
