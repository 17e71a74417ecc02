import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { authenticateBySecret, createApp } from '../../support/oauthApps';
import { addPasskey, deletePasskey, listPasskeys } from '../../support/passkeys';
import { ageProof, confirmFactor, codeOf, startFactor, switchFactorOn } from '../../support/secondFactors';
import { createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** A merchant can require that the people who sign in for it have a second factor or a passkey. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const setPolicy = (merchant: { token: string }, second_factor_policy: string) =>
  call(app, 'PUT', '/accounts/settings', { second_factor_policy }, merchant);
const readAudit = (person: { token: string }) => call(app, 'GET', '/audit', undefined, person);
const missing = { status: 403, body: { code: 403, error: 'second_factor_missing' } };

/** A merchant that requires factors, and has one itself. */
async function createStrictMerchant(): Promise<Person> {
  const merchant = await createMerchant(app);
  await switchFactorOn(app, merchant);
  expect(await setPolicy(merchant, 'required')).toMatchObject({
    status: 200,
    body: { second_factor_policy: 'required' },
  });
  return merchant;
}

test('403 second_factor_missing: a merchant without a factor would lock itself out', async () => {
  const merchant = await createMerchant(app);
  expect(await setPolicy(merchant, 'required')).toMatchObject(missing);
  expect(await setPolicy(merchant, 'optional')).toMatchObject({ status: 200 });
  await addPasskey(app, merchant);
  expect(await setPolicy(merchant, 'required')).toMatchObject({ status: 200 });
  expect((await readAudit(merchant)).status).toBe(200);
});

test('403 recent_factor_required: the policy changes only after a recent code, in both directions', async () => {
  const merchant = await createMerchant(app);
  await switchFactorOn(app, merchant);
  for (const [now, next] of [
    ['optional', 'required'],
    ['required', 'optional'],
  ] as const) {
    await ageProof(app, merchant, '1 minute');
    await setPolicy(merchant, now);
    await ageProof(app, merchant, '11 minutes');
    expect(await setPolicy(merchant, next)).toMatchObject({ status: 403, body: { error: 'recent_factor_required' } });
    // The same value again is no change.
    expect(await setPolicy(merchant, now)).toMatchObject({ status: 200 });
  }
});

test('a member who is signed in is refused at once, and let in at once with a factor', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'admin' });
  expect((await readAudit(member)).status).toBe(200);
  await switchFactorOn(app, merchant);
  await setPolicy(merchant, 'required');
  expect(await readAudit(member)).toMatchObject(missing);
  const { body: started } = await startFactor(app, member);
  expect(await readAudit(member)).toMatchObject(missing);
  expect((await confirmFactor(app, member, started.id, codeOf(started.secret))).status).toBe(200);
  expect((await readAudit(member)).status).toBe(200);
});

test('a passkey is a factor, and its removal closes the console again', async () => {
  const merchant = await createStrictMerchant();
  const member = await createStaff(app, merchant, { role: 'admin' });
  expect(await readAudit(member)).toMatchObject(missing);
  await addPasskey(app, member);
  expect((await readAudit(member)).status).toBe(200);
  const [passkey] = await listPasskeys(app, member);
  expect((await deletePasskey(app, member, passkey?.id ?? '')).status).toBe(200);
  expect(await readAudit(member)).toMatchObject(missing);
  await setPolicy(merchant, 'optional');
  expect((await readAudit(member)).status).toBe(200);
});

test('customers, other merchants and servers are not asked', async () => {
  const plain = await createMerchant(app);
  const server = await createApp(app, plain);
  await switchFactorOn(app, plain);
  await setPolicy(plain, 'required');
  const consumer = await createConsumer(app, plain);
  expect((await call(app, 'GET', '/subscriptions', undefined, consumer)).status).toBe(200);
  const { body } = await authenticateBySecret(app, server.client_id, server.secret);
  expect((await readAudit({ token: body.access_token })).status).toBe(200);
  expect((await readAudit(await createMerchant(app))).status).toBe(200);
});

test('a session that acts as a customer ends when its person lacks a factor', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'owner' });
  const consumer = await createConsumer(app, merchant);
  const fields = { customer_id: consumer.id };
  const impersonate = (token: string) =>
    call<{ access_token: string }>(app, 'POST', '/v2/accounts/impersonate', fields, { token });
  const { access_token: token } = (await impersonate(member.token)).body;
  const listed = () => call(app, 'GET', '/subscriptions', undefined, { token });
  expect((await listed()).status).toBe(200);
  await switchFactorOn(app, merchant);
  await setPolicy(merchant, 'required');
  expect((await listed()).status).toBe(401);
  expect(await impersonate(member.token)).toMatchObject(missing);
});

test('another replica learns of it', async () => {
  const merchant = await createStrictMerchant();
  const member = await createStaff(app, merchant, { role: 'admin' });
  expect(await readAudit(member)).toMatchObject(missing);
  // As another replica does it: this one hears of it only from the database.
  await app.pool.query(
    `INSERT INTO second_factors (merchant_id, account_id, sealed_secret, confirmed_at) VALUES ($1, $2, '', now())`,
    [merchant.id, member.id],
  );
  await app.pool.query(`UPDATE merchant_settings SET second_factor_policy = 'optional' WHERE merchant_id = $1`, [
    merchant.id,
  ]);
  await until(async () => (await readAudit(member)).status === 200);
  await app.pool.query('DELETE FROM second_factors WHERE account_id = $1', [member.id]);
  await app.pool.query(`UPDATE merchant_settings SET second_factor_policy = 'required' WHERE merchant_id = $1`, [
    merchant.id,
  ]);
  await until(async () => (await readAudit(member)).status === 403);
});
