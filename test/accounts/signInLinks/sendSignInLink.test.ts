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
  call(app, 'POST', '/accounts/sign-in-link', { merchant_uuid: merchantUuid, email, ...fields });

test('200: a link to sign in is mailed, to the stored address', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  expect(await ask(consumer.email.toUpperCase(), merchant.uuid)).toMatchObject({ status: 200, body: { code: 200 } });
  const mail = await receives(app, merchant, consumer.email, 'sign_in_link');
  expect(mail).toMatchObject({ to: consumer.email, account_id: consumer.id, subject: 'Sign in to Ana Petrova' });
  expect(mail.text).toMatch(new RegExp(`http://paywall.test/portal/${merchant.uuid}/sign-in/[\\w-]{43}\\n`));
});

test('200: the link leads on to the page that the app names', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const next = `/paywall/${merchant.uuid}/7?lang=ar`;
  expect(await ask(consumer.email, merchant.uuid, { next })).toMatchObject({ status: 200 });
  const mail = await receives(app, merchant, consumer.email, 'sign_in_link');
  expect(mail.text).toContain(`?next=${encodeURIComponent(next)}`);
});

test('200: unknown and inactive addresses, and those of merchants, answer alike and get nothing', async () => {
  const merchant = await createMerchant(app);
  const other = await createMerchant(app);
  const [consumer, inactive] = [await createConsumer(app, merchant), await createConsumer(app, merchant)];
  await call(app, 'DELETE', '/accounts', { customerID: inactive.id }, merchant);
  const answers = [
    await ask(consumer.email, merchant.uuid),
    await ask(`nobody-${randomUUID()}@example.org`, merchant.uuid),
    await ask(inactive.email, merchant.uuid),
    await ask(consumer.email, other.uuid),
    await ask(merchant.email, merchant.uuid),
    await ask(merchant.email, 'platform'),
  ];
  expect(new Set(answers.map(({ status, body }) => JSON.stringify({ status, body }))).size).toBe(1);
  await requestsAnswered(app);
  await receives(app, merchant, consumer.email, 'sign_in_link');
  const { rows } = await app.pool.query(
    `SELECT account_id FROM mails WHERE template = 'sign_in_link' AND merchant_id = ANY($1)`,
    [[merchant.id, other.id]],
  );
  expect(rows).toEqual([{ account_id: consumer.id }]);
  expect(await mailsTo(app, merchant, merchant.email)).not.toContainEqual(
    expect.objectContaining({ template: 'sign_in_link' }),
  );
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
  expect(await ask('ana@example.org', 'nobody')).toMatchObject({ status: 404, body: { error: 'account_not_found' } });
});

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/console',
  '/portal/no-uuid',
  `/paywall/${randomUUID()}//evil.example/\n`,
  `/portal/${randomUUID()}@evil.example`,
])('422 invalid_input: a link never leads to %j', async (next) => {
  expect(await ask('ana@example.org', randomUUID(), { next })).toMatchObject({
    status: 422,
    body: { error: 'invalid_input', errors: { next: expect.any(String) as string } },
  });
});
