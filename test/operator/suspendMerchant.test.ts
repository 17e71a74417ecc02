import '../support/sharedKeys';
import { call } from '../support/client';
import { createConsumer, createMerchant, createShop, type Person, registration } from '../support/factories';
import { startMailServer, type MailServer } from '../support/mailServer';
import { openOperator, type Operator } from '../support/operators';
import { enterConsole, PageWalker } from '../support/pageWalker';
import { type Replica, startReplica } from '../support/replica';
import { signInWith } from '../support/secondFactors';
import { openSocket } from '../support/socket';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

let app: TestApp;
let replica: Replica;
let operator: Operator;
let mailServer: MailServer;

beforeAll(async () => {
  mailServer = await startMailServer();
  app = await startApp({ SMTP_URL: mailServer.url, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') });
  replica = await startReplica();
  operator = await openOperator(app);
});
afterAll(async () => {
  await replica.stop();
  await app.stop();
  await mailServer.stop();
});

const arrived = (to: string) => mailServer.received.filter(({ recipients }) => recipients.includes(to));
const act = (decision: string, { id }: Pick<Person, 'id'>, body = {}) =>
  call(app, 'POST', `/operator/merchants/${id}/${decision}`, body, operator);
const suspend = (merchant: Pick<Person, 'id'>) => act('suspend', merchant, { reason: 'Mails to strangers.' });
const statusOf = async (at: Pick<TestApp, 'address'>, person: Person) =>
  (await call(at, 'GET', '/accounts', undefined, person)).status;

test('200: sessions of the merchant end, those of customers rest, and both on every replica', async () => {
  const { merchant, consumer } = await createShop(app);
  const stranger = await createMerchant(app);
  for (const at of [app, replica]) for (const who of [merchant, consumer]) expect(await statusOf(at, who)).toBe(200);
  const headers = { Authorization: `Bearer ${consumer.token}` };
  const socket = openSocket(app, { merchant_uuid: merchant.uuid }, { headers });
  expect(await socket.answered).toBe(101);
  expect((await suspend(merchant)).body).toMatchObject({ state: 'suspended', reason: 'Mails to strangers.' });
  for (const at of [app, replica])
    for (const who of [merchant, consumer]) await until(async () => (await statusOf(at, who)) === 401);
  await socket.closed;
  expect(await statusOf(app, stranger)).toBe(200);
  const renewal = { grant_type: 'refresh_token', client_id: merchant.uuid, refresh_token: consumer.refreshToken };
  expect((await call(app, 'POST', '/accounts/authenticate', renewal)).status).toBe(401);

  expect((await act('resume', merchant)).body).toMatchObject({ state: 'open', reason: null });
  for (const at of [app, replica]) await until(async () => (await statusOf(at, consumer)) === 200);
  expect(await statusOf(app, merchant)).toBe(401);
  expect((await signInWith(app, merchant)).status).toBe(200);
});

test('nobody of a suspended merchant comes in, and its pages say why', async () => {
  const { merchant, consumer, item } = await createShop(app);
  await suspend(merchant);
  const platform = { client_id: 'platform' };
  expect((await signInWith(app, merchant, platform)).body).toMatchObject({ code: 403, error: 'merchant_suspended' });
  expect((await signInWith(app, merchant, { ...platform, password: 'wrong' })).body.error).toBe('invalid_credentials');
  expect((await signInWith(app, consumer)).body.error).toBe('invalid_client');
  expect((await call(app, 'POST', '/accounts', registration('consumer', merchant.uuid))).status).toBe(401);
  for (const path of [`/paywall/${merchant.uuid}/${item.id}`, `/portal/${merchant.uuid}`]) {
    const { status, text } = await new PageWalker(app).open(path);
    expect([path, status, text.includes('This shop is not open')]).toEqual([path, 403, true]);
  }
  const console_ = await enterConsole(app, merchant.email);
  expect((await console_.open('/console')).status).toBe(303);
});

test('mails to customers wait, the merchant hears why, and both logs name the operator', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  await until(() => arrived(consumer.email)[0]);
  await suspend(merchant);
  const notice = await until(() => arrived(merchant.email).find(({ subject }) => subject?.endsWith(' is suspended')));
  expect(notice.text).toContain('Mails to strangers.');
  const reset = { email: consumer.email, merchant_uuid: merchant.uuid };
  await call(app, 'POST', '/accounts/forgot-password', reset);
  await until(async () => {
    const text = `SELECT 1 FROM mails WHERE template = 'password_reset' AND recipient = $1 AND available_at > now() + interval '3 minutes'`;
    return (await app.pool.query(text, [consumer.email])).rows.length === 1;
  });
  expect(arrived(consumer.email)).toHaveLength(1);
  const { rows } = await app.pool.query<{ log: string; acted_by: string | null }>(
    `SELECT CASE WHEN merchant_id = $1 THEN 'merchant' ELSE 'operator' END AS log, acted_by FROM audit_log
     WHERE action = 'merchant.suspend' AND object_id = $1::text ORDER BY 1`,
    [merchant.id],
  );
  expect(rows).toEqual([
    { log: 'merchant', acted_by: operator.uuid },
    { log: 'operator', acted_by: null },
  ]);
});

test('409 merchant_state: a merchant is suspended once, and then not approved', async () => {
  const merchant = await createMerchant(app);
  const both = await Promise.all([suspend(merchant), suspend(merchant)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect((await act('approve', merchant)).status).toBe(409);
});

test('404 merchant_not_found: a customer is no merchant', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  expect((await suspend(consumer)).body).toMatchObject({ error: 'merchant_not_found' });
});
