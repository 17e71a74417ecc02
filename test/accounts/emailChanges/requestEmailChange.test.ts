import { call } from '../../support/client';
import { createConsumer, createMerchant, password } from '../../support/factories';
import {
  addressOf,
  askForChange,
  confirmEmail,
  createActiveConsumer,
  newAddress,
  requestEmail,
} from '../../support/emailChanges';
import { waitForLocks } from '../../support/locks';
import { mailsTo, receives } from '../../support/mailbox';
import { ageSessions } from '../../support/passkeys';
import { switchFactorOn } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_MAILS: '3' });
});
afterAll(() => app.stop());

test('200: the new address gets a link, the former one a notice, and the address stays', async () => {
  const { merchant, consumer } = await createActiveConsumer(app);
  const email = newAddress();
  expect(await requestEmail(app, consumer, { email })).toMatchObject({ status: 200, body: { code: 200 } });
  expect(await receives(app, merchant, email, 'email_change')).toMatchObject({ to: email });
  const notice = await receives(app, merchant, consumer.email, 'email_change_asked');
  expect(notice.text).toContain(email);
  expect(notice.text).toContain('/accounts/email/stop/');
  expect(await addressOf(app, consumer)).toBe(consumer.email);
});

test('200: the tokens are stored as hashes, and the audit log has the request without an address', async () => {
  const asked = await askForChange(app, await createActiveConsumer(app));
  const { rows } = await app.pool.query<{ stored: string }>(
    `SELECT to_jsonb(c)::text AS stored FROM email_changes c WHERE account_id = $1`,
    [asked.consumer.id],
  );
  expect(rows).toHaveLength(1);
  for (const token of [asked.confirm, asked.stop]) expect(rows[0]?.stored).not.toContain(token);
  const log = await app.pool.query<{ entry: string }>(
    `SELECT to_jsonb(l)::text AS entry FROM audit_log l WHERE action = 'email.request' AND object_id = $1`,
    [String(asked.consumer.id)],
  );
  expect(log.rows).toHaveLength(1);
  expect(log.rows[0]?.entry).not.toContain(asked.email);
});

test('200: an address with another account gets the same answer, and the same mail', async () => {
  const { merchant, consumer } = await createActiveConsumer(app);
  const other = await createConsumer(app, merchant);
  const taken = await requestEmail(app, consumer, { email: other.email });
  const free = await requestEmail(app, consumer, { email: newAddress() });
  expect([taken.status, taken.body]).toEqual([free.status, free.body]);
  expect(await receives(app, merchant, other.email, 'email_change')).toMatchObject({ to: other.email });
});

test('401 invalid_auth_token: the erasure of the account began while the request waited', async () => {
  const { consumer } = await createActiveConsumer(app);
  const holder = await app.pool.connect();
  await holder.query('BEGIN');
  await holder.query('UPDATE accounts SET erasing_at = now(), is_active = false WHERE id = $1', [consumer.id]);
  await holder.query('UPDATE sessions SET revoked_at = now() WHERE account_id = $1', [consumer.id]);
  const email = newAddress();
  const crossing = requestEmail(app, consumer, { email });
  await waitForLocks(app.pool);
  await holder.query('COMMIT');
  holder.release();
  expect(await crossing).toMatchObject({ status: 401, body: { error: 'invalid_auth_token' } });
  const text = `SELECT id FROM email_changes WHERE account_id = $1 UNION ALL SELECT id FROM mails WHERE recipient = $2`;
  expect((await app.pool.query(text, [consumer.id, email])).rows).toEqual([]);
});

test('200: a newer request replaces the one that waits', async () => {
  const first = await askForChange(app, await createActiveConsumer(app));
  const second = await askForChange(app, first);
  expect(await confirmEmail(app, first.confirm)).toMatchObject({ status: 422, body: { error: 'email_token_invalid' } });
  expect((await confirmEmail(app, second.confirm)).status).toBe(200);
});

test('200: an address that was never proved gets no notice, because it may belong to a stranger', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const email = newAddress();
  expect((await requestEmail(app, consumer, { email })).status).toBe(200);
  await receives(app, merchant, email, 'email_change');
  const templates = (await mailsTo(app, merchant, consumer.email)).map(({ template }) => template);
  expect(templates).not.toContain('email_change_asked');
});

test('200: a merchant requests an address for itself', async () => {
  const merchant = await createMerchant(app);
  const email = newAddress();
  expect((await requestEmail(app, merchant, { email })).status).toBe(200);
  expect(await receives(app, merchant, email, 'email_change')).toMatchObject({ to: email });
});

test('422 invalid_input: the present address', async () => {
  const { consumer } = await createActiveConsumer(app);
  expect(await requestEmail(app, consumer, { email: consumer.email })).toMatchObject({
    status: 422,
    body: { errors: { email: 'The email is the present one.' } },
  });
});

test('400 missing_parameter: an old session needs the password', async () => {
  const { consumer } = await createActiveConsumer(app);
  await ageSessions(app, consumer, '11 minutes');
  expect(await requestEmail(app, consumer, { email: newAddress() })).toMatchObject({
    status: 400,
    body: { error: 'missing_parameter' },
  });
  expect((await requestEmail(app, consumer, { email: newAddress(), password })).status).toBe(200);
});

test('422 wrong_password: an old session with another password', async () => {
  const { consumer } = await createActiveConsumer(app);
  await ageSessions(app, consumer, '11 minutes');
  expect(await requestEmail(app, consumer, { email: newAddress(), password: 'another-horse' })).toMatchObject({
    status: 422,
    body: { error: 'wrong_password' },
  });
});

test('403 recent_factor_required: the password does not replace the code of an authenticator app', async () => {
  const { consumer } = await createActiveConsumer(app);
  await switchFactorOn(app, consumer);
  await app.pool.query('UPDATE sessions SET factor_proven_at = NULL WHERE account_id = $1', [consumer.id]);
  expect(await requestEmail(app, consumer, { email: newAddress(), password })).toMatchObject({
    status: 403,
    body: { error: 'recent_factor_required' },
  });
});

test('429 too_many_requests: mails of one account', async () => {
  const { consumer } = await createActiveConsumer(app);
  const statuses: number[] = [];
  for (let count = 0; count < 6 && !statuses.includes(429); count += 1)
    statuses.push((await requestEmail(app, consumer, { email: newAddress() })).status);
  expect(statuses).toContain(200);
  expect(statuses.at(-1)).toBe(429);
});

test('429 too_many_requests: mails of several accounts to one address', async () => {
  const merchant = await createMerchant(app);
  const email = newAddress();
  const statuses: number[] = [];
  for (let count = 0; count < 6 && !statuses.includes(429); count += 1)
    statuses.push((await requestEmail(app, await createConsumer(app, merchant), { email })).status);
  expect(statuses).toContain(200);
  expect(statuses.at(-1)).toBe(429);
});

test('200: existing clients that send an address with the profile change nothing', async () => {
  const { consumer } = await createActiveConsumer(app);
  const body = { full_name: 'Ana Petrova', email: newAddress(), username: newAddress() };
  expect((await call(app, 'PUT', '/accounts', body, consumer)).status).toBe(200);
  expect(await addressOf(app, consumer)).toBe(consumer.email);
});
