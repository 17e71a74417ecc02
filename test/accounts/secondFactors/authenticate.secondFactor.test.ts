import { call } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { auditOf } from '../../support/followers';
import { guessSevenTimes } from '../../support/guesses';
import { receives, tokenIn } from '../../support/mailbox';
import { codeOf, forgetSteps, signInWith, switchFactorOn } from '../../support/secondFactors';
import { isSignedIn } from '../../support/sessions';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const paths = ['/accounts/authenticate', '/v2/accounts/authenticate'];

async function createProtected() {
  const merchant = await createMerchant(app);
  return { merchant, ...(await switchFactorOn(app, merchant)) };
}

const better = 'staple-of-batteries';

/** Sets a new password by the mailed link, in another browser. */
async function resetPassword(merchant: Person, { email }: Person): Promise<void> {
  await call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: merchant.uuid, email });
  const token = tokenIn(await receives(app, merchant, email, 'password_reset'));
  const fields = { password: better, password_confirmation: better };
  expect((await call(app, 'PUT', `/accounts/forgot-password/${token}`, fields)).status).toBe(200);
}

const challengeOf = async (person: Person) => (await signInWith(app, person)).body.challenge ?? '';

const answer = (person: Person, challenge: string, code: string, client_id = person.merchantUuid) =>
  call<{ access_token: string; error?: string }>(app, 'POST', '/accounts/authenticate', {
    ...{ client_id, grant_type: 'password', second_factor_challenge: challenge, second_factor_code: code },
  });

test.each(paths)('401 second_factor_required: the right password alone, at %s', async (path) => {
  const { merchant } = await createProtected();
  expect(await signInWith(app, merchant, {}, path)).toMatchObject({
    status: 401,
    body: { error: 'second_factor_required', challenge: expect.stringMatching(/^[\w-]{43}$/) as string },
  });
  const { body } = await signInWith(app, merchant, { password: 'another-horse' }, path);
  expect(body).toMatchObject({ error: 'invalid_credentials' });
  expect(body).not.toHaveProperty('challenge');
});

test.each(paths)('200: the password with a code, once, at %s', async (path) => {
  const { merchant, secret } = await createProtected();
  const code = codeOf(secret);
  const { status, body } = await signInWith(app, merchant, { second_factor_code: code }, path);
  expect(status).toBe(200);
  expect(await isSignedIn(app, { ...merchant, token: body.access_token })).toBe(true);
  expect((await signInWith(app, merchant, { second_factor_code: code }, path)).status).toBe(422);
});

test('200: a code of several requests at once signs in one of them', async () => {
  const { merchant, secret } = await createProtected();
  const code = codeOf(secret);
  const replies = await Promise.all([1, 2, 3].map(() => signInWith(app, merchant, { second_factor_code: code })));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 422, 422]);
});

test('200: a recovery code works once, however it is typed', async () => {
  const { merchant, recoveryCodes } = await createProtected();
  const typed = (recoveryCodes[0] ?? '').toLowerCase().replaceAll('-', ' ');
  expect((await signInWith(app, merchant, { second_factor_code: typed })).status).toBe(200);
  expect((await signInWith(app, merchant, { second_factor_code: recoveryCodes[0] })).status).toBe(422);
  expect((await auditOf(app, merchant)).map(({ action }) => action)).toContain('recovery_code.use');
});

test('200: an account without a second factor signs in as before, also when it sends a code', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  for (const fields of [{}, { second_factor_code: '123456' }])
    expect((await signInWith(app, consumer, fields)).status).toBe(200);
});

test('200: a challenge stands for the password, once', async () => {
  const { merchant, secret, recoveryCodes } = await createProtected();
  const challenge = await challengeOf(merchant);
  expect((await answer(merchant, challenge, codeOf(secret))).status).toBe(200);
  expect(await answer(merchant, challenge, recoveryCodes[0] ?? '')).toMatchObject({
    status: 401,
    body: { error: 'second_factor_challenge_invalid' },
  });
});

test('200: after a wrong code the challenge is still valid', async () => {
  const { merchant, secret } = await createProtected();
  const challenge = await challengeOf(merchant);
  expect((await answer(merchant, challenge, codeOf(secret, 20))).status).toBe(422);
  expect((await answer(merchant, challenge, codeOf(secret))).status).toBe(200);
});

test('401 second_factor_challenge_invalid: at another client, after five minutes, and after a new password', async () => {
  const { merchant, secret } = await createProtected();
  const expected = { status: 401, body: { error: 'second_factor_challenge_invalid' } };
  const challenge = await challengeOf(merchant);
  expect(await answer(merchant, challenge, codeOf(secret), 'platform')).toMatchObject(expected);
  const changed = { old_password: password, password: better, password_confirmation: better };
  await call(app, 'POST', '/accounts/change-password', changed, merchant);
  expect(await answer(merchant, challenge, codeOf(secret))).toMatchObject(expected);
  const late = (await signInWith(app, merchant, { password: better })).body.challenge ?? '';
  await app.pool.query('UPDATE sign_in_challenges SET expires_at = now() WHERE account_id = $1', [merchant.id]);
  expect(await answer(merchant, late, codeOf(secret))).toMatchObject(expected);
});

test('400 missing_parameter: a challenge without a code', async () => {
  const { merchant } = await createProtected();
  const fields = { client_id: merchant.merchantUuid, grant_type: 'password', second_factor_challenge: 'x' };
  expect(await call(app, 'POST', '/accounts/authenticate', fields)).toMatchObject({
    status: 400,
    body: { errors: { second_factor_code: expect.any(String) as string } },
  });
});

test('422 second_factor_code_invalid: a wrong code is in the audit log of a merchant', async () => {
  const { merchant, secret } = await createProtected();
  expect(await signInWith(app, merchant, { second_factor_code: codeOf(secret, 20) })).toMatchObject({
    status: 422,
    body: { error: 'second_factor_code_invalid' },
  });
  await until(async () => (await auditOf(app, merchant)).some(({ action }) => action === 'sign_in.fail'));
});

test('429 too_many_requests: somebody who knows the password does not guess the code', async () => {
  const { merchant, secret } = await createProtected();
  const statuses = await guessSevenTimes(app, (count) =>
    signInWith(app, merchant, { second_factor_code: codeOf(secret, 20 + count) }),
  );
  expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 429]);
  await forgetSteps(app, merchant);
  expect((await signInWith(app, merchant, { second_factor_code: codeOf(secret) })).status).toBe(429);
});

test('200: a renewal and a sign-in by an app’s secret need no code', async () => {
  const { merchant, secret } = await createProtected();
  const { body } = await signInWith(app, merchant, { second_factor_code: codeOf(secret) });
  const { refresh_token } = body as unknown as { refresh_token: string };
  const renewal = { client_id: merchant.merchantUuid, grant_type: 'refresh_token', refresh_token };
  expect((await call(app, 'POST', '/accounts/authenticate', renewal)).status).toBe(200);
});

test('200: whoever proves a mailbox that nobody has proved before gets in without the factor of a stranger', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  await switchFactorOn(app, consumer);
  await resetPassword(merchant, consumer);
  expect((await signInWith(app, consumer, { password: better })).status).toBe(200);
});

test('401 second_factor_required: a new password by mail does not replace the factor of an owner', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  await app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [consumer.id]);
  await switchFactorOn(app, consumer);
  await resetPassword(merchant, consumer);
  const { status, body } = await signInWith(app, consumer, { password: better });
  expect({ status, error: body.error }).toEqual({ status: 401, error: 'second_factor_required' });
});
