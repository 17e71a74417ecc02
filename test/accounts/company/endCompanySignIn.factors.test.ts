import { call } from '../../support/client';
import { answerIn, type CompanyWorld, ownBaseUrl, providerPath, startCompanyWorld } from '../../support/companySignIn';
import { createMerchant, type Person } from '../../support/factories';
import { codeOf, switchFactorOn } from '../../support/secondFactors';
import { createStaff } from '../../support/staff';
import { type TestApp } from '../../support/startApp';

let world: CompanyWorld;
let app: TestApp;

beforeAll(async () => {
  world = await startCompanyWorld();
  ({ app } = world);
});

afterAll(() => world.stop());

async function createMember(role = 'admin'): Promise<{ merchant: Person; member: Person }> {
  const merchant = await createMerchant(app);
  await world.connect(merchant);
  return { merchant, member: await createStaff(app, merchant, { role }) };
}

async function requireFactors(merchant: Person): Promise<void> {
  await switchFactorOn(app, merchant);
  await call(app, 'PUT', '/accounts/settings', { second_factor_policy: 'required' }, merchant);
}

test('303: where the merchant requires a factor, one that the provider has checked counts', async () => {
  const { merchant, member } = await createMember();
  await requireFactors(merchant);
  const browser = world.openBrowser();
  expect((await world.signIn(merchant, `mfa:${member.email}`, browser)).url.pathname).toBe('/console');
  expect((await browser.visit(`${ownBaseUrl}/console/customers`)).url.pathname).toBe('/console/customers');
});

test('303: where the merchant requires a factor and the provider names none, the member sets one up first', async () => {
  const { merchant, member } = await createMember();
  await requireFactors(merchant);
  const browser = world.openBrowser();
  expect((await world.signIn(merchant, `verified:${member.email}`, browser)).url.pathname).toBe('/console/security');
  expect((await browser.visit(`${ownBaseUrl}/console/customers`)).url.pathname).toBe('/console/security');
});

test('303: a member with an authenticator app enters its code, unless the provider has checked a factor', async () => {
  const { merchant, member } = await createMember();
  const factor = await switchFactorOn(app, member);
  const browser = world.openBrowser();
  const asked = await world.signIn(merchant, `verified:${member.email}`, browser);
  expect([asked.url.href, asked.status]).toEqual([`${ownBaseUrl}/console/sign-in/code?next=%2Fconsole`, 200]);
  const [, challenge = ''] = /name="second_factor_challenge" value="([^"]+)"/.exec(asked.text) ?? [];
  expect(browser.visited.join()).not.toContain(challenge);
  const text = 'SELECT grant_type FROM sessions WHERE account_id = $1 ORDER BY created_at DESC LIMIT 1';
  expect((await app.pool.query(text, [member.id])).rows).toEqual([{ grant_type: 'password' }]);

  const body = { grant_type: 'password', client_id: 'platform', second_factor_challenge: challenge };
  const authenticate = (second_factor_code: string) =>
    call(app, 'POST', '/accounts/authenticate', { ...body, second_factor_code });
  expect(await authenticate('000000')).toMatchObject({ status: 422, body: { error: 'second_factor_code_invalid' } });
  expect((await authenticate(codeOf(factor.secret))).status).toBe(200);
  expect((await app.pool.query(text, [member.id])).rows).toEqual([{ grant_type: 'company' }]);
});

test('303: a sign-in that waits for a code ends when the provider is disconnected', async () => {
  const { merchant, member } = await createMember();
  const { secret } = await switchFactorOn(app, member);
  const { text } = await world.signIn(merchant, `verified:${member.email}`);
  const [, challenge = ''] = /name="second_factor_challenge" value="([^"]+)"/.exec(text) ?? [];
  await call(app, 'DELETE', providerPath, undefined, merchant);
  const body = { grant_type: 'password', client_id: 'platform', second_factor_challenge: challenge };
  const answer = await call(app, 'POST', '/accounts/authenticate', { ...body, second_factor_code: codeOf(secret) });
  expect(answer).toMatchObject({ status: 401, body: { error: 'second_factor_challenge_invalid' } });
});

test('303: with a factor of the provider, a member with an authenticator app is asked for no code', async () => {
  const { merchant, member } = await createMember();
  await switchFactorOn(app, member);
  expect((await world.signIn(merchant, `mfa:${member.email}`)).url.pathname).toBe('/console');
});

test('303: a sign-in confirms the session only if the provider says that it has just asked the person', async () => {
  const { merchant, member } = await createMember();
  const browser = world.openBrowser();
  await world.signIn(merchant, `verified:${member.email}`, browser);
  const proofs = async () => {
    const text = `SELECT password_proven_at > now() - interval '10 min' AS is_proven FROM sessions
      WHERE account_id = $1 ORDER BY created_at DESC LIMIT 1`;
    return (await app.pool.query<{ is_proven: boolean }>(text, [member.id])).rows[0]?.is_proven;
  };
  expect(await proofs()).toBe(true);
  const begun = answerIn(browser);
  const started = await browser.visit(`${ownBaseUrl}/accounts/company/${merchant.uuid}?fresh=true`);
  expect(started.url.origin).toBe(world.provider.issuer);
  expect(answerIn(browser)).toBe(begun);
  const asked = browser.visited.find((address) => address.includes('prompt=login')) ?? '';
  expect(new URL(asked).searchParams.get('max_age')).toBe('0');
});
