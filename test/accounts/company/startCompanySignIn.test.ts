import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { ownBaseUrl, providerPath } from '../../support/companySignIn';
import { createMerchant, type Person } from '../../support/factories';
import { oidcClient } from '../../support/oidcServer';
import { startIdTokenIssuer } from '../../support/idTokenIssuer';
import { startApp, type TestApp } from '../../support/startApp';

/** Without WEBHOOK_ALLOW_PRIVATE: no provider in a private network is contacted. */
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const fields = { issuer: 'https://login.example.org', ...oidcClient, domains: ['example.org'] };

const connect = (merchant: Person, changes: Record<string, unknown> = {}) =>
  call(app, 'PUT', providerPath, { ...fields, ...changes }, merchant);

async function refusalOf(uuid: string) {
  const { status, headers } = await call(app, 'GET', `/accounts/company/${uuid}`);
  const to = new URL(headers.get('location') ?? '');
  expect([status, to.origin, to.pathname]).toEqual([303, ownBaseUrl, '/console/sign-in']);
  return to.searchParams.get('refused');
}

test('422 invalid_input: an issuer that is written as an address of a private network', async () => {
  const merchant = await createMerchant(app);
  for (const issuer of ['https://127.0.0.1', 'https://[::1]', 'https://169.254.169.254', 'https://localhost'])
    expect(await connect(merchant, { issuer })).toMatchObject({
      status: 422,
      body: { errors: { issuer: 'The issuer must be a public address.' } },
    });
});

test('303: a name that leads to a private address, and a stored private address: provider_unavailable', async () => {
  const merchant = await createMerchant(app);
  const server = await startIdTokenIssuer();
  const { port } = new URL(server.address);
  await connect(merchant);
  for (const issuer of [`http://localhost:${port}`, server.address]) {
    server.issuer = issuer;
    await app.pool.query('UPDATE company_providers SET issuer = $2 WHERE merchant_id = $1', [merchant.id, issuer]);
    expect(await refusalOf(merchant.uuid)).toBe('provider_unavailable');
    const { body } = await call(app, 'POST', `${providerPath}/test`, {}, merchant);
    expect(body).toMatchObject({ is_valid: false, problems: [{ field: 'issuer', problem: 'not_public' }] });
  }
  await server.stop();
});

test('303: an unknown merchant, one without a provider, and one that has turned it off: provider_off', async () => {
  const [without, off] = [await createMerchant(app), await createMerchant(app)];
  expect((await connect(off, { is_active: false })).status).toBe(200);
  for (const uuid of [randomUUID(), without.uuid, off.uuid]) expect(await refusalOf(uuid)).toBe('provider_off');
});

test('404 not_found: an address without a merchant', async () => {
  expect((await call(app, 'GET', '/accounts/company/nobody')).status).toBe(404);
});
