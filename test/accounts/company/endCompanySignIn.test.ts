import { call } from '../../support/client';
import { type CompanyWorld, answerIn, ownBaseUrl, refusalOf, startCompanyWorld } from '../../support/companySignIn';
import { createMerchant, type Person } from '../../support/factories';
import { createStaff, inviteUnread, newAddress } from '../../support/staff';
import { type TestApp } from '../../support/startApp';

let world: CompanyWorld;
let app: TestApp;

beforeAll(async () => {
  world = await startCompanyWorld();
  ({ app } = world);
});

afterAll(() => world.stop());

async function createCompany(): Promise<Person> {
  const merchant = await createMerchant(app);
  await world.connect(merchant);
  return merchant;
}

async function sessionsOf(accountId: number) {
  const text =
    'SELECT grant_type, client_id, has_company_factor FROM sessions WHERE account_id = $1 ORDER BY created_at';
  return (await app.pool.query<Record<string, unknown>>(text, [accountId])).rows;
}

const actionsOf = async ({ id }: Person) => {
  const text = 'SELECT action FROM audit_log WHERE merchant_id = $1 ORDER BY sequence DESC LIMIT 2';
  return (await app.pool.query<{ action: string }>(text, [id])).rows.map(({ action }) => action);
};

test('303: an existing member is in the console, and the account is tied to the person of the provider', async () => {
  const merchant = await createCompany();
  const member = await createStaff(app, merchant, { role: 'editor' });
  const browser = world.openBrowser();
  const shown = await world.signIn(merchant, `verified:${member.email}`, browser);
  expect([shown.url.href, shown.status]).toEqual([`${ownBaseUrl}/console`, 200]);
  expect((await sessionsOf(member.id)).at(-1)).toEqual({
    grant_type: 'company',
    client_id: 'platform',
    has_company_factor: false,
  });
  const text = 'SELECT issuer, subject, account_id FROM company_identities WHERE merchant_id = $1';
  expect((await app.pool.query(text, [merchant.id])).rows).toEqual([
    { issuer: world.provider.issuer, subject: `verified:${member.email}`, account_id: member.id },
  ]);
  expect(await actionsOf(merchant)).toEqual(['sign_in.succeed', 'company_identity.link']);
  // A signed token. The random values of the addresses have no dot.
  for (const address of browser.visited.slice(0, -1)) expect(address).not.toMatch(/token=|eyJ[\w-]*\./);
});

test('303: an invited person becomes a member with the role of the invitation, at once and only once', async () => {
  const merchant = await createCompany();
  const { email } = await inviteUnread(app, merchant, { role: 'support' });
  const browsers = [world.openBrowser(), world.openBrowser()];
  const shown = await Promise.all(browsers.map((browser) => world.signIn(merchant, `verified:${email}`, browser)));
  for (const { url } of shown) expect(url.href).toBe(`${ownBaseUrl}/console`);
  const staff = await call<{ email: string }[]>(app, 'GET', '/v2/staff', undefined, merchant);
  const joined = staff.body.filter((member) => member.email === email);
  expect(joined).toEqual([expect.objectContaining({ role: 'support', full_name: 'Ana Petrova', is_merchant: false })]);
  expect((await call(app, 'GET', '/v2/staff/invitations', undefined, merchant)).body).toEqual([]);
});

test('303: who comes again is found by the id at the provider, also after a change of the address here', async () => {
  const merchant = await createCompany();
  const member = await createStaff(app, merchant, { role: 'editor' });
  await world.signIn(merchant, `verified:${member.email}`);
  const changed = newAddress();
  const text = 'UPDATE accounts SET email = $2, email_normalized = $2 WHERE id = $1';
  await app.pool.query(text, [member.id, changed]);
  expect((await world.signIn(merchant, `verified:${member.email}`)).url.pathname).toBe('/console');
  expect(await sessionsOf(member.id)).toHaveLength(3);
});

test('303: leads to the page that the person wanted, and to no other site', async () => {
  const merchant = await createCompany();
  const start = `/accounts/company/${merchant.uuid}?next=`;
  for (const next of ['https://evil.example/', '//evil.example', '/portal', '/consoles'])
    expect((await call(app, 'GET', `${start}${encodeURIComponent(next)}`)).status).toBe(422);
  const member = await createStaff(app, merchant, { role: 'editor' });
  const browser = world.openBrowser();
  const asked = await browser.visit(`${ownBaseUrl}${start}${encodeURIComponent('/console/items?page=2')}`);
  const login = `verified:${member.email}`;
  const consent = await browser.submit(asked.url, { prompt: 'login', login, password: 'any' });
  const shown = await browser.submit(consent.url, { prompt: 'consent' });
  expect(shown.url.href).toBe(`${ownBaseUrl}/console/items?page=2`);
});

test('303: a member of another merchant with the same provider stays a stranger here', async () => {
  const [merchant, other] = [await createCompany(), await createCompany()];
  const member = await createStaff(app, other, { role: 'admin' });
  expect(refusalOf(await world.signIn(merchant, `verified:${member.email}`))).toBe('not_invited');
  expect((await world.signIn(other, `verified:${member.email}`)).url.pathname).toBe('/console');
  const browser = world.openBrowser();
  await world.signIn(other, `verified:${member.email}`, browser);
  const moved = answerIn(browser).replace(other.uuid, merchant.uuid);
  expect(refusalOf(await browser.visit(moved))).toBe('not_begun_here');
});

test('303: a sign-in ends the session that the browser had in the console', async () => {
  const merchant = await createCompany();
  const member = await createStaff(app, merchant, { role: 'editor' });
  const browser = world.openBrowser();
  const openSessions = async () => {
    const text = `SELECT id FROM sessions WHERE account_id = $1 AND grant_type = 'company' AND revoked_at IS NULL`;
    return (await app.pool.query<{ id: string }>(text, [member.id])).rows.map(({ id }) => id);
  };
  await world.signIn(merchant, `verified:${member.email}`, browser);
  const [first] = await openSessions();
  await world.signIn(merchant, `verified:${member.email}`, world.openBrowser());
  expect(await openSessions()).toHaveLength(2);
  await world.signIn(merchant, `verified:${member.email}`, browser);
  const open = await openSessions();
  expect([open.length, open.includes(first ?? '')]).toEqual([2, false]);
});
