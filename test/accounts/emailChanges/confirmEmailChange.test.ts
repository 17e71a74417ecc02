import { Account } from '../../../src/accounts/accounts.model';
import { takePossession } from '../../../src/accounts/signIn/possession';
import { transaction } from '../../../src/adapters/postgres/connection';
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
import { guessSevenTimes } from '../../support/guesses';
import { receives, tokenIn } from '../../support/mailbox';
import { startApp, type TestApp } from '../../support/startApp';
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
  const log = await app.pool.query(
    `SELECT action FROM audit_log WHERE object_id = $1 AND action LIKE 'email.%' ORDER BY sequence`,
    [String(asked.consumer.id)],
  );
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

test('422 email_token_invalid: the owner of the mailbox took the account over', async () => {
  const merchant = await createMerchant(app);
  const stranger = await createConsumer(app, merchant);
  const email = newAddress();
  await requestEmail(app, stranger, { email });
  const token = tokenIn(await receives(app, merchant, email, 'email_change'));
  await call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: merchant.uuid, email: stranger.email });
  const reset = tokenIn(await receives(app, merchant, stranger.email, 'password_reset'));
  const fields = { password: 'a-quite-new-battery', password_confirmation: 'a-quite-new-battery' };
  expect((await call(app, 'PUT', `/accounts/forgot-password/${reset}`, fields)).status).toBe(200);
  expect(await confirmEmail(app, token)).toMatchObject(invalid);
  expect(await addressOf(app, stranger)).toBe(stranger.email);
});

test('422 email_token_invalid: a provider has verified the address for somebody else, who took the account over', async () => {
  const merchant = await createMerchant(app);
  const stranger = await createConsumer(app, merchant);
  const email = newAddress();
  await requestEmail(app, stranger, { email });
  const token = tokenIn(await receives(app, merchant, email, 'email_change'));
  const account = await Account.findByPk(stranger.id, { rejectOnEmpty: true });
  await transaction((inTransaction) => takePossession(inTransaction, account, { passwordHash: account.passwordHash }));
  expect(await confirmEmail(app, token)).toMatchObject(invalid);
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
  const statuses = await guessSevenTimes(app, (count) =>
    confirmEmail(app, asked.confirm, { password: `wrong-${count}-horse` }),
  );
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
