import { call } from '../support/client';
import { publishEvents } from '../support/events';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { getKeys } from '../support/mqtt';
import { openSocket, type Opened } from '../support/socket';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

let app: TestApp;
let merchant: Person;
let consumer: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
  consumer = await createConsumer(app, merchant);
});

afterAll(() => app.stop());

/** Opens `url` as a client does, with the host that a load balancer would send to this process. */
async function openUrl(person: Person): Promise<Opened> {
  const { url } = await getKeys(app, person);
  return openSocket(app, Object.fromEntries(new URL(url).searchParams));
}

test('200: keys in the form of the service that clients were made for', async () => {
  const { status, body } = await call<Record<string, string>>(app, 'GET', '/iot/keys', undefined, consumer);
  expect(status).toBe(200);
  expect(Object.keys(body).sort()).toEqual(['accessKey', 'iotEndpoint', 'region', 'secretKey', 'sessionToken', 'url']);
  expect(body).toMatchObject({ region: 'eu-west-1', iotEndpoint: 'paywall.test' });
  expect(body['url']).toMatch(/^ws:\/\/paywall\.test\/notifications\?merchant_uuid=/);
  expect((await getKeys(app, consumer)).accessKey).not.toBe(body['accessKey']);
});

test('401: no token', async () => expect((await call(app, 'GET', '/iot/keys')).status).toBe(401));

test('the session token is no access token, and an access token is none', async () => {
  const { sessionToken } = await getKeys(app, consumer);
  expect((await call(app, 'GET', '/accounts', undefined, { token: sessionToken })).status).toBe(401);
  expect(
    await openSocket(app, { merchant_uuid: merchant.uuid }, { headers: { Authorization: `Bearer ${sessionToken}` } })
      .closed,
  ).toBe(4401);
  expect(await openSocket(app, { merchant_uuid: merchant.uuid, token: consumer.token }).closed).toBe(4401);
});

test('101: `url` opens the plain channel, one message a frame, after which nothing is missed', async () => {
  const { answered, heard, socket } = await openUrl(consumer);
  expect(await answered).toBe(101);
  await publishEvents(consumer, merchant.id, [1, 2]);
  await until(() => heard.length === 2);
  expect(heard.map(({ type, resource }) => [type, resource['item_id']])).toEqual([
    ['access.revoked', 1],
    ['access.revoked', 2],
  ]);
  socket.close();
});

test('it carries the account’s own events of the types that clients know, a merchant’s as well', async () => {
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const { execute } = await import('../../src/adapters/postgres/statement.js');
  const neighbour = await createConsumer(app, merchant);
  const [own, all] = [await openUrl(consumer), await openUrl(merchant)];
  await Promise.all([own.answered, all.answered]);
  await publishEvents(neighbour, merchant.id, [1]);
  await publishEvents(consumer, merchant.id, [2], (inTransaction) =>
    execute(inTransaction, `UPDATE events SET type = 'subscribe.renewed' WHERE merchant_id = $1 AND account_id = $2`, [
      merchant.id,
      consumer.id,
    ]),
  );
  await transaction(async (inTransaction) => {
    const { publish } = await import('../../src/notifications/publish.js');
    const event = { type: 'account.deactivated', accountId: consumer.id, dedupeKey: 'gone', resource: {} } as const;
    await publish(inTransaction, merchant.id, [event]);
  });
  await until(() => own.heard.length === 1);
  expect(own.heard[0]).toMatchObject({ type: 'account.deactivated', account_uuid: consumer.uuid });
  expect(own.heard[0]).not.toHaveProperty('resource');
  expect(all.heard).toEqual([]);
  own.socket.close();
  all.socket.close();
});

test('4401: the session ends, and what it gave out with it', async () => {
  const leaver = await createConsumer(app, merchant);
  const { url } = await getKeys(app, leaver);
  const opened = await openUrl(leaver);
  await opened.answered;
  await call(app, 'GET', '/accounts/logout', undefined, leaver);
  expect(await opened.closed).toBe(4401);
  expect(await openSocket(app, Object.fromEntries(new URL(url).searchParams)).closed).toBe(4401);
});

test('4401: a session that ran out, of which nobody is told', async () => {
  const leaver = await createConsumer(app, merchant);
  const opened = await openUrl(leaver);
  await opened.answered;
  await app.pool.query(`UPDATE sessions SET expires_at = now() WHERE account_id = $1`, [leaver.id]);
  expect(await opened.closed).toBe(4401);
});

test('4403: the uuid of another merchant', async () => {
  const { sessionToken } = await getKeys(app, consumer);
  expect(await openSocket(app, { merchant_uuid: consumer.uuid, token: sessionToken }).closed).toBe(4403);
});
