import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { createConsumer, createMerchant } from '../../support/factories';
import { mailsTo, receives, requestsAnswered } from '../../support/mailbox';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_MAILS: '3' });
});

afterAll(() => app.stop());

const ask = (email: string, merchantUuid: string, fields: Record<string, unknown> = {}) =>
  call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: merchantUuid, email, ...fields });

test('200: a link to a new password is mailed, to the stored address', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const { status, body } = await ask(consumer.email.toUpperCase(), merchant.uuid);
  expect({ status, body }).toMatchObject({ status: 200, body: { code: 200 } });
  const mail = await receives(app, merchant, consumer.email, 'password_reset');
  expect(mail).toMatchObject({
    to: consumer.email,
    account_id: consumer.id,
    subject: 'Set a new password at Ana Petrova',
  });
  expect(mail.text).toMatch(/http:\/\/paywall\.test\/accounts\/forgot-password\/[\w-]{43}/);
});

test.each(['0', 'undefined', '17', 'null'])('200: branding_id may be the text %s', async (brandingId) => {
  const merchant = await createMerchant(app);
  expect(await ask(merchant.email, merchant.uuid, { branding_id: brandingId })).toMatchObject({ status: 200 });
});

test('200: a merchant asks through the platform, or its own app', async () => {
  const merchant = await createMerchant(app);
  await ask(merchant.email, 'platform');
  const first = await receives(app, merchant, merchant.email, 'password_reset');
  await ask(merchant.email, merchant.uuid);
  expect(await receives(app, merchant, merchant.email, 'password_reset', first.id)).toMatchObject({
    to: merchant.email,
  });
});

test('200: unknown, inactive and another merchant’s addresses answer alike, and get nothing', async () => {
  const merchant = await createMerchant(app);
  const other = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const inactive = await createConsumer(app, merchant);
  await call(app, 'DELETE', '/accounts', { customerID: inactive.id }, merchant);
  const unknown = `nobody-${randomUUID()}@example.org`;
  const answers = [
    await ask(consumer.email, merchant.uuid),
    await ask(unknown, merchant.uuid),
    await ask(inactive.email, merchant.uuid),
    await ask(consumer.email, other.uuid),
    await ask(consumer.email, 'platform'),
  ];
  expect(new Set(answers.map(({ status, body }) => JSON.stringify({ status, body }))).size).toBe(1);
  await requestsAnswered(app);
  await receives(app, merchant, consumer.email, 'password_reset');
  const { rows } = await app.pool.query(
    `SELECT account_id FROM mails WHERE template = 'password_reset' AND merchant_id = ANY($1)`,
    [[merchant.id, other.id]],
  );
  expect(rows).toEqual([{ account_id: consumer.id }]);
  expect(await mailsTo(app, merchant, unknown)).toEqual([]);
});

test('200: a request that cannot be answered holds up no other', async () => {
  const merchant = await createMerchant(app);
  const [stuck, next] = [await createConsumer(app, merchant), await createConsumer(app, merchant)];
  await app.pool.query(
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'stuck'; END $$;
     CREATE TRIGGER fail BEFORE UPDATE OR INSERT ON mailed_tokens FOR EACH ROW
       WHEN (NEW.account_id = ${stuck.id} AND NEW.purpose = 'password_reset') EXECUTE FUNCTION fail()`,
  );
  await ask(stuck.email, merchant.uuid);
  await ask(next.email, merchant.uuid);
  await receives(app, merchant, next.email, 'password_reset');
  await app.pool.query('DROP TRIGGER fail ON mailed_tokens; UPDATE mail_requests SET available_at = now()');
  await receives(app, merchant, stuck.email, 'password_reset');
});

test('429 too_many_requests: the fourth within an hour, whether there is such an account or not', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  for (const address of [consumer.email, `nobody-${randomUUID()}@example.org`]) {
    const statuses: number[] = [];
    for (let time = 0; time < 4; time += 1) statuses.push((await ask(address, merchant.uuid)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  }
});

test('404 account_not_found: no such merchant', async () => {
  expect(await ask('ana@example.org', 'nobody')).toMatchObject({ status: 404, body: { message: 'Account not found' } });
});

test('400 missing_parameter: the address is needed', async () => {
  const reply = await call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: 'platform' });
  expect(reply).toMatchObject({ status: 400, body: { errors: { email: 'The email must not be empty.' } } });
});

test('422 invalid_input: an address that is none', async () => {
  expect(await ask('ana@', 'platform')).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
});
