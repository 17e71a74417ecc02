import { call } from '../../support/client';
import { createConsumer, createMerchant, createShop } from '../../support/factories';
import { auditOf } from '../../support/followers';
import { guessSevenTimes } from '../../support/guesses';
import { receives } from '../../support/mailbox';
import { codeOf, confirmFactor, signInWith, startFactor, switchFactorOn } from '../../support/secondFactors';
import { endUnheard, isSignedIn, signInAgain } from '../../support/sessions';
import { startApp, type TestApp } from '../../support/startApp';
import { createApp } from '../../support/world';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const wrong = (code: string) => (code === '111111' ? '222222' : '111111');

test('200: ten recovery codes of 120 bits, which the database knows as hashes only', async () => {
  const merchant = await createMerchant(app);
  const { recoveryCodes } = await switchFactorOn(app, merchant);
  expect(new Set(recoveryCodes).size).toBe(10);
  for (const code of recoveryCodes) expect(code).toMatch(/^([0-9A-Z]{4}-){5}[0-9A-Z]{4}$/);
  const { rows } = await app.pool.query<{ row: string }>(
    'SELECT c::text AS row FROM recovery_codes c WHERE account_id = $1',
    [merchant.id],
  );
  expect(rows).toHaveLength(10);
  expect(rows.some(({ row }) => recoveryCodes.some((code) => row.includes(code)))).toBe(false);
});

test('401 invalid_auth_token: a session that has ended locks nobody out, although a replica still trusts it', async () => {
  const merchant = await createMerchant(app);
  const { id, secret } = (await startFactor(app, merchant)).body;
  await endUnheard(app, merchant);
  expect(await confirmFactor(app, merchant, id, codeOf(secret))).toMatchObject({
    status: 401,
    body: { error: 'invalid_auth_token' },
  });
  const signedIn = await signInWith(app, merchant, {});
  expect(signedIn.status).toBe(200);
});

test('200: other sessions of people end, and sessions of an app’s secret stay', async () => {
  const shop = await createShop(app);
  const { merchant } = shop;
  const { client_id, secret } = await createApp({ app, ...shop });
  const bySecret = { client_id, client_secret: secret, grant_type: 'client_credentials' };
  const { body: server } = await call<{ access_token: string }>(app, 'POST', '/accounts/authenticate', bySecret);
  const other = await signInAgain(app, merchant);
  await switchFactorOn(app, merchant);
  const sessions = [merchant, other, { ...merchant, token: server.access_token }];
  expect(await Promise.all(sessions.map((person) => isSignedIn(app, person)))).toEqual([true, false, true]);
  expect((await call(app, 'POST', '/accounts/authenticate', bySecret)).status).toBe(200);
});

test('200: a mail tells the owner, and the audit log names the change', async () => {
  const merchant = await createMerchant(app);
  await switchFactorOn(app, merchant);
  expect((await receives(app, merchant, merchant.email, 'second_factor_on')).text).toContain('authenticator app');
  const actions = (await auditOf(app, merchant)).map(({ action, object_id }) => `${action} ${object_id}`);
  expect(actions).toContain(`second_factor.enable ${merchant.id}`);
});

test('200: the code that confirmed does not sign in, and the next one does', async () => {
  const merchant = await createMerchant(app);
  const { body } = await startFactor(app, merchant);
  const code = codeOf(body.secret);
  expect((await confirmFactor(app, merchant, body.id, `${code.slice(0, 3)} ${code.slice(3)}`)).status).toBe(200);
  expect((await signInWith(app, merchant, { second_factor_code: code })).status).toBe(422);
  expect((await signInWith(app, merchant, { second_factor_code: codeOf(body.secret, 1) })).status).toBe(200);
});

test('422 second_factor_code_invalid: a wrong code, and one from two minutes ago', async () => {
  const merchant = await createMerchant(app);
  const { body } = await startFactor(app, merchant);
  for (const code of [wrong(codeOf(body.secret)), codeOf(body.secret, -4), 'abcdef'])
    expect(await confirmFactor(app, merchant, body.id, code)).toMatchObject({
      status: 422,
      body: { error: 'second_factor_code_invalid', errors: { code: 'The code is not valid.' } },
    });
  expect((await signInWith(app, merchant)).status).toBe(200);
});

test('404 second_factor_not_found: one of somebody else, and one that has expired', async () => {
  const merchant = await createMerchant(app);
  const stranger = await createConsumer(app, merchant);
  const { body } = await startFactor(app, merchant);
  const missing = { status: 404, body: { error: 'second_factor_not_found' } };
  expect(await confirmFactor(app, stranger, body.id, codeOf(body.secret))).toMatchObject(missing);
  await app.pool.query('UPDATE second_factors SET expires_at = now() WHERE id = $1', [body.id]);
  expect(await confirmFactor(app, merchant, body.id, codeOf(body.secret))).toMatchObject(missing);
});

test('409 second_factor_exists: of two factors that were started, one is confirmed', async () => {
  const merchant = await createMerchant(app);
  const { body } = await startFactor(app, merchant);
  await app.pool.query(
    `INSERT INTO second_factors (merchant_id, account_id, sealed_secret, confirmed_at) VALUES ($1, $1, '', now())`,
    [merchant.id],
  );
  expect(await confirmFactor(app, merchant, body.id, codeOf(body.secret))).toMatchObject({
    status: 409,
    body: { error: 'second_factor_exists' },
  });
});

test('429 too_many_requests: after five wrong codes', async () => {
  const merchant = await createMerchant(app);
  const { body } = await startFactor(app, merchant);
  const statuses = await guessSevenTimes(app, (count) =>
    confirmFactor(app, merchant, body.id, codeOf(body.secret, 10 + count)),
  );
  expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 429]);
});
