import { call } from '../../support/client';
import { type CompanyWorld, providerPath, startCompanyWorld } from '../../support/companySignIn';
import { createMerchant } from '../../support/factories';
import { startIdTokenIssuer } from '../../support/idTokenIssuer';
import { type TestApp } from '../../support/startApp';

let world: CompanyWorld;
let app: TestApp;

beforeAll(async () => {
  world = await startCompanyWorld();
  ({ app } = world);
});

afterAll(() => world.stop());

interface Outcome {
  is_valid: boolean;
  problems: { field: string; problem: string }[];
}

async function tested(fields: Record<string, unknown> = {}) {
  const merchant = await createMerchant(app);
  await world.connect(merchant, fields);
  const { body } = await call<Outcome>(app, 'POST', `${providerPath}/test`, {}, merchant);
  return { is_valid: body.is_valid, problems: body.problems.map(({ field, problem }) => [field, problem]) };
}

test('200: the provider accepts the settings', async () => {
  expect(await tested()).toEqual({ is_valid: true, problems: [] });
});

test('200: names the field that the provider does not accept', async () => {
  const wrong = async (fields: Record<string, unknown>) => (await tested(fields)).problems;
  expect(await wrong({ client_secret: 'wrong' })).toEqual([['client_secret', 'wrong_secret']]);
  expect(await wrong({ client_id: 'nobody' })).toEqual([['client_id', 'unknown_client']]);
  expect(await wrong({ issuer: 'http://127.0.0.1:9' })).toEqual([['issuer', 'not_found']]);
  expect(await wrong({ issuer: `${world.provider.issuer}/other` })).toEqual([['issuer', 'not_found']]);
});

test('200: names the issuer of a provider that names another one', async () => {
  const issuer = await startIdTokenIssuer();
  issuer.issuer = 'https://other.example.org';
  expect((await tested({ issuer: issuer.address })).problems).toEqual([['issuer', 'mismatch']]);
  await issuer.stop();
});

test('200: a secret that was sealed with another key must be entered again', async () => {
  const merchant = await createMerchant(app);
  await world.connect(merchant);
  const text = `UPDATE company_providers SET sealed_secret = '\\x00' WHERE merchant_id = $1`;
  await app.pool.query(text, [merchant.id]);
  const { body } = await call<Outcome>(app, 'POST', `${providerPath}/test`, {}, merchant);
  expect(body.problems).toMatchObject([{ field: 'client_secret', problem: 'unreadable' }]);
});

test('404 company_provider_not_found: none is connected', async () => {
  const refused = { status: 404, body: { error: 'company_provider_not_found' } };
  expect(await call(app, 'POST', `${providerPath}/test`, {}, await createMerchant(app))).toMatchObject(refused);
});

test('429 too_many_requests: sixty tests of a merchant in an hour', async () => {
  const merchant = await createMerchant(app);
  await world.connect(merchant, { issuer: 'http://127.0.0.1:9' });
  const statuses: number[] = [];
  for (let tests = 0; tests < 61; tests += 1)
    statuses.push((await call(app, 'POST', `${providerPath}/test`, {}, merchant)).status);
  expect(statuses.slice(0, 60).every((status) => status === 200)).toBe(true);
  expect(statuses.at(-1)).toBe(429);
});
