import { call } from '../../support/client';
import { type CompanyWorld, ownBaseUrl, providerPath, startCompanyWorld } from '../../support/companySignIn';
import { createMerchant } from '../../support/factories';
import { createStaff } from '../../support/staff';

let world: CompanyWorld;

beforeAll(async () => (world = await startCompanyWorld()));

afterAll(() => world.stop());

test('200: the sessions that it opened end, those of another merchant stay, and the audit log tells it', async () => {
  const { app } = world;
  const companies = [await createMerchant(app), await createMerchant(app)] as const;
  const browsers = [world.openBrowser(), world.openBrowser()] as const;
  for (const at of [0, 1] as const) {
    await world.connect(companies[at]);
    const member = await createStaff(app, companies[at], { role: 'editor' });
    await world.signIn(companies[at], `verified:${member.email}`, browsers[at]);
  }
  expect((await call(app, 'DELETE', providerPath, undefined, companies[0])).status).toBe(200);
  const placeOf = async (at: 0 | 1) => (await browsers[at].visit(`${ownBaseUrl}/console/items`)).url.pathname;
  expect([await placeOf(0), await placeOf(1)]).toEqual(['/console/sign-in', '/console/items']);
  const text = `SELECT 1 FROM audit_log WHERE merchant_id = $1 AND action = 'company_provider.delete'`;
  expect((await app.pool.query(text, [companies[0].id])).rows).toHaveLength(1);
});

test('404 company_provider_not_found: none is connected, or it is another merchant’s', async () => {
  const { app } = world;
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  await world.connect(other);
  const refused = { status: 404, body: { error: 'company_provider_not_found' } };
  expect(await call(app, 'DELETE', providerPath, undefined, merchant)).toMatchObject(refused);
  expect((await call(app, 'GET', providerPath, undefined, other)).status).toBe(200);
});
