import { call } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { auditOf } from '../../support/followers';
import { receives, tokenIn } from '../../support/mailbox';
import { createOperator, putInState } from '../../support/operators';
import {
  addPasskey,
  Authenticator,
  challengeAt,
  deletePasskey,
  type Faults,
  listPasskeys,
  sendSignIn,
  signInByPasskey,
} from '../../support/passkeys';
import { isSignedIn } from '../../support/sessions';
import { signInWith, switchFactorOn } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const refused = { status: 422, body: { error: 'passkey_invalid' } };

async function createHolder() {
  const merchant = await createMerchant(app);
  const person = await createConsumer(app, merchant);
  return { merchant, person, ...(await addPasskey(app, person)) };
}

test('200: a customer signs in without a password', async () => {
  const { person, authenticator } = await createHolder();
  const { status, body } = await signInByPasskey(app, person, authenticator);
  expect(status).toBe(200);
  expect(await isSignedIn(app, { ...person, token: body.access_token })).toBe(true);
  const [passkey] = await listPasskeys(app, person);
  expect(passkey?.last_used_at).toEqual(expect.any(Number));
});

test('200: a merchant signs in at the platform, and a passkey stands for the second factor', async () => {
  const merchant = await createMerchant(app);
  const { authenticator } = await addPasskey(app, merchant);
  await switchFactorOn(app, merchant);
  const challenge = await challengeAt(app, 'platform');
  const { status, body } = await sendSignIn(app, 'platform', authenticator.use(challenge, merchant));
  expect(status).toBe(200);
  const secret = { client_id: merchant.uuid };
  const signedIn = { ...merchant, token: body.access_token };
  expect((await call(app, 'PUT', '/accounts/apps/secret', secret, signedIn)).status).not.toBe(403);
});

test('200: the password alone still signs in an account with a passkey', async () => {
  const { person } = await createHolder();
  expect((await signInWith(app, person)).status).toBe(200);
});

const faults: [string, Faults][] = [
  ['another origin', { origin: 'https://paywall.evil.test' }],
  ['another domain', { domain: 'evil.test' }],
  ['a user who was not verified', { isVerified: false }],
  ['an unknown challenge', { challenge: 'AAAA' }],
];

test.each(faults)('422 passkey_invalid: %s', async (_name, fault) => {
  const { person, authenticator } = await createHolder();
  expect(await signInByPasskey(app, person, authenticator, fault)).toMatchObject(refused);
});

test('422 passkey_invalid: an answer that was sent before, also at once', async () => {
  const { person, authenticator } = await createHolder();
  const credential = authenticator.use(await challengeAt(app, person.merchantUuid), person);
  const replies = await Promise.all([1, 2, 3].map(() => sendSignIn(app, person.merchantUuid, credential)));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 422, 422]);
  expect(await sendSignIn(app, person.merchantUuid, credential)).toMatchObject(refused);
});

test('422 passkey_invalid: a refused answer uses its challenge up', async () => {
  const { person, authenticator } = await createHolder();
  const challenge = await challengeAt(app, person.merchantUuid);
  expect((await sendSignIn(app, person.merchantUuid, new Authenticator().use(challenge, person))).status).toBe(422);
  expect(await sendSignIn(app, person.merchantUuid, authenticator.use(challenge, person))).toMatchObject(refused);
});

test('422 passkey_invalid: a challenge of another client, or one that has expired', async () => {
  const { person, authenticator } = await createHolder();
  const foreign = await challengeAt(app, 'platform');
  expect(await sendSignIn(app, person.merchantUuid, authenticator.use(foreign, person))).toMatchObject(refused);
  const late = await challengeAt(app, person.merchantUuid);
  await app.pool.query('UPDATE passkey_challenges SET expires_at = now()');
  expect(await sendSignIn(app, person.merchantUuid, authenticator.use(late, person))).toMatchObject(refused);
});

test('422 passkey_invalid: a passkey of another merchant’s customer', async () => {
  const { person, authenticator } = await createHolder();
  const { uuid } = await createMerchant(app);
  const challenge = await challengeAt(app, uuid);
  expect(await sendSignIn(app, uuid, authenticator.use(challenge, person))).toMatchObject(refused);
});

test('422 passkey_invalid: a customer at the platform’s own client', async () => {
  const { person, authenticator } = await createHolder();
  const challenge = await challengeAt(app, 'platform');
  expect(await sendSignIn(app, 'platform', authenticator.use(challenge, person))).toMatchObject(refused);
});

test('422 passkey_invalid: a passkey that names another account', async () => {
  const { person, merchant, authenticator } = await createHolder();
  const challenge = await challengeAt(app, person.merchantUuid);
  expect(await sendSignIn(app, person.merchantUuid, authenticator.use(challenge, merchant))).toMatchObject(refused);
});

test('422 passkey_invalid: a counter that goes back or stands still, as a copied key would send', async () => {
  const { person, authenticator } = await createHolder();
  const use = (counter: number) => signInByPasskey(app, person, authenticator, { counter });
  expect((await use(7)).status).toBe(200);
  for (const counter of [7, 6, 0]) expect(await use(counter)).toMatchObject(refused);
  expect((await use(8)).status).toBe(200);
});

test('422 passkey_invalid: a removed passkey', async () => {
  const { person, authenticator, id } = await createHolder();
  expect((await deletePasskey(app, person, id)).status).toBe(200);
  expect(await signInByPasskey(app, person, authenticator)).toMatchObject(refused);
});

test('422 passkey_invalid: an account that is not active', async () => {
  const { person, authenticator } = await createHolder();
  await app.pool.query('UPDATE accounts SET is_active = false WHERE id = $1', [person.id]);
  expect(await signInByPasskey(app, person, authenticator)).toMatchObject(refused);
});

test('422 passkey_invalid: a failed sign-in of a merchant is in its audit log', async () => {
  const merchant = await createMerchant(app);
  const { authenticator } = await addPasskey(app, merchant);
  expect((await signInByPasskey(app, merchant, authenticator, { isVerified: false })).status).toBe(422);
  await until(async () => (await auditOf(app, merchant)).some(({ action }) => action === 'sign_in.fail'));
});

test('401 invalid_client: an unknown client', async () => {
  const body = { client_id: 'nobody' };
  expect((await call(app, 'POST', '/accounts/passkeys/sign-in/options', body)).status).toBe(401);
});

/** Sets a new password by the mailed link, in another browser. */
async function resetPassword(merchant: Person, { email }: Person): Promise<void> {
  await call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: merchant.uuid, email });
  const token = tokenIn(await receives(app, merchant, email, 'password_reset'));
  const fields = { password: `${password}-2`, password_confirmation: `${password}-2` };
  expect((await call(app, 'PUT', `/accounts/forgot-password/${token}`, fields)).status).toBe(200);
}

test('422 passkey_invalid: the passkey of a stranger goes when the owner first proves the mailbox', async () => {
  const { merchant, person, authenticator } = await createHolder();
  await resetPassword(merchant, person);
  expect(await signInByPasskey(app, person, authenticator)).toMatchObject(refused);
});

test('200: the passkey of an owner stays after a new password', async () => {
  const { merchant, person, authenticator } = await createHolder();
  await app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [person.id]);
  await resetPassword(merchant, person);
  expect((await signInByPasskey(app, person, authenticator)).status).toBe(200);
});

test('403 merchant_suspended: the operator has suspended the merchant', async () => {
  const merchant = await createMerchant(app);
  const { authenticator } = await addPasskey(app, merchant);
  await putInState(app, merchant, 'suspended');
  const challenge = await challengeAt(app, 'platform');
  const reply = await sendSignIn(app, 'platform', authenticator.use(challenge, merchant));
  expect(reply).toMatchObject({ status: 403, body: { error: 'merchant_suspended' } });
});

test('200: an operator signs in at the client of operators, and a passkey stands for the second factor', async () => {
  const operator = await createOperator(app);
  const { authenticator } = await addPasskey(app, operator);
  const { status, body } = await signInByPasskey(app, operator, authenticator);
  expect(status).toBe(200);
  const entered = { ...operator, token: body.access_token };
  expect((await call(app, 'GET', '/operator/merchants', undefined, entered)).status).toBe(200);
});

test('422 passkey_invalid: an operator at the platform’s client, and a merchant at the client of operators', async () => {
  const [operator, merchant] = [await createOperator(app), await createMerchant(app)];
  for (const [person, clientId] of [
    [operator, 'platform'],
    [merchant, 'operator'],
  ] as const) {
    const { authenticator } = await addPasskey(app, person);
    const challenge = await challengeAt(app, clientId);
    expect(await sendSignIn(app, clientId, authenticator.use(challenge, person))).toMatchObject(refused);
  }
});
