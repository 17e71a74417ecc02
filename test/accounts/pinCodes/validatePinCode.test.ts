import { call } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { receives } from '../../support/mailbox';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const send = (consumer: Person) => call(app, 'POST', '/v2/accounts/pin-codes/send', {}, consumer);
const enter = (consumer: Pick<Person, 'token'>, code: string) =>
  call(app, 'POST', '/v2/accounts/pin-codes/validate', { pin_code: code }, consumer);

async function createReader() {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  return { merchant, consumer, code: await newCode(merchant, consumer) };
}

async function newCode(merchant: Person, consumer: Person, after = 0): Promise<string> {
  await send(consumer);
  const mail = await receives(app, merchant, consumer.email, 'pin_code', after);
  return /\b\d{6}\b/.exec(mail.text)?.[0] ?? '';
}

const wrong = (code: string) => (code === '111111' ? '222222' : '111111');

test('200: the mailed code is valid, once', async () => {
  const { consumer, code } = await createReader();
  expect(await enter(consumer, ` ${code} `)).toMatchObject({ status: 200, body: { message: 'Pin code is valid' } });
  expect(await enter(consumer, code)).toMatchObject({ status: 422, body: { error: 'pin_code_invalid' } });
  const { rows } = await app.pool.query('SELECT validated_at FROM pin_codes WHERE account_id = $1', [consumer.id]);
  expect(rows).toEqual([{ validated_at: expect.any(Date) as Date }]);
});

test('422 pin_code_invalid: the right code after five wrong ones', async () => {
  const { consumer, code } = await createReader();
  for (let time = 0; time < 5; time += 1)
    expect(await enter(consumer, wrong(code))).toMatchObject({
      status: 422,
      body: { error: 'pin_code_invalid', errors: { pin_code: 'The pin_code is not valid.' } },
    });
  expect(await enter(consumer, code)).toMatchObject({ status: 422, body: { error: 'pin_code_invalid' } });
});

test('422 pin_code_invalid: wrong codes that come at once are counted one by one', async () => {
  const { consumer, code } = await createReader();
  await Promise.all(Array.from({ length: 20 }, () => enter(consumer, wrong(code))));
  const { rows } = await app.pool.query('SELECT tries FROM pin_codes WHERE account_id = $1', [consumer.id]);
  expect(rows).toEqual([{ tries: 5 }]);
});

test('200: of three right ones at once, one is the first', async () => {
  const { consumer, code } = await createReader();
  const replies = await Promise.all([1, 2, 3].map(() => enter(consumer, code)));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('429 too_many_requests: whoever goes on guessing waits, longer and longer, also with a new code', async () => {
  const { merchant, consumer, code } = await createReader();
  for (let time = 0; time < 6; time += 1) expect(await enter(consumer, wrong(code))).toMatchObject({ status: 422 });
  await until(async () => (await enter(consumer, wrong(code))).status === 429);
  const first = await receives(app, merchant, consumer.email, 'pin_code');
  const next = await newCode(merchant, consumer, first.id);
  const replies = await Promise.all(Array.from({ length: 8 }, () => enter(consumer, wrong(next))));
  const waits = replies.map(({ headers }) => Number(headers.get('retry-after')));
  expect(Math.max(...waits)).toBeGreaterThanOrEqual(1);
});

test('422 pin_code_invalid: a code is good for ten minutes, and until the next one is sent', async () => {
  const { merchant, consumer, code } = await createReader();
  const first = await receives(app, merchant, consumer.email, 'pin_code');
  const next = await newCode(merchant, consumer, first.id);
  if (next !== code) expect(await enter(consumer, code)).toMatchObject({ status: 422 });
  await app.pool.query('UPDATE pin_codes SET expires_at = now() WHERE account_id = $1', [consumer.id]);
  expect(await enter(consumer, next)).toMatchObject({ status: 422, body: { error: 'pin_code_invalid' } });
});

test('422 pin_code_invalid: a code is of its session and its account, and none was sent to others', async () => {
  const { merchant, consumer, code } = await createReader();
  const stranger = await createConsumer(app, merchant);
  expect(await enter(stranger, code)).toMatchObject({ status: 422, body: { error: 'pin_code_invalid' } });
  const elsewhere = await call<{ access_token: string }>(app, 'POST', '/accounts/authenticate', {
    grant_type: 'password',
    client_id: merchant.uuid,
    username: consumer.email,
    password,
  });
  expect(await enter({ token: elsewhere.body.access_token }, code)).toMatchObject({ status: 422 });
  expect(await enter(consumer, code)).toMatchObject({ status: 200 });
});

test('400 missing_parameter: an empty code is none', async () => {
  const { consumer } = await createReader();
  const reply = await enter(consumer, '');
  expect(reply).toMatchObject({ status: 400, body: { errors: { pin_code: 'The pin_code must not be empty.' } } });
});

test('422 invalid_input: a code that is a book', async () => {
  const { consumer } = await createReader();
  expect(await enter(consumer, '1'.repeat(21))).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
});

test('401 invalid_auth_token: nobody enters a code without a token', async () => {
  const reply = await call(app, 'POST', '/v2/accounts/pin-codes/validate', { pin_code: '123456' });
  expect(reply).toMatchObject({ status: 401, body: { error: 'invalid_auth_token' } });
});
