import { call } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { guessSevenTimes } from '../../support/guesses';
import { receives, tokenIn } from '../../support/mailbox';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

async function createInvited() {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  return { merchant, consumer, token: tokenIn(await receives(app, merchant, consumer.email, 'activation')) };
}

const signIn = (person: Person) =>
  call(app, 'POST', '/accounts/authenticate', {
    grant_type: 'password',
    client_id: person.merchantUuid,
    username: person.email,
    password,
  });

const activate = (token: string) => call(app, 'PUT', `/accounts/activate/${token}`);

test('201: the account is activated, and completed', async () => {
  const { consumer, token } = await createInvited();
  const before = await call(app, 'GET', '/accounts', undefined, consumer);
  expect(before.body).toMatchObject({ completed: false });
  const activated = await call(app, 'PUT', `/accounts/activate/${token}`, undefined, consumer);
  expect(activated).toMatchObject({ status: 201, body: { uuid: consumer.uuid } });
  const after = await call(app, 'GET', '/accounts', undefined, consumer);
  expect(after.body).toMatchObject({ completed: true });
});

test('201: with the password, the sessions go on; without it they and the password end, and the owner gets a link', async () => {
  const known = await createInvited();
  const fields = { password };
  expect((await call(app, 'PUT', `/accounts/activate/${known.token}`, fields)).status).toBe(201);
  expect((await call(app, 'GET', '/accounts', undefined, known.consumer)).status).toBe(200);
  const { merchant, consumer, token } = await createInvited();
  expect((await activate(token)).status).toBe(201);
  expect((await call(app, 'GET', '/accounts', undefined, consumer)).status).toBe(401);
  expect((await signIn(known.consumer)).status).toBe(200);
  expect((await signIn(consumer)).status).toBe(401);
  await receives(app, merchant, consumer.email, 'password_reset');
});

test('422 wrong_password: the token stays as it is', async () => {
  const { token } = await createInvited();
  const path = `/accounts/activate/${token}`;
  expect(await call(app, 'PUT', path, { password: 'not-the-password' })).toMatchObject({
    status: 422,
    body: { error: 'wrong_password' },
  });
  expect((await call(app, 'PUT', path, { password })).status).toBe(201);
});

test('429 too_many_requests: guesses of the password are slowed down', async () => {
  const { token } = await createInvited();
  const statuses = await guessSevenTimes(app, () =>
    call(app, 'PUT', `/accounts/activate/${token}`, { password: 'guess' }),
  );
  expect(statuses).toContain(429);
});

test('201: of ten at once, one is the first', async () => {
  const { token } = await createInvited();
  const replies = await Promise.all(Array.from({ length: 10 }, () => activate(token)));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(422)]);
});

test('422 activation_token_invalid: a token that is unknown, used, too old, or for something else', async () => {
  const { merchant, consumer, token } = await createInvited();
  await call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: merchant.uuid, email: consumer.email });
  const reset = await receives(app, merchant, consumer.email, 'password_reset');
  await app.pool.query(`UPDATE mailed_tokens SET expires_at = now() WHERE account_id = $1 AND purpose = 'activation'`, [
    consumer.id,
  ]);
  const used = await createInvited();
  await activate(used.token);
  for (const dead of [token, tokenIn(reset), used.token, 'x', '%00', 'a'.repeat(300)]) {
    const reply = await activate(dead);
    expect([404, 422]).toContain(reply.status);
  }
  expect(await activate(token)).toMatchObject({
    status: 422,
    body: { error: 'activation_token_invalid', message: 'activationToken is not valid. Ask for a new mail' },
  });
});

test('422 activation_token_invalid: an account that was deactivated meanwhile stays as it is', async () => {
  const { merchant, consumer, token } = await createInvited();
  await call(app, 'DELETE', '/accounts', { customerID: consumer.id }, merchant);
  expect(await activate(token)).toMatchObject({ status: 422 });
  const { rows } = await app.pool.query('SELECT activated_at FROM accounts WHERE id = $1', [consumer.id]);
  expect(rows).toEqual([{ activated_at: null }]);
});
