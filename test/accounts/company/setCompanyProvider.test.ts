import { call } from '../../support/client';
import { type CompanyWorld, ownBaseUrl, providerPath, startCompanyWorld } from '../../support/companySignIn';
import { createMerchant, type Person } from '../../support/factories';
import { oidcClient } from '../../support/oidcServer';
import { createStaff } from '../../support/staff';
import { type TestApp } from '../../support/startApp';

let world: CompanyWorld;
let app: TestApp;

beforeAll(async () => {
  world = await startCompanyWorld();
  ({ app } = world);
});

afterAll(() => world.stop());

const fields = () => ({ issuer: world.provider.issuer, ...oidcClient, domains: ['example.org'] });
const set = (merchant: Person, changes: Record<string, unknown> = {}) =>
  call(app, 'PUT', providerPath, { ...fields(), ...changes }, merchant);

test('200: the settings without the secret, which is stored sealed', async () => {
  const merchant = await createMerchant(app);
  const { status, body } = await set(merchant, { domains: ['Example.org', 'example.org', 'b.example'] });
  expect(status).toBe(200);
  expect(body).toEqual({
    issuer: world.provider.issuer,
    client_id: oidcClient.client_id,
    domains: ['example.org', 'b.example'],
    is_active: true,
    redirect_uri: `${ownBaseUrl}/accounts/company/${merchant.uuid}/callback`,
    sign_in_url: `${ownBaseUrl}/console/sign-in?company=${merchant.uuid}`,
    created_at: expect.any(Number) as number,
    updated_at: expect.any(Number) as number,
  });
  const text = 'SELECT sealed_secret FROM company_providers WHERE merchant_id = $1';
  const { rows } = await app.pool.query<{ sealed_secret: Buffer }>(text, [merchant.id]);
  expect(rows[0]?.sealed_secret.includes(oidcClient.client_secret)).toBe(false);
});

test('200: without a secret the stored one stays, and the audit log names the change', async () => {
  const merchant = await createMerchant(app);
  await set(merchant);
  const changed = await set(merchant, { client_secret: undefined, domains: ['other.example'] });
  expect(changed).toMatchObject({ status: 200, body: { domains: ['other.example'] } });
  expect((await call(app, 'POST', `${providerPath}/test`, {}, merchant)).body).toMatchObject({ is_valid: true });
  const text = `SELECT action FROM audit_log WHERE merchant_id = $1 AND action LIKE 'company_provider.%'`;
  expect((await app.pool.query(text, [merchant.id])).rows).toHaveLength(2);
});

test('200: turned off or replaced, the provider’s sessions end, and those with a password stay', async () => {
  for (const change of [{ is_active: false }, { client_id: 'another' }]) {
    const merchant = await createMerchant(app);
    await set(merchant);
    const member = await createStaff(app, merchant, { role: 'admin' });
    const browser = world.openBrowser();
    await world.signIn(merchant, `verified:${member.email}`, browser);
    expect((await set(merchant, { domains: ['example.org', 'b.example'] })).status).toBe(200);
    expect((await browser.visit(`${ownBaseUrl}/console/team`)).url.pathname).toBe('/console/team');
    await set(merchant, change);
    expect((await browser.visit(`${ownBaseUrl}/console/team`)).url.pathname).toBe('/console/sign-in');
    expect((await call(app, 'GET', '/v2/staff', undefined, member)).status).toBe(200);
  }
});

test('400 missing_parameter: the secret of one client is never sent to another provider or client', async () => {
  const merchant = await createMerchant(app);
  const first = await set(merchant, { client_secret: undefined });
  expect(first).toMatchObject({ status: 400, body: { error: 'missing_parameter' } });
  await set(merchant);
  for (const change of [{ issuer: 'https://login.example.org' }, { client_id: 'another' }])
    expect(await set(merchant, { ...change, client_secret: undefined })).toMatchObject({
      status: 400,
      body: { errors: { client_secret: 'The client_secret must not be empty.' } },
    });
});

test.each([
  ['issuer', 'login.example.org'],
  ['issuer', 'ftp://login.example.org'],
  ['issuer', 'https://login.example.org/?a=1'],
  ['issuer', 'https://login.example.org/#a'],
  ['issuer', 'https://ana:secret@login.example.org'],
  ['domains', ['example']],
  ['domains', ['@example.org']],
  ['domains', ['*.example.org']],
])('422 invalid_input: %s is %j', async (field, value) => {
  const merchant = await createMerchant(app);
  const { status, body } = await set(merchant, { [field]: value });
  expect([status, body]).toEqual([422, expect.objectContaining({ error: 'invalid_input' })]);
  expect(JSON.stringify(body)).toContain(field);
});

test('403 forbidden: only an owner, because the provider can sign in every member', async () => {
  const merchant = await createMerchant(app);
  const admin = await createStaff(app, merchant, { role: 'admin' });
  expect(await set(admin)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
  expect((await call(app, 'GET', providerPath, undefined, admin)).status).toBe(403);
  const owner = await createStaff(app, merchant, { role: 'owner' });
  expect((await set(owner)).status).toBe(200);
});
