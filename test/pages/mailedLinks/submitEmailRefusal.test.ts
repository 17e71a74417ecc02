import { call } from '../../support/client';
import {
  addressOf,
  askForChange,
  confirmAndUndo,
  confirmEmail,
  createActiveConsumer,
  newAddress,
  requestEmail,
} from '../../support/emailChanges';
import { password, type Person } from '../../support/factories';
import { receives, tokenIn } from '../../support/mailbox';
import { addPasskey } from '../../support/passkeys';
import { startApp, type TestApp } from '../../support/startApp';
import { openSession } from '../../support/world';

let app: TestApp;
beforeAll(async () => (app = await startApp({ RATE_LIMIT_SIGN_INS: '400' })));
afterAll(() => app.stop());

const open = (path: string) => call<string>(app, 'GET', path);
const press = (path: string, fields: Record<string, string> = {}) => call<string>(app, 'POST', path, fields);
const isSignedIn = async (person: Person) => (await call(app, 'GET', '/accounts', undefined, person)).status === 200;
const hasExpired = 'This link has expired';

/** The token for a new password in the form of a page. */
const resetTokenIn = (body: string) => /\/accounts\/forgot-password\/([\w-]{43})/.exec(body)?.[1] ?? '';

const setPassword = (token: string) => {
  const fields = { password: 'a-quite-new-battery', password_confirmation: 'a-quite-new-battery' };
  return call(app, 'PUT', `/accounts/forgot-password/${token}`, fields);
};

test('200: the former address stops a change that waits: all sessions end, and a new password is set', async () => {
  const asked = await askForChange(app, await createActiveConsumer(app));
  const path = `/accounts/email/stop/${asked.stop}`;
  expect((await open(path)).body).toContain(asked.email);
  expect(await isSignedIn(asked.consumer)).toBe(true);
  const { body } = await press(path);
  expect(body).toContain('Set a new password');
  expect(await isSignedIn(asked.consumer)).toBe(false);
  expect(await confirmEmail(app, asked.confirm)).toMatchObject({ status: 422 });
  expect((await setPassword(resetTokenIn(body))).status).toBe(200);
  expect(await addressOf(app, asked.consumer)).toBe(asked.consumer.email);
  for (const answer of [await open(path), await press(path)]) expect(answer.body).toContain(hasExpired);
});

test('200: the former address undoes a change, and removes what the other person has added', async () => {
  const people = await createActiveConsumer(app);
  const { consumer } = people;
  const asked = await askForChange(app, people);
  const undo = await confirmAndUndo(app, asked);
  await addPasskey(app, consumer);
  const other = await openSession({ ...consumer, email: asked.email });
  const { body } = await press(`/accounts/email/stop/${undo}`);
  expect(body).toContain('Set a new password');
  expect(await addressOf(app, consumer)).toBe(consumer.email);
  expect([await isSignedIn(consumer), await isSignedIn(other)]).toEqual([false, false]);
  const keys = await app.pool.query('SELECT FROM passkeys WHERE account_id = $1', [consumer.id]);
  expect(keys.rows).toEqual([]);
  const old = { grant_type: 'password', client_id: consumer.merchantUuid, username: consumer.email, password };
  expect((await call(app, 'POST', '/accounts/authenticate', old)).status).toBe(401);
  expect((await setPassword(resetTokenIn(body))).status).toBe(200);
  const log = await app.pool.query(`SELECT FROM audit_log WHERE action = 'email.refuse' AND object_id = $1`, [
    String(consumer.id),
  ]);
  expect(log.rows).toHaveLength(1);
});

test('200: ways to sign in that were added in the week before the request are removed too, and older ones stay', async () => {
  const people = await createActiveConsumer(app);
  const { consumer } = people;
  await addPasskey(app, consumer);
  await app.pool.query(`UPDATE passkeys SET created_at = now() - interval '8 days' WHERE account_id = $1`, [
    consumer.id,
  ]);
  await addPasskey(app, consumer);
  await app.pool.query(
    `INSERT INTO social_identities (merchant_id, account_id, provider, subject, is_proven, created_at)
     SELECT merchant_id, id, 'google', 'subject-' || id, true, now() - interval '6 days' FROM accounts WHERE id = $1`,
    [consumer.id],
  );
  await app.pool.query(`UPDATE accounts SET social_apps_metadata = '[{"name":"google"}]' WHERE id = $1`, [consumer.id]);
  const undo = await confirmAndUndo(app, await askForChange(app, people));
  await press(`/accounts/email/stop/${undo}`);
  const { rows } = await app.pool.query(
    `SELECT (SELECT count(*)::int FROM passkeys WHERE account_id = a.id) AS passkeys,
       (SELECT count(*)::int FROM social_identities WHERE account_id = a.id) AS identities, social_apps_metadata AS apps
     FROM accounts a WHERE id = $1`,
    [consumer.id],
  );
  expect(rows).toEqual([{ passkeys: 1, identities: 0, apps: [] }]);
});

test('200: the link of the first notice also undoes the change, and later changes', async () => {
  const people = await createActiveConsumer(app);
  const { merchant, consumer } = people;
  const first = await askForChange(app, people);
  await confirmEmail(app, first.confirm);
  const third = newAddress();
  await requestEmail(app, consumer, { email: third });
  const confirm = tokenIn(await receives(app, merchant, third, 'email_change'));
  const stop = tokenIn(await receives(app, merchant, first.email, 'email_change_asked'));
  expect((await confirmEmail(app, confirm)).status).toBe(200);
  expect((await press(`/accounts/email/stop/${first.stop}`)).body).toContain('Set a new password');
  expect(await addressOf(app, consumer)).toBe(consumer.email);
  // The address in between belongs to the other person, and has no rights any more.
  expect((await press(`/accounts/email/stop/${stop}`)).body).toContain(hasExpired);
  expect(await addressOf(app, consumer)).toBe(consumer.email);
});

test('200: a change is final after seven days', async () => {
  const people = await createActiveConsumer(app);
  const asked = await askForChange(app, people);
  const undo = await confirmAndUndo(app, asked);
  const { rows } = await app.pool.query<{ days: number }>(
    `SELECT extract(day FROM undo_until - confirmed_at)::int AS days FROM email_changes WHERE account_id = $1`,
    [people.consumer.id],
  );
  expect(rows).toEqual([{ days: 7 }]);
  await app.pool.query('UPDATE email_changes SET undo_until = now() WHERE account_id = $1', [people.consumer.id]);
  for (const token of [undo, asked.stop])
    for (const answer of [await open(`/accounts/email/stop/${token}`), await press(`/accounts/email/stop/${token}`)])
      expect(answer.body).toContain(hasExpired);
  expect(await addressOf(app, people.consumer)).toBe(asked.email);
});

test('200: of several presses at once, one undoes the change', async () => {
  const people = await createActiveConsumer(app);
  const undo = await confirmAndUndo(app, await askForChange(app, people));
  const answers = await Promise.all([1, 2, 3].map(() => press(`/accounts/email/stop/${undo}`)));
  expect(answers.map(({ body }) => body.includes(hasExpired)).sort()).toEqual([false, true, true]);
});

test('200: another account has the former address after all: nobody enters the account any more', async () => {
  const people = await createActiveConsumer(app);
  const { merchant, consumer } = people;
  const asked = await askForChange(app, people);
  const undo = await confirmAndUndo(app, asked);
  await addPasskey(app, consumer);
  const { consumer: other } = await createActiveConsumer(app, merchant);
  // A hold prevents this, so it is lifted for a moment.
  await app.pool.query('UPDATE email_changes SET undo_until = now() WHERE account_id = $1', [consumer.id]);
  await app.pool.query('UPDATE accounts SET email = $2, email_normalized = $2 WHERE id = $1', [
    other.id,
    consumer.email,
  ]);
  await app.pool.query(`UPDATE email_changes SET undo_until = now() + interval '7 days' WHERE account_id = $1`, [
    consumer.id,
  ]);
  const { body } = await press(`/accounts/email/stop/${undo}`);
  expect(body).toContain('Your account is closed');
  expect([await isSignedIn(consumer), await isSignedIn(other)]).toEqual([false, true]);
  const { rows } = await app.pool.query(
    `SELECT is_active, (SELECT count(*)::int FROM passkeys WHERE account_id = a.id) AS passkeys,
       (SELECT count(*)::int FROM email_changes WHERE account_id = a.id) AS changes
     FROM accounts a WHERE id = $1`,
    [consumer.id],
  );
  // The change stays, so that an erasure finds the data under the former address.
  expect(rows).toEqual([{ is_active: false, passkeys: 0, changes: 1 }]);
  for (const username of [asked.email, consumer.email]) {
    const fields = { grant_type: 'password', client_id: consumer.merchantUuid, username, password };
    const { body: answer } = await call<{ account?: { id: number } }>(app, 'POST', '/accounts/authenticate', fields);
    expect(answer.account?.id).not.toBe(consumer.id);
  }
  expect((await press(`/accounts/email/stop/${undo}`)).body).toContain(hasExpired);
});
