import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { createConsumer, createMerchant } from '../../support/factories';
import { mailsTo, receives, requestsAnswered, tokenIn } from '../../support/mailbox';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_MAILS: '3' });
});

afterAll(() => app.stop());

const ask = (email: string, merchantUuid: string) =>
  call(app, 'POST', '/accounts/activate', { email, merchant_uuid: merchantUuid });

test('200: a new link is mailed, and the old one ends', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const first = await receives(app, merchant, consumer.email, 'activation');
  const { status, body } = await ask(` ${consumer.email.toUpperCase()} `, merchant.uuid);
  expect({ status, body }).toMatchObject({ status: 200, body: { code: 200, explain: expect.any(String) as string } });
  const second = await receives(app, merchant, consumer.email, 'activation', first.id);
  expect(await call(app, 'PUT', `/accounts/activate/${tokenIn(first)}`)).toMatchObject({ status: 422 });
  expect(await call(app, 'PUT', `/accounts/activate/${tokenIn(second)}`)).toMatchObject({ status: 201 });
});

test('200: an unknown address, an active account, and another merchant’s answer alike and get nothing', async () => {
  const merchant = await createMerchant(app);
  const other = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const unknown = `nobody-${randomUUID()}@example.org`;
  const answers = [await ask(unknown, merchant.uuid), await ask(consumer.email, other.uuid)];
  const sent = await receives(app, merchant, consumer.email, 'activation');
  await call(app, 'PUT', `/accounts/activate/${tokenIn(sent)}`, undefined, consumer);
  answers.push(await ask(consumer.email, merchant.uuid));
  await requestsAnswered(app);
  expect(new Set(answers.map(({ status, body }) => JSON.stringify({ status, body }))).size).toBe(1);
  expect(await mailsTo(app, merchant, unknown)).toEqual([]);
  expect(await mailsTo(app, other, consumer.email)).toEqual([]);
  expect(await mailsTo(app, merchant, consumer.email)).toHaveLength(1);
});

test('200: a merchant asks through the platform', async () => {
  const merchant = await createMerchant(app);
  const first = await receives(app, merchant, merchant.email, 'activation');
  expect(await ask(merchant.email, 'platform')).toMatchObject({ status: 200 });
  expect(await receives(app, merchant, merchant.email, 'activation', first.id)).toMatchObject({ to: merchant.email });
});

test('429 too_many_requests: the fourth within an hour, whether there is such an account or not', async () => {
  const merchant = await createMerchant(app);
  const { email } = await createConsumer(app, merchant);
  for (const address of [email, `nobody-${randomUUID()}@example.org`]) {
    const statuses: number[] = [];
    for (let time = 0; time < 4; time += 1) statuses.push((await ask(address, merchant.uuid)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const refused = await ask(address, merchant.uuid);
    expect(refused.body).toMatchObject({ code: 429, error: 'too_many_requests' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
  }
});

test('404 account_not_found: no such merchant', async () => {
  expect(await ask('ana@example.org', randomUUID())).toMatchObject({
    status: 404,
    body: { error: 'account_not_found' },
  });
});

test('400 missing_parameter: both fields are needed', async () => {
  expect(await call(app, 'POST', '/accounts/activate', {})).toMatchObject({
    status: 400,
    body: {
      error: 'missing_parameter',
      errors: { email: expect.any(String) as string, merchant_uuid: expect.any(String) as string },
    },
  });
});

test('422 invalid_input: an address that is none', async () => {
  const merchant = await createMerchant(app);
  expect(await ask('nobody', merchant.uuid)).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
});
