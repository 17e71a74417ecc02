import { call } from '../../support/client';
import { createConsumer, createMerchant, password, type Person, registration } from '../../support/factories';
import {
  addressOf,
  askForChange,
  confirmAndUndo,
  confirmEmail,
  createActiveConsumer,
  newAddress,
  requestEmail,
} from '../../support/emailChanges';
import { receives, tokenIn } from '../../support/mailbox';
import { createRole, createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';
import { openSession } from '../../support/world';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const invalid = { status: 422, body: { error: 'email_token_invalid' } };

const signIn = (merchant: Person, username: string) =>
  call(app, 'POST', '/accounts/authenticate', {
    grant_type: 'password',
    client_id: merchant.uuid,
    username,
    password,
  });

test('200: the new address signs in, the former one does not, and only the session of the request stays', async () => {
  const people = await createActiveConsumer(app);
  const { merchant, consumer } = people;
  const other = await openSession(consumer);
  const asked = await askForChange(app, people);
  expect(await confirmEmail(app, asked.confirm)).toMatchObject({ status: 200, body: { email: asked.email } });
  expect((await signIn(merchant, asked.email)).status).toBe(200);
  expect((await signIn(merchant, consumer.email)).status).toBe(401);
  expect(await call(app, 'GET', '/accounts', undefined, consumer)).toMatchObject({
    status: 200,
    body: { email: asked.email, username: asked.email },
  });
  expect((await call(app, 'GET', '/accounts', undefined, other)).status).toBe(401);
  const notice = await receives(app, merchant, consumer.email, 'email_changed');
  expect(notice.text).toContain(asked.email);
});

test('200: an event and the audit log record the change', async () => {
  const asked = await askForChange(app, await createActiveConsumer(app));
  // Only webhooks receive this event.
  await app.pool.query('UPDATE channels SET has_webhooks = true WHERE merchant_id = $1', [asked.merchant.id]);
  await confirmEmail(app, asked.confirm);
  const { rows } = await app.pool.query(
    `SELECT resource->>'email' AS email FROM events WHERE account_id = $1 AND type = 'customer.updated'`,
    [asked.consumer.id],
  );
  expect(rows).toEqual([{ email: asked.email }]);
  const log = await app.pool.query(`SELECT action FROM audit_log WHERE object_id = $1 AND action LIKE 'email.%'`, [
    String(asked.consumer.id),
  ]);
  expect(log.rows).toEqual([{ action: 'email.request' }, { action: 'email.change' }]);
});

test('200: links in mails to the former address end', async () => {
  const people = await createActiveConsumer(app);
  const { merchant, consumer } = people;
  await call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: merchant.uuid, email: consumer.email });
  const reset = tokenIn(await receives(app, merchant, consumer.email, 'password_reset'));
  const asked = await askForChange(app, people);
  await confirmEmail(app, asked.confirm);
  const fields = { password: 'a-quite-new-battery', password_confirmation: 'a-quite-new-battery' };
  expect((await call(app, 'PUT', `/accounts/forgot-password/${reset}`, fields)).status).toBe(422);
});

test('200: a session of the account replaces the password', async () => {
  const asked = await askForChange(app, await createActiveConsumer(app));
  expect((await confirmEmail(app, asked.confirm, {}, asked.consumer)).status).toBe(200);
});

test('200: an address that was never proved changes for good, and the account becomes active', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const email = newAddress();
  await requestEmail(app, consumer, { email });
  const token = tokenIn(await receives(app, merchant, email, 'email_change'));
  expect((await confirmEmail(app, token)).status).toBe(200);
  expect(await call(app, 'GET', '/accounts', undefined, consumer)).toMatchObject({ body: { email, completed: true } });
  // The owner of the former mailbox can register.
  const fields = { ...registration('consumer', merchant.uuid), username: consumer.email };
  expect((await call(app, 'POST', '/accounts', fields)).status).toBe(200);
});

test('200: a change of upper and lower case', async () => {
  const people = await createActiveConsumer(app);
  const email = people.consumer.email.replace(/^./, (letter) => letter.toUpperCase());
  const asked = await askForChange(app, people, email);
  expect(await confirmEmail(app, asked.confirm)).toMatchObject({ status: 200, body: { email } });
});

test('200: the other merchant has a customer with the same address', async () => {
  const other = await createActiveConsumer(app);
  const asked = await askForChange(app, await createActiveConsumer(app), other.consumer.email);
  expect((await confirmEmail(app, asked.confirm)).status).toBe(200);
});

test('422 email_token_invalid: a link serves once, also when many come at once', async () => {
  const asked = await askForChange(app, await createActiveConsumer(app));
  const answers = await Promise.all([1, 2, 3, 4].map(() => confirmEmail(app, asked.confirm)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422]);
  expect(await confirmEmail(app, asked.confirm)).toMatchObject(invalid);
});

test('422 email_token_invalid: after an hour', async () => {
  const asked = await askForChange(app, await createActiveConsumer(app));
  const { rows } = await app.pool.query<{ minutes: string }>(
    'SELECT extract(epoch FROM expires_at - created_at) / 60 AS minutes FROM email_changes WHERE account_id = $1',
    [asked.consumer.id],
  );
  expect(Number(rows[0]?.minutes)).toBe(60);
  await app.pool.query('UPDATE email_changes SET expires_at = now() WHERE account_id = $1', [asked.consumer.id]);
  expect(await confirmEmail(app, asked.confirm)).toMatchObject(invalid);
  expect(await addressOf(app, asked.consumer)).toBe(asked.consumer.email);
});

test('422 email_token_invalid: tokens of other purposes', async () => {
  const asked = await askForChange(app, await createActiveConsumer(app));
  const activation = tokenIn(await receives(app, asked.merchant, asked.consumer.email, 'activation'));
  for (const token of [asked.stop, activation, 'unknown'])
    expect(await confirmEmail(app, token)).toMatchObject(invalid);
  const reset = { password: 'a-quite-new-battery', password_confirmation: 'a-quite-new-battery' };
  expect((await call(app, 'PUT', `/accounts/forgot-password/${asked.confirm}`, reset)).status).toBe(422);
  expect((await call(app, 'PUT', `/accounts/activate/${asked.confirm}`, {})).status).toBe(422);
});

test('422 email_token_invalid: the password was changed since the request', async () => {
  const asked = await askForChange(app, await createActiveConsumer(app));
  const fields = {
    old_password: password,
    password: 'a-quite-new-battery',
    password_confirmation: 'a-quite-new-battery',
  };
  expect((await call(app, 'POST', '/accounts/change-password', fields, asked.consumer)).status).toBe(200);
  expect(await confirmEmail(app, asked.confirm)).toMatchObject(invalid);
});

test('422 email_token_invalid: an account that is deactivated or is being erased', async () => {
  for (const change of ['is_active = false', 'erasing_at = now()']) {
    const asked = await askForChange(app, await createActiveConsumer(app));
    await app.pool.query(`UPDATE accounts SET ${change} WHERE id = $1`, [asked.consumer.id]);
    expect(await confirmEmail(app, asked.confirm)).toMatchObject(invalid);
    expect(await addressOf(app, asked.consumer)).toBe(asked.consumer.email);
  }
});

test('422 wrong_password: a reader of the mail who is not the owner of the account', async () => {
  const asked = await askForChange(app, await createActiveConsumer(app));
  const stranger = await createConsumer(app, asked.merchant);
  const refused = { status: 422, body: { error: 'wrong_password' } };
  expect(await confirmEmail(app, asked.confirm, {})).toMatchObject(refused);
  expect(await confirmEmail(app, asked.confirm, {}, stranger)).toMatchObject(refused);
  expect(await confirmEmail(app, asked.confirm, { password: 'another-horse' })).toMatchObject(refused);
  expect(await addressOf(app, asked.consumer)).toBe(asked.consumer.email);
  // The refused attempts have not used the link.
  expect((await confirmEmail(app, asked.confirm)).status).toBe(200);
});

test('429 too_many_requests: after five wrong passwords', async () => {
  const asked = await askForChange(app, await createActiveConsumer(app));
  const statuses: number[] = [];
  for (let count = 0; count < 7; count += 1)
    statuses.push((await confirmEmail(app, asked.confirm, { password: `wrong-${count}-horse` })).status);
  expect(statuses.at(-1)).toBe(429);
});

test('409 email_taken: another account took the address after the request', async () => {
  const asked = await askForChange(app, await createActiveConsumer(app));
  const fields = { ...registration('consumer', asked.merchant.uuid), username: asked.email.toUpperCase() };
  expect((await call(app, 'POST', '/accounts', fields)).status).toBe(200);
  expect(await confirmEmail(app, asked.confirm)).toMatchObject({ status: 409, body: { error: 'email_taken' } });
  expect(await addressOf(app, asked.consumer)).toBe(asked.consumer.email);
  expect((await signIn(asked.merchant, asked.consumer.email)).status).toBe(200);
});

test('409 email_taken: exactly one of several changes and registrations gets the address', async () => {
  for (let round = 0; round < 5; round += 1) {
    const first = await askForChange(app, await createActiveConsumer(app));
    const { merchant, email } = first;
    const second = await askForChange(app, await createActiveConsumer(app, merchant), email);
    const fields = { ...registration('consumer', merchant.uuid), username: email };
    const answers = await Promise.all([
      confirmEmail(app, first.confirm),
      confirmEmail(app, second.confirm),
      call(app, 'POST', '/accounts', fields),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const { rows } = await app.pool.query('SELECT id FROM accounts WHERE merchant_id = $1 AND email_normalized = $2', [
      merchant.id,
      email,
    ]);
    expect(rows).toHaveLength(1);
  }
});

test('409 account_exists: nobody else gets the former address while the change can be undone', async () => {
  const people = await createActiveConsumer(app);
  const { merchant, consumer } = people;
  await confirmAndUndo(app, await askForChange(app, people));
  const fields = { ...registration('consumer', merchant.uuid), username: consumer.email };
  expect(await call(app, 'POST', '/accounts', fields)).toMatchObject({
    status: 409,
    body: { error: 'account_exists' },
  });
  const other = await askForChange(app, await createActiveConsumer(app, merchant), consumer.email);
  expect(await confirmEmail(app, other.confirm)).toMatchObject({ status: 409, body: { error: 'email_taken' } });
  // The owner can go back, and another merchant is not concerned.
  const elsewhere = { ...registration('consumer', (await createMerchant(app)).uuid), username: consumer.email };
  expect((await call(app, 'POST', '/accounts', elsewhere)).status).toBe(200);
  await app.pool.query('UPDATE email_changes SET undo_until = now() WHERE account_id = $1', [consumer.id]);
  expect((await call(app, 'POST', '/accounts', fields)).status).toBe(200);
});

/** Confirms a requested change of an account in a transaction that ends after `crossing` waits for it. */
async function crossChange<T>({ id }: Person, crossing: () => Promise<T>): Promise<T> {
  await app.pool.query(
    `INSERT INTO email_changes (merchant_id, account_id, email, former_email, former_email_normalized, session_id, confirm_hash, expires_at)
     SELECT merchant_id, id, $2, email, email_normalized, gen_random_uuid(), sha256(convert_to($2, 'UTF8')), now()
     FROM accounts WHERE id = $1`,
    [id, newAddress()],
  );
  const holder = await app.pool.connect();
  await holder.query('BEGIN');
  const confirm = `UPDATE email_changes SET confirmed_at = now(), undo_until = now() + interval '7 days' WHERE account_id = $1`;
  await holder.query(confirm, [id]);
  await holder.query('UPDATE accounts SET email = $2, email_normalized = $2 WHERE id = $1', [id, newAddress()]);
  const answer = crossing();
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await until(async () => (await app.pool.query(waiting)).rows.length === 1);
  await holder.query('COMMIT');
  holder.release();
  return answer;
}

const taken = { status: 409, body: { error: 'account_exists' } };

test('409 account_exists: a registration that waits for a change of the same address', async () => {
  const { merchant, consumer } = await createActiveConsumer(app);
  const fields = { ...registration('consumer', merchant.uuid), username: consumer.email };
  expect(await crossChange(consumer, () => call(app, 'POST', '/accounts', fields))).toMatchObject(taken);
});

test('409 account_exists: a merchant who registers with the address that a member of the staff leaves', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role_id: await createRole(app, merchant, ['accounts:read']) });
  const fields = { ...registration('merchant', 'platform'), username: member.email };
  expect(await crossChange(member, () => call(app, 'POST', '/accounts', fields))).toMatchObject(taken);
  // A removed member cannot undo the change.
  await app.pool.query('UPDATE accounts SET is_active = false WHERE id = $1', [member.id]);
  expect((await call(app, 'POST', '/accounts', fields)).status).toBe(200);
});

test('422 wrong_password: the session of the request has ended, and the browser has signed in before', async () => {
  const asked = await askForChange(app, await createActiveConsumer(app));
  const other = await openSession(asked.consumer);
  await app.pool.query('UPDATE sessions SET revoked_at = now() WHERE account_id = $1', [asked.consumer.id]);
  expect(await confirmEmail(app, asked.confirm, {}, other)).toMatchObject({
    status: 422,
    body: { error: 'wrong_password' },
  });
  expect((await confirmEmail(app, asked.confirm)).status).toBe(200);
});

test('200: an account that was activated after the request can undo the change', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const email = newAddress();
  await requestEmail(app, consumer, { email });
  const confirm = tokenIn(await receives(app, merchant, email, 'email_change'));
  await app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [consumer.id]);
  expect((await confirmEmail(app, confirm)).status).toBe(200);
  expect((await receives(app, merchant, consumer.email, 'email_changed')).text).toContain(email);
});

test('409 email_taken: addresses of merchants are unique in the installation', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  await requestEmail(app, merchant, { email: other.email });
  const token = tokenIn(await receives(app, merchant, other.email, 'email_change'));
  expect(await confirmEmail(app, token)).toMatchObject({ status: 409, body: { error: 'email_taken' } });
});
