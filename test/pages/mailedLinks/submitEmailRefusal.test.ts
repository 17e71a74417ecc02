import { call } from '../../support/client';
import {
  addressOf,
  type AskedChange,
  askForChange,
  confirmAndUndo,
  confirmEmail,
  createActiveConsumer,
  newAddress,
  requestEmail,
} from '../../support/emailChanges';
import { createMerchant, password, type Person, registration } from '../../support/factories';
import { receives, tokenIn } from '../../support/mailbox';
import { addPasskey } from '../../support/passkeys';
import { createStaff } from '../../support/staff';
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

test('200: a merchant and a member of its staff undo a change', async () => {
  const merchant = await createMerchant(app);
  await app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [merchant.id]);
  const member = await createStaff(app, merchant, { role: 'editor' });
  for (const person of [member, merchant]) {
    const email = newAddress();
    expect((await requestEmail(app, person, { email })).status).toBe(200);
    const confirm = tokenIn(await receives(app, merchant, email, 'email_change'));
    expect((await confirmEmail(app, confirm)).status).toBe(200);
    const undo = tokenIn(await receives(app, merchant, person.email, 'email_changed'));
    const { body } = await press(`/accounts/email/stop/${undo}`);
    expect(await addressOf(app, person)).toBe(person.email);
    expect(await isSignedIn(person)).toBe(false);
    expect((await setPassword(resetTokenIn(body))).status).toBe(200);
  }
  const { rows } = await app.pool.query(
    `SELECT is_active FROM accounts a LEFT JOIN staff_members s ON s.account_id = a.id WHERE a.id IN ($1, $2)`,
    [merchant.id, member.id],
  );
  expect(rows).toEqual([{ is_active: true }, { is_active: true }]);
});

test('200: the merchant’s webhooks hear of the return of the address, and of nothing if it has not changed', async () => {
  const eventsOf = async ({ id }: Person) => {
    const text = `SELECT resource->>'email' AS email FROM events WHERE account_id = $1 AND type = 'customer.updated' ORDER BY sequence`;
    return (await app.pool.query<{ email: string }>(text, [id])).rows.map(({ email }) => email);
  };
  const people = await createActiveConsumer(app);
  await app.pool.query('UPDATE channels SET has_webhooks = true WHERE merchant_id = $1', [people.merchant.id]);
  const asked = await askForChange(app, people);
  await press(`/accounts/email/stop/${await confirmAndUndo(app, asked)}`);
  expect(await eventsOf(people.consumer)).toEqual([asked.email, people.consumer.email]);
  const stopped = await askForChange(app, await createActiveConsumer(app, people.merchant));
  await press(`/accounts/email/stop/${stopped.stop}`);
  expect(await eventsOf(stopped.consumer)).toEqual([]);
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

describe('the link of a request that has ended', () => {
  const ways: [string, (asked: AskedChange) => Promise<unknown>][] = [
    ['its hour is over', ({ consumer }) => alter(consumer, 'expires_at = now()')],
    ['it was canceled', ({ consumer }) => call(app, 'DELETE', '/v2/accounts/email', undefined, consumer)],
    ['another one replaced it', ({ consumer }) => requestEmail(app, consumer, { email: newAddress() })],
    ['the other person has set a new password', ({ consumer }) => changePassword(consumer)],
  ];

  const alter = ({ id }: Person, assignment: string) =>
    app.pool.query(`UPDATE email_changes SET ${assignment} WHERE account_id = $1`, [id]);
  const changePassword = (person: Person) => {
    const replaced = { password: 'a-stolen-battery', password_confirmation: 'a-stolen-battery' };
    return call(app, 'POST', '/accounts/change-password', { old_password: password, ...replaced }, person);
  };

  test.each(ways)('200: %s: all sessions end, and a new password is set', async (_name, end) => {
    const asked = await askForChange(app, await createActiveConsumer(app));
    await addPasskey(app, asked.consumer);
    await end(asked);
    expect(await isSignedIn(asked.consumer)).toBe(true);
    const path = `/accounts/email/stop/${asked.stop}`;
    expect((await open(path)).body).toContain('Your address stays as it is.');
    const { body } = await press(path);
    expect(body).toContain('Set a new password');
    expect(await isSignedIn(asked.consumer)).toBe(false);
    expect((await setPassword(resetTokenIn(body))).status).toBe(200);
    const { rows } = await app.pool.query(
      `SELECT email, (SELECT count(*)::int FROM passkeys WHERE account_id = a.id) AS passkeys,
         (SELECT count(*)::int FROM email_changes WHERE account_id = a.id) AS changes FROM accounts a WHERE id = $1`,
      [asked.consumer.id],
    );
    expect(rows).toEqual([{ email: asked.consumer.email, passkeys: 0, changes: 0 }]);
    expect((await press(path)).body).toContain(hasExpired);
  });

  test('200: a later request that was confirmed is undone', async () => {
    const people = await createActiveConsumer(app);
    const { merchant, consumer } = people;
    const first = await askForChange(app, people);
    const email = newAddress();
    await requestEmail(app, consumer, { email });
    const confirm = tokenIn(await receives(app, merchant, email, 'email_change'));
    expect((await confirmEmail(app, confirm)).status).toBe(200);
    const path = `/accounts/email/stop/${first.stop}`;
    expect((await open(path)).body).toContain('We restore your former address');
    expect((await press(path)).body).toContain('Set a new password');
    expect(await addressOf(app, consumer)).toBe(consumer.email);
  });

  test('200: it works for seven days after the request, and does nothing later', async () => {
    const asked = await askForChange(app, await createActiveConsumer(app));
    const path = `/accounts/email/stop/${asked.stop}`;
    await call(app, 'DELETE', '/v2/accounts/email', undefined, asked.consumer);
    await alter(asked.consumer, `created_at = now() - interval '7 days'`);
    for (const answer of [await open(path), await press(path)]) expect(answer.body).toContain(hasExpired);
    expect(await isSignedIn(asked.consumer)).toBe(true);
    await alter(asked.consumer, `created_at = now() - interval '7 days' + interval '5 minutes'`);
    expect((await press(path)).body).toContain('Set a new password');
  });

  test('200: the address that was requested stays free', async () => {
    const asked = await askForChange(app, await createActiveConsumer(app));
    await call(app, 'DELETE', '/v2/accounts/email', undefined, asked.consumer);
    const fields = { ...registration('consumer', asked.merchant.uuid), username: asked.email };
    expect((await call(app, 'POST', '/accounts', fields)).status).toBe(200);
  });
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

test('200: of several presses at once, one undoes the change, and all lead to the form for a new password', async () => {
  const people = await createActiveConsumer(app);
  const path = `/accounts/email/stop/${await confirmAndUndo(app, await askForChange(app, people))}`;
  const answers = await Promise.all([1, 2, 3].map(() => press(path)));
  const [token = '', ...others] = [...answers, await open(path)].map(({ body }) => resetTokenIn(body));
  expect(others).toEqual([token, token, token]);
  const text = `SELECT FROM audit_log WHERE action = 'email.refuse' AND object_id = $1`;
  expect((await app.pool.query(text, [String(people.consumer.id)])).rows).toHaveLength(1);
  expect((await setPassword(token)).status).toBe(200);
  for (const answer of [await open(path), await press(path)]) expect(answer.body).toContain(hasExpired);
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
