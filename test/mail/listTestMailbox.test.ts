import { call } from '../support/client';
import { createConsumer, createMerchant, password } from '../support/factories';
import { receives } from '../support/mailbox';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: a merchant reads the mails of its consumers, newest first, as text and as HTML', async () => {
  const merchant = await createMerchant(app);
  const first = await createConsumer(app, merchant);
  const second = await createConsumer(app, merchant);
  const { status, body } = await call(app, 'GET', '/test-mailbox', undefined, merchant);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    total: 3,
    page: 1,
    collection: [{ to: second.email }, { to: first.email }, { to: merchant.email }],
  });
  const mail = await receives(app, merchant, second.email, 'activation');
  expect(mail).toMatchObject({ account_id: second.id, subject: 'Activate your account at Ana Petrova' });
  expect(mail.text).toContain('http://paywall.test/accounts/activate/');
  expect(mail.html).toMatch(/^<!doctype html>/);
  expect(mail.html).toContain('href="http://paywall.test/accounts/activate/');
});

test('200: a merchant’s name is escaped where the mail is HTML, and cannot break a header', async () => {
  const merchant = await createMerchant(app);
  await app.pool.query('UPDATE accounts SET full_name = $2 WHERE id = $1', [
    merchant.id,
    `<img src=x> & "Co"\r\nBcc: all@example.org`,
  ]);
  const mail = await receives(app, merchant, merchant.email, 'activation');
  expect(mail.subject).toBe('Activate your account at <img src=x> & "Co" Bcc: all@example.org');
  expect(mail.html).not.toContain('<img');
  expect(mail.html).toContain('&lt;img src=x&gt; &amp; &quot;Co&quot;');
});

test('200: an owner is told of a changed password', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const changed = 'a-quite-new-battery';
  const fields = { old_password: password, password: changed, password_confirmation: changed };
  expect(await call(app, 'POST', '/accounts/change-password', fields, consumer)).toMatchObject({ status: 200 });
  expect(await receives(app, merchant, consumer.email, 'password_changed')).toMatchObject({
    subject: 'Your password at Ana Petrova was changed',
  });
});

test('200: no merchant reads the mails of another', async () => {
  const merchant = await createMerchant(app);
  const other = await createMerchant(app);
  const { body } = await call(app, 'GET', `/test-mailbox?to=${merchant.email}`, undefined, other);
  expect(body).toMatchObject({ total: 0, collection: [] });
});

test('403 forbidden: a consumer reads no mailbox', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const reply = await call(app, 'GET', '/test-mailbox', undefined, consumer);
  expect(reply).toMatchObject({ status: 403, body: { error: 'forbidden' } });
});

test('401 invalid_auth_token: nobody without a token does', async () => {
  expect(await call(app, 'GET', '/test-mailbox')).toMatchObject({ status: 401, body: { error: 'invalid_auth_token' } });
});

test('422 invalid_input: `to` is an address', async () => {
  const merchant = await createMerchant(app);
  const reply = await call(app, 'GET', '/test-mailbox?to=nobody', undefined, merchant);
  expect(reply).toMatchObject({
    status: 422,
    body: { errors: { to: 'The to is not in a valid format: please enter a valid e-mail address.' } },
  });
});

test('200: what a mail says is not readable in the database', async () => {
  const merchant = await createMerchant(app);
  const mail = await receives(app, merchant, merchant.email, 'activation');
  const token = /activate\/([\w-]+)/.exec(mail.text)?.[1] ?? 'none';
  const { rows } = await app.pool.query<{ row: string }>(
    `SELECT to_jsonb(m) || jsonb_build_object('opened', encode(sealed_values, 'escape')) AS row FROM mails m
     UNION ALL SELECT to_jsonb(t) FROM mailed_tokens t`,
  );
  expect(rows.length).toBeGreaterThan(1);
  expect(JSON.stringify(rows)).not.toContain(token);
});
