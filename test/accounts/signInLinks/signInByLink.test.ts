import { createHash, randomBytes } from 'node:crypto';
import { call } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { guessSevenTimes } from '../../support/guesses';
import { receives, tokenIn } from '../../support/mailbox';
import { outlive } from '../../support/mailedLinks';
import { codeOf, switchFactorOn } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

async function createReader() {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  return { merchant, consumer, token: await mailedTo(merchant, consumer) };
}

async function mailedTo(merchant: Person, consumer: Person): Promise<string> {
  await call(app, 'POST', '/accounts/sign-in-link', { merchant_uuid: merchant.uuid, email: consumer.email });
  return tokenIn(await receives(app, merchant, consumer.email, 'sign_in_link'));
}

/** The token of another mail. */
async function newToken({ id }: Person): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await app.pool.query(
    `INSERT INTO mailed_tokens SELECT merchant_id, id, 'sign_in_link', $2, now() + interval '1 minute'
     FROM accounts WHERE id = $1
     ON CONFLICT (account_id, purpose) DO UPDATE SET token_hash = excluded.token_hash`,
    [id, createHash('sha256').update(token).digest()],
  );
  return token;
}

interface Authentication {
  access_token: string;
  error?: string;
  challenge?: string;
}

const enter = (token: string, merchant: Person, code?: string) =>
  call<Authentication>(app, 'PUT', `/accounts/sign-in-link/${token}`, {
    client_id: merchant.uuid,
    ...(code !== undefined && { second_factor_code: code }),
  });

const signIn = (person: Person) =>
  call(app, 'POST', '/accounts/authenticate', {
    grant_type: 'password',
    client_id: person.merchantUuid,
    username: person.email,
    password,
  });

const activate = ({ id }: Person) => app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [id]);

test('200: the link signs in, and the owner keeps the password', async () => {
  const { merchant, consumer, token } = await createReader();
  await activate(consumer);
  const { status, body } = await enter(token, merchant);
  expect(status).toBe(200);
  const own = await call(app, 'GET', '/accounts', undefined, { token: body.access_token });
  expect(own).toMatchObject({ status: 200, body: { email: consumer.email } });
  expect(await signIn(consumer)).toMatchObject({ status: 200 });
  expect(await call(app, 'GET', '/accounts', undefined, consumer)).toMatchObject({ status: 200 });
});

test('200: before the mailbox was proved, who registered with the address loses password and sessions', async () => {
  const { merchant, consumer, token } = await createReader();
  expect(await enter(token, merchant)).toMatchObject({ status: 200 });
  expect(await call(app, 'GET', '/accounts', undefined, consumer)).toMatchObject({ status: 401 });
  expect(await signIn(consumer)).toMatchObject({ status: 401 });
});

test('200: before the mailbox was proved, who sends the own session keeps both', async () => {
  const { merchant, consumer, token } = await createReader();
  const reply = await call(app, 'PUT', `/accounts/sign-in-link/${token}`, { client_id: merchant.uuid }, consumer);
  expect(reply).toMatchObject({ status: 200 });
  expect(await call(app, 'GET', '/accounts', undefined, consumer)).toMatchObject({ status: 200 });
  expect(await signIn(consumer)).toMatchObject({ status: 200 });
});

test('422 sign_in_link_invalid: a token works once, also if five requests use it at once', async () => {
  const { merchant, consumer, token } = await createReader();
  await activate(consumer);
  const replies = await Promise.all([1, 2, 3, 4, 5].map(() => enter(token, merchant)));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422]);
  expect(await enter(token, merchant)).toMatchObject({ status: 422, body: { error: 'sign_in_link_invalid' } });
});

test('422 sign_in_link_invalid: an expired token, and one for another purpose', async () => {
  const { merchant, consumer, token } = await createReader();
  await outlive(app, { merchant, consumer, path: '' });
  expect(await enter(token, merchant)).toMatchObject({ status: 422, body: { error: 'sign_in_link_invalid' } });
  const activation = tokenIn(await receives(app, merchant, consumer.email, 'activation'));
  expect(await enter(activation, merchant)).toMatchObject({ status: 422, body: { error: 'sign_in_link_invalid' } });
});

test('422 sign_in_link_invalid: a token lives for 15 minutes', async () => {
  const { consumer } = await createReader();
  const { rows } = await app.pool.query<{ minutes: number }>(
    `SELECT extract(epoch FROM expires_at - now()) / 60 AS minutes FROM mailed_tokens
     WHERE account_id = $1 AND purpose = 'sign_in_link'`,
    [consumer.id],
  );
  expect(Math.ceil(Number(rows[0]?.minutes))).toBeLessThanOrEqual(15);
});

test('422 sign_in_link_invalid: an app of another merchant does not use the token up', async () => {
  const { merchant, token } = await createReader();
  const other = await createMerchant(app);
  expect(await enter(token, other)).toMatchObject({ status: 422, body: { error: 'sign_in_link_invalid' } });
  expect(await enter(token, merchant)).toMatchObject({ status: 200 });
});

test('401 second_factor_required: the link does not replace the second factor', async () => {
  const { merchant, consumer, token } = await createReader();
  await activate(consumer);
  const { secret } = await switchFactorOn(app, consumer);
  const refused = await enter(token, merchant);
  expect(refused).toMatchObject({ status: 401, body: { error: 'second_factor_required' } });
  const answered = await call(app, 'POST', '/accounts/authenticate', {
    grant_type: 'password',
    client_id: merchant.uuid,
    second_factor_challenge: refused.body.challenge,
    second_factor_code: codeOf(secret),
  });
  expect(answered).toMatchObject({ status: 200 });
});

test('200: the code of the second factor comes with the token', async () => {
  const { merchant, consumer, token } = await createReader();
  await activate(consumer);
  const { secret } = await switchFactorOn(app, consumer);
  expect(await enter(token, merchant, codeOf(secret))).toMatchObject({ status: 200 });
});

test('422 second_factor_code_invalid: a wrong code does not sign in', async () => {
  const { merchant, consumer, token } = await createReader();
  await activate(consumer);
  await switchFactorOn(app, consumer);
  expect(await enter(token, merchant, '000000')).toMatchObject({
    status: 422,
    body: { error: 'second_factor_code_invalid' },
  });
});

test('429 too_many_requests: somebody who reads the mailbox does not guess the code', async () => {
  const { merchant, consumer } = await createReader();
  await activate(consumer);
  await switchFactorOn(app, consumer);
  const statuses = await guessSevenTimes(app, async () => enter(await newToken(consumer), merchant, '000000'));
  expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 429]);
});

test('401 invalid_client: no such app', async () => {
  const { merchant, token } = await createReader();
  expect(await enter(token, { ...merchant, uuid: 'nobody' })).toMatchObject({
    status: 401,
    body: { error: 'invalid_client' },
  });
});
