import { call } from '../../support/client';
import { createConsumer, createMerchant, password } from '../../support/factories';
import { writeGeoDatabase } from '../../support/geoDatabase';
import { mailsTo, receives } from '../../support/mailbox';
import { iPhone, isSignedIn, listSessions, sessionOf, signInAgain } from '../../support/sessions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  const london = { country: { iso_code: 'GB' }, subdivisions: [], city: { names: { en: 'London' } } };
  app = await startApp({ GEOIP_DATABASE: writeGeoDatabase({ '203.0.113.7': london }), TRUSTED_PROXIES: 'loopback' });
});
afterAll(() => app.stop());

test('200: the open sessions with device and last use, and which one asks', async () => {
  const first = await createConsumer(app, await createMerchant(app));
  const second = await signInAgain(app, first, iPhone);
  const { total, collection } = await listSessions(app, second);
  expect(total).toBe(2);
  expect(collection.map(({ id, is_current, device }) => ({ id, is_current, device }))).toEqual(
    expect.arrayContaining([
      { id: sessionOf(second), is_current: true, device: { type: 'mobile', os: 'iOS', model: 'iPhone' } },
      expect.objectContaining({ id: sessionOf(first), is_current: false }),
    ]),
  );
  expect(collection.every(({ is_acted }) => !is_acted)).toBe(true);
});

test('200: the place of each session, which the mail about a new device names, too', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const fields = { grant_type: 'password', client_id: merchant.uuid, username: consumer.email, password };
  const headers = { 'X-Forwarded-For': '203.0.113.7', 'User-Agent': iPhone };
  expect((await call(app, 'POST', '/accounts/authenticate', fields, { headers })).status).toBe(200);
  const { collection } = await listSessions(app, consumer);
  expect(collection.map(({ place }) => place)).toEqual([
    { country: 'GB', city: 'London' },
    { country: '', city: '' },
  ]);
  expect((await receives(app, merchant, consumer.email, 'new_sign_in')).text).toContain('London, GB');
});

test('200: an impersonation is in the list, and one that has ended is not', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  await call(app, 'POST', '/v2/accounts/impersonate', { customer_id: consumer.id }, merchant);
  const gone = await signInAgain(app, consumer);
  await call(app, 'GET', '/accounts/logout', undefined, gone);
  const { collection } = await listSessions(app, consumer);
  expect(collection.map(({ is_acted }) => is_acted).sort()).toEqual([false, true]);
});

test('200: the last use is written from time to time', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const past = `UPDATE sessions SET last_used_at = now() - interval '1 hour' WHERE id = $1`;
  const other = await signInAgain(app, consumer);
  await app.pool.query(past, [sessionOf(other)]);
  expect(await isSignedIn(app, other)).toBe(true);
  const { writeSessionUses } = await import('../../../src/accounts/tokens/sessionUses.js');
  await writeSessionUses();
  const { collection } = await listSessions(app, consumer);
  const used = collection.find(({ id }) => id === sessionOf(other))?.last_used_at ?? 0;
  expect(Date.now() / 1000 - used).toBeLessThan(600);
});

test('401: a session that was not used for longer than the merchant allows ends, and cannot be renewed', async () => {
  const merchant = await createMerchant(app);
  await call(app, 'PUT', '/accounts/settings', { session_idle_minutes: 30 }, merchant);
  const [idle, used] = [await createConsumer(app, merchant), await createConsumer(app, merchant)];
  const age = (minutes: number, person: { token: string } & Parameters<typeof sessionOf>[0]) =>
    app.pool.query('UPDATE sessions SET last_used_at = now() - make_interval(mins => $2) WHERE id = $1', [
      sessionOf(person),
      minutes,
    ]);
  await age(31, idle);
  await age(29, used);
  expect(await isSignedIn(app, idle)).toBe(false);
  expect(await isSignedIn(app, used)).toBe(true);
  const renewal = { grant_type: 'refresh_token', client_id: merchant.uuid, refresh_token: idle.refreshToken };
  expect((await call(app, 'POST', '/accounts/authenticate', renewal)).status).toBe(401);
});

test('new_sign_in: a mail tells of a sign-in on a new device, and of no other', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const told = async () =>
    (await mailsTo(app, merchant, consumer.email)).filter(({ template }) => template === 'new_sign_in').length;
  await signInAgain(app, consumer, iPhone);
  const mail = await receives(app, merchant, consumer.email, 'new_sign_in');
  expect(mail.text).toContain('iPhone, iOS');
  await signInAgain(app, consumer, iPhone);
  expect(await told()).toBe(1);
});
