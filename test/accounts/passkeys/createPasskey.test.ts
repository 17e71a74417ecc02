import { createConsumer, createMerchant } from '../../support/factories';
import { auditOf } from '../../support/followers';
import { receives } from '../../support/mailbox';
import {
  addPasskey,
  Authenticator,
  type Faults,
  fillPasskeys,
  listPasskeys,
  signInByPasskey,
  startPasskey,
  storePasskey,
} from '../../support/passkeys';
import { endUnheard } from '../../support/sessions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('201: an account gets several passkeys, each with a mail and an entry in the audit log', async () => {
  const merchant = await createMerchant(app);
  const { id } = await addPasskey(app, merchant);
  await addPasskey(app, merchant);
  expect(await listPasskeys(app, merchant)).toMatchObject([
    { id, name: 'Telephone', is_backed_up: true, last_used_at: null },
    { name: 'Telephone' },
  ]);
  expect((await receives(app, merchant, merchant.email, 'passkey_added')).text).toContain('Telephone');
  expect((await auditOf(app, merchant)).filter(({ action }) => action === 'passkey.create')).toHaveLength(2);
});

test('401 invalid_auth_token: a session that has ended adds none, although a replica still trusts it', async () => {
  const merchant = await createMerchant(app);
  const { body } = await startPasskey(app, merchant);
  await endUnheard(app, merchant);
  expect(await storePasskey(app, merchant, new Authenticator().create(body.challenge))).toMatchObject({
    status: 401,
    body: { error: 'invalid_auth_token' },
  });
  expect((await app.pool.query('SELECT FROM passkeys WHERE account_id = $1', [merchant.id])).rows).toEqual([]);
});

const faults: [string, Faults][] = [
  ['another origin', { origin: 'https://paywall.evil.test' }],
  ['another domain', { domain: 'evil.test' }],
  ['a user who was not verified', { isVerified: false }],
  ['an unknown challenge', { challenge: 'AAAA' }],
];

test.each(faults)('422 passkey_invalid: %s', async (_name, fault) => {
  const merchant = await createMerchant(app);
  const { body } = await startPasskey(app, merchant);
  const credential = new Authenticator().create(body.challenge, fault);
  expect(await storePasskey(app, merchant, credential)).toMatchObject({
    status: 422,
    body: { error: 'passkey_invalid' },
  });
  expect(await listPasskeys(app, merchant)).toEqual([]);
});

test('422 passkey_invalid: a challenge that was used, has expired, or was given to another session', async () => {
  const merchant = await createMerchant(app);
  const other = await createConsumer(app, merchant);
  const challenge = async () => (await startPasskey(app, merchant)).body.challenge;
  const used = await challenge();
  expect((await storePasskey(app, merchant, new Authenticator().create(used))).status).toBe(201);
  expect((await storePasskey(app, merchant, new Authenticator().create(used))).status).toBe(422);
  expect((await storePasskey(app, other, new Authenticator().create(await challenge()))).status).toBe(422);
  const late = await challenge();
  await app.pool.query('UPDATE passkey_challenges SET expires_at = now()');
  expect((await storePasskey(app, merchant, new Authenticator().create(late))).status).toBe(422);
});

test('422 passkey_invalid: bytes that are no answer of an authenticator', async () => {
  const merchant = await createMerchant(app);
  const { body } = await startPasskey(app, merchant);
  const { response, ...credential } = new Authenticator().create(body.challenge);
  for (const attestationObject of ['', 'AAAA', '!!', 'oWNmbXRkbm9uZQ'])
    expect(
      (await storePasskey(app, merchant, { ...credential, response: { ...response, attestationObject } })).status,
    ).toBe(422);
  expect(
    (await storePasskey(app, merchant, { ...credential, response: { ...response, clientDataJSON: 'e30' } })).status,
  ).toBe(422);
});

test('409 passkey_exists: a passkey of another account stays there', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const { authenticator } = await addPasskey(app, merchant);
  const { body } = await startPasskey(app, consumer);
  expect(await storePasskey(app, consumer, authenticator.create(body.challenge))).toMatchObject({
    status: 409,
    body: { error: 'passkey_exists' },
  });
  expect((await signInByPasskey(app, merchant, authenticator)).status).toBe(200);
});

test('409 passkey_limit: the twentieth passkey is the last', async () => {
  const merchant = await createMerchant(app);
  const first = await startPasskey(app, merchant);
  const second = await startPasskey(app, merchant);
  await fillPasskeys(app, merchant, 19);
  const store = ({ body }: typeof first) => storePasskey(app, merchant, new Authenticator().create(body.challenge));
  expect((await store(first)).status).toBe(201);
  expect(await store(second)).toMatchObject({ status: 409, body: { error: 'passkey_limit' } });
  const { rows } = await app.pool.query('SELECT FROM passkeys WHERE account_id = $1', [merchant.id]);
  expect(rows).toHaveLength(20);
});
