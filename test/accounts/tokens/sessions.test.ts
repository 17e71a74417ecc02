import { type z } from 'zod';
import { type AuthenticationResponse } from '../../../src/accounts/accounts.schemas';
import { call, listen } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

type Authentication = z.output<typeof AuthenticationResponse>;

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

async function signIn(person: Person): Promise<Person> {
  const fields = { grant_type: 'password', client_id: person.merchantUuid, username: person.email, password };
  const { body } = await call<Authentication>(app, 'POST', '/accounts/authenticate', fields);
  return { ...person, token: body.access_token, refreshToken: body.refresh_token };
}

async function isSignedIn(person: Person): Promise<boolean> {
  return (await call(app, 'GET', '/accounts', undefined, person)).status === 200;
}

async function createLimited(limit: number): Promise<{ merchant: Person; consumer: Person }> {
  const merchant = await createMerchant(app);
  await call(app, 'PUT', '/accounts/settings', { session_limit: limit }, merchant);
  return { merchant, consumer: await createConsumer(app, merchant) };
}

test('account.logout: beyond the limit the oldest session ends, hears why, and the others hear nothing', async () => {
  const { consumer: first } = await createLimited(2);
  const second = await signIn(first);
  const [oldest, newer] = [await listen(app, first), await listen(app, second)];
  const third = await signIn(first);
  const heard = await oldest.hears('account.logout');
  expect(heard.resource).toMatchObject({ reason: 'sessions_limit' });
  expect(heard.account_uuid).toBe(first.uuid);
  expect(await oldest.closed).toBe(4401);
  await until(async () => !(await isSignedIn(first)));
  expect([await isSignedIn(second), await isSignedIn(third)]).toEqual([true, true]);
  expect(newer.heard).toEqual([]);
  await newer.close();
});

test('account.logout: the merchant hears of it too; the history of the account’s other sessions leaves it out', async () => {
  const { merchant, consumer: first } = await createLimited(1);
  const channel = await listen(app, merchant);
  const second = await signIn(first);
  expect((await channel.hears('account.logout')).account_uuid).toBe(first.uuid);
  await channel.close();
  expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, true]);
  const history = (person: Person) =>
    call<{ collection: { type: string }[] }>(app, 'GET', '/notifications/history', undefined, person);
  expect((await history(merchant)).body.collection.map(({ type }) => type)).toEqual(['account.logout']);
  expect((await history(second)).body.collection).toEqual([]);
});

test('200: sign-ins at the same moment leave as many sessions as the limit says', async () => {
  const { consumer } = await createLimited(2);
  const people = await Promise.all(Array.from({ length: 6 }, () => signIn(consumer)));
  const alive = await Promise.all([consumer, ...people].map(isSignedIn));
  expect(alive.filter(Boolean)).toHaveLength(2);
});

test('200: without a limit, and with one that was lifted, sessions go on', async () => {
  const { merchant, consumer } = await createLimited(1);
  await call(app, 'PUT', '/accounts/settings', { session_limit: 0 }, merchant);
  const others = [await signIn(consumer), await signIn(consumer)];
  expect(await Promise.all([consumer, ...others].map(isSignedIn))).toEqual([true, true, true]);
});

test('200: a merchant’s own sessions are not limited', async () => {
  const { merchant } = await createLimited(1);
  const again = await signIn(merchant);
  expect([await isSignedIn(merchant), await isSignedIn(again)]).toEqual([true, true]);
});

test('401 invalid_auth_token: after logout the token and its sockets are dead, and logging out again answers 200', async () => {
  const { consumer } = await createLimited(0);
  const channel = await listen(app, consumer);
  const logout = async () => (await call(app, 'GET', '/accounts/logout', undefined, consumer)).status;
  expect([await logout(), await logout()]).toEqual([200, 200]);
  expect(await isSignedIn(consumer)).toBe(false);
  expect(await channel.closed).toBe(4401);
});

test('401 invalid_auth_token: though the word of the end was lost; and sockets, after a broken connection', async () => {
  const { consumer } = await createLimited(0);
  const channel = await listen(app, consumer);
  expect(await isSignedIn(consumer)).toBe(true);
  await app.pool.query('UPDATE sessions SET revoked_at = now() WHERE account_id = $1', [consumer.id]);
  await until(async () => !(await isSignedIn(consumer)));
  await app.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'
    AND datname = current_database()`);
  expect(await channel.closed).toBe(4401);
});

test('200: a token says who it is for, through which client, and what it may do', async () => {
  const { merchant, consumer } = await createLimited(0);
  const claims = (person: Person) =>
    JSON.parse(Buffer.from(person.token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
  expect(claims(consumer)).toMatchObject({
    sub: consumer.uuid,
    mid: merchant.uuid,
    cid: merchant.uuid,
    role: 'consumer',
    scope: '',
    iss: 'http://paywall.test',
  });
  expect(String(claims(merchant)['scope']).split(' ')).toContain('apps:write');
});
