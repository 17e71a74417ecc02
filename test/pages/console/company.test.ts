import { call } from '../../support/client';
import { type CompanyWorld, ownBaseUrl, providerPath, startCompanyWorld } from '../../support/companySignIn';
import {
  type Chromium,
  describeInBrowser,
  faultsOf,
  photograph,
  startChromium,
  type Visitor,
} from '../../support/chromium';
import { keptIn } from '../../support/confirmations';
import { createMerchant, type Person } from '../../support/factories';
import { oidcClient } from '../../support/oidcServer';
import { enterConsole, PageWalker } from '../../support/pageWalker';
import { ageProof, codeOf, switchFactorOn } from '../../support/secondFactors';
import { createStaff, invite } from '../../support/staff';
import { type TestApp } from '../../support/startApp';

let world: CompanyWorld;
let app: TestApp;

beforeAll(async () => {
  world = await startCompanyWorld();
  ({ app } = world);
});
afterAll(() => world.stop());

const home = '/console/team/company';
const settings = () => ({ issuer: world.provider.issuer, ...oidcClient, domains: 'example.org' });

async function createCompany(): Promise<Person> {
  const merchant = await createMerchant(app);
  await world.connect(merchant);
  return merchant;
}

test('303: an owner connects, tests, changes and disconnects a provider, and the secret is never shown', async () => {
  const merchant = await createMerchant(app);
  const owner = await enterConsole(app, merchant.email);
  expect((await owner.open('/console/team')).text).toContain(`href="${home}"`);
  expect((await owner.open(home)).text).toContain(`/accounts/company/${merchant.uuid}/callback`);
  const saved = await owner.submit(home, { ...settings(), is_active: 'true' });
  expect(saved.headers.get('location')).toBe(`${home}?done=saved`);
  const { text } = await owner.open(home);
  expect(text).toContain(`/console/sign-in?company=${merchant.uuid}`);
  expect(text).not.toContain(oidcClient.client_secret);
  expect((await owner.submit(`${home}/test`)).text).toContain('The provider accepts these settings.');
  await owner.submit(home, { ...settings(), client_secret: '', domains: 'example.org, b.example' });
  const { body } = await call(app, 'GET', providerPath, undefined, merchant);
  expect(body).toMatchObject({ domains: ['example.org', 'b.example'], is_active: false });
  await owner.open(home);
  expect((await owner.submit(`${home}/delete`)).headers.get('location')).toBe(`${home}?done=deleted`);
  expect((await call(app, 'GET', providerPath, undefined, merchant)).status).toBe(404);
});

test('200: the test names the wrong field, in both languages', async () => {
  const merchant = await createMerchant(app);
  await world.connect(merchant, { client_secret: 'wrong' });
  for (const [language, text] of [
    ['en', 'Client secret: The provider does not accept this secret.'],
    ['ar', 'سر العميل: لا يقبل المزوّد هذا السر.'],
  ] as const) {
    const owner = await enterConsole(app, merchant.email, { 'Accept-Language': language });
    await owner.open(home);
    expect((await owner.submit(`${home}/test`)).text).toContain(text);
  }
});

test('422: a refused form keeps its fields, except the secret', async () => {
  const owner = await enterConsole(app, (await createMerchant(app)).email);
  await owner.open(home);
  const { status, text } = await owner.submit(home, { ...settings(), issuer: 'login.example.org' });
  expect(status).toBe(422);
  expect(text).toContain('href="#field-issuer"');
  expect(text).toContain('value="login.example.org"');
  expect(text).not.toContain(oidcClient.client_secret);
});

test('403: an administrator sees neither the page nor the link to it', async () => {
  const admin = await createStaff(app, await createMerchant(app), { role: 'admin' });
  const walker = await enterConsole(app, admin.email);
  expect((await walker.open('/console/team')).text).not.toContain(home);
  expect((await walker.open(home)).status).toBe(403);
});

test('200: the sign-in page names the company of its address, of the last sign-in, and no other', async () => {
  const merchant = await createCompany();
  const link = `/accounts/company/${merchant.uuid}`;
  const walker = new PageWalker(app);
  expect((await walker.open('/console/sign-in')).text).not.toContain('/accounts/company/');
  expect((await walker.open(`/console/sign-in?company=${merchant.uuid}`)).text).toContain(`href="${link}"`);
  for (const company of ['nobody', (await createMerchant(app)).uuid])
    expect((await walker.open(`/console/sign-in?company=${company}`)).text).not.toContain('/accounts/company/');

  const member = await createStaff(app, merchant, { role: 'editor' });
  const browser = world.openBrowser();
  await world.signIn(merchant, `verified:${member.email}`, browser);
  await call(app, 'PUT', `/v2/staff/${member.id}`, { role: 'support' }, merchant);
  expect((await browser.visit(`${ownBaseUrl}/console/sign-in`)).text).toContain(`href="${link}"`);
});

test('200: every refusal has a text in both languages, and an unknown one is no text of the address', async () => {
  const walker = new PageWalker(app);
  const shown = async (reason: string, language: string) => {
    const { text } = await walker.open(`/console/sign-in?refused=${encodeURIComponent(reason)}&lang=${language}`);
    return /role="alert"[^>]*>([^<]+)</.exec(text)?.[1]?.trim();
  };
  expect(await shown('not_invited', 'en')).toBe('You are not a member of this team. Ask its owner for an invitation.');
  expect(await shown('not_invited', 'ar')).toBe('لست عضوًا في هذا الفريق. اطلب دعوة من مالكه.');
  expect(await shown('<b>Call us</b>', 'en')).toContain('is not valid. Try again.');
});

test('200: an invitation can be accepted with the company’s provider, except that of an owner', async () => {
  const merchant = await createCompany();
  const link = `/accounts/company/${merchant.uuid}`;
  const [editor, owner] = [
    await invite(app, merchant, { role: 'editor' }),
    await invite(app, merchant, { role: 'owner' }),
  ];
  const walker = new PageWalker(app);
  expect((await walker.open(`/console/join/${editor.token}`)).text).toContain(`href="${link}"`);
  expect((await walker.open(`/console/join/${owner.token}`)).text).not.toContain(link);
});

test('403: a confirmation offers the company’s provider, which is asked to ask the person again', async () => {
  const merchant = await createCompany();
  const member = await createStaff(app, merchant, { role: 'admin' });
  const browser = world.openBrowser();
  await world.signIn(merchant, `verified:${member.email}`, browser);
  const text = `UPDATE sessions SET password_proven_at = now() - interval '1 hour' WHERE account_id = $1`;
  await app.pool.query(text, [member.id]);
  const asked = await browser.visit(`${ownBaseUrl}/console/csv/customers`);
  expect(asked.status).toBe(403);
  expect(asked.text).toContain(`/accounts/company/${merchant.uuid}?fresh=true`);
});

/** Sessions of the member that the provider opened an hour ago. */
const signedInLongAgo = (member: Person) =>
  app.pool.query(
    `UPDATE sessions SET grant_type = 'company', password_proven_at = now() - interval '1 hour' WHERE account_id = $1`,
    [member.id],
  );

test('403: a session of the provider is confirmed by the provider only, and the form is kept', async () => {
  const merchant = await createCompany();
  const member = await createStaff(app, merchant, { role: 'admin' });
  const walker = await enterConsole(app, member.email);
  const address = '/console/reports/schedules';
  await walker.open(address);
  await signedInLongAgo(member);
  const fields = { report: 'mrr', cadence: 'weekly', time_zone: 'Asia/Tokyo', recipients: 'a@example.org' };
  const asked = await walker.submit(address, fields);
  expect(asked.status).toBe(403);
  expect(asked.text).not.toContain('_confirm_password');
  const link = `/accounts/company/${merchant.uuid}?fresh=true&amp;next=%2Fconsole%2Fconfirmed`;
  expect(asked.text).toContain(`href="${link}" target="_blank" rel="noopener"`);
  const kept = keptIn(asked.text);
  expect(kept).toMatchObject(fields);
  expect((await walker.submit(address, kept)).status).toBe(403);
  await app.pool.query('UPDATE sessions SET password_proven_at = now() WHERE account_id = $1', [member.id]);
  expect((await walker.submit(address, kept)).headers.get('location')).toBe(`${address}?done=created`);
  const { body } = await call(app, 'GET', '/reporting/schedules', undefined, merchant);
  expect(body['collection']).toMatchObject([{ report: 'mrr', time_zone: 'Asia/Tokyo', recipients: ['a@example.org'] }]);
});

test('403: a session of the provider with a second factor is confirmed by the factor', async () => {
  const merchant = await createCompany();
  const member = await createStaff(app, merchant, { role: 'admin' });
  await switchFactorOn(app, member);
  const walker = new PageWalker(app);
  walker.keep('console', member.token);
  await walker.open('/console/security');
  await signedInLongAgo(member);
  await ageProof(app, member, '11 minutes');
  const asked = await walker.submit('/console/reports/schedules');
  expect(asked.status).toBe(403);
  expect(asked.text).toContain('name="_confirm_code"');
  expect(asked.text).not.toContain(`/accounts/company/${merchant.uuid}`);
});

describeInBrowser('the sign-in with a company in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => {
    const { host } = new URL(app.address);
    chromium = await startChromium({ hosts: `MAP paywall.test ${host}` });
  });
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  async function signInAtProvider(login: string): Promise<void> {
    const { page } = visitor;
    await page.locator('a[href*="/accounts/company/"]').click();
    await page.locator('input[name=login]').fill(login);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  test('a member with an authenticator app: through the provider and the code into the console', async () => {
    const merchant = await createCompany();
    const member = await createStaff(app, merchant, { role: 'admin' });
    const { secret } = await switchFactorOn(app, member);
    visitor = await chromium.newVisitor();
    const { page } = visitor;
    const addresses: string[] = [];
    page.on('framenavigated', (frame) => addresses.push(frame.url()));
    await page.goto(`${ownBaseUrl}/console/sign-in?company=${merchant.uuid}&next=/console/items`);
    await signInAtProvider(`verified:${member.email}`);
    await page.getByLabel('Code').fill(codeOf(secret));
    await page.locator('button[type=submit]').first().click();
    await page.waitForURL(`${ownBaseUrl}/console/items`);
    expect(addresses.filter((address) => /challenge|eyJ/.test(address))).toEqual([]);
    const cookies = await visitor.context.cookies(ownBaseUrl);
    for (const name of ['console', 'company'])
      expect(cookies.find((cookie) => cookie.name === name)).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
  });

  test('a member without a password: the form is kept while the provider asks in another tab', async () => {
    const merchant = await createCompany();
    const { email } = await invite(app, merchant, { role: 'admin' });
    visitor = await chromium.newVisitor();
    const { page, context } = visitor;
    await page.goto(`${ownBaseUrl}/console/sign-in?company=${merchant.uuid}&next=/console/reports/schedules`);
    await signInAtProvider(`verified:${email}`);
    await page.locator('[name=recipients]').fill('a@example.org');
    await app.pool.query(
      `UPDATE sessions SET password_proven_at = now() - interval '1 hour'
       WHERE account_id = (SELECT id FROM accounts WHERE email = $1)`,
      [email],
    );
    await page.locator('form[name=schedule] button[type=submit]').click();
    await page.getByText('What you entered is kept.').waitFor();
    // The provider and the name of the tests have no https.
    const expected = /Opener-Policy|ERR_NAME_NOT_RESOLVED|status of 403/;
    expect(await faultsOf(visitor, 'company-confirmation', expected)).toEqual([]);
    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Sign in at your company again' }).click();
    const tab = await opened;
    await tab.locator('input[name=login]').fill(`verified:${email}`);
    await tab.locator('input[name=password]').fill('any');
    await tab.locator('button[type=submit]').click();
    const end = tab.getByRole('heading', { name: 'You have signed in again' });
    const consent = tab.getByRole('button', { name: 'Continue' });
    // The provider may remember the consent of the first sign-in.
    await end.or(consent).first().waitFor();
    if (await consent.isVisible()) await consent.click();
    await end.waitFor();
    await photograph(tab, 'company-confirmed');
    await tab.close();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`${ownBaseUrl}/console/reports/schedules?done=created`);
    await page.getByText('a@example.org').first().waitFor();
  });

  test('a refusal is told on the sign-in page', async () => {
    const merchant = await createCompany();
    visitor = await chromium.newVisitor();
    await visitor.page.goto(`${ownBaseUrl}/console/sign-in?company=${merchant.uuid}`);
    await signInAtProvider('verified:stranger@example.org');
    await visitor.page.getByText('You are not a member of this team.').waitFor();
  });

  test.each(['en', 'ar'])('%s: nothing that axe finds, and no wider than the screen', async (language) => {
    const merchant = await createMerchant(app);
    await world.connect(merchant, { client_secret: 'wrong' });
    visitor = await chromium.newVisitor({ language });
    const { page, context } = visitor;
    await page.goto(`${app.address}/console/sign-in?company=${merchant.uuid}&refused=not_invited`);
    expect(await faultsOf(visitor, `company-sign-in-${language}`)).toEqual([]);
    await context.addCookies([{ name: 'console', value: merchant.token, url: app.address }]);
    await page.goto(`${app.address}${home}`);
    await page.locator(`form[action="${home}/test"] button`).click();
    await page.locator('.alert.bad').waitFor();
    expect(await faultsOf(visitor, `company-provider-${language}`)).toEqual([]);
  });
});
