import { call } from '../../support/client';
import { createConsumer, createMerchant } from '../../support/factories';
import { mailsTo, receives } from '../../support/mailbox';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_MAILS: '3' });
});

afterAll(() => app.stop());

test('200: a code of six digits is mailed, and kept as a hash', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const reply = await call(app, 'POST', '/v2/accounts/pin-codes/send', { branding_id: 'undefined' }, consumer);
  expect(reply).toMatchObject({ status: 200, body: { message: 'Pin code successfully sent' } });
  const mail = await receives(app, merchant, consumer.email, 'pin_code');
  expect(mail).toMatchObject({ subject: 'Your code for Ana Petrova' });
  const code = /\b\d{6}\b/.exec(mail.text)?.[0] ?? 'none';
  expect(mail.html).toContain(code);
  const { rows } = await app.pool.query('SELECT code_hash FROM pin_codes WHERE account_id = $1', [consumer.id]);
  expect(rows).toEqual([{ code_hash: expect.stringMatching(/^\$argon2id\$/) as string }]);
});

test('429 too_many_requests: the fourth within an hour, in whatever session, mails nothing', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const statuses: number[] = [];
  for (let time = 0; time < 4; time += 1)
    statuses.push((await call(app, 'POST', '/v2/accounts/pin-codes/send', {}, consumer)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  const mails = await mailsTo(app, merchant, consumer.email);
  expect(mails.filter(({ template }) => template === 'pin_code')).toHaveLength(3);
});

test('401 invalid_auth_token: nobody gets a code without a token', async () => {
  expect(await call(app, 'POST', '/v2/accounts/pin-codes/send', {})).toMatchObject({ status: 401 });
});
