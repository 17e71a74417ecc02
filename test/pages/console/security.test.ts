import { type Chromium, describeInBrowser, startChromium, type Visitor } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createMerchant, password, type Person } from '../../support/factories';
import { enterConsole, PageWalker } from '../../support/pageWalker';
import { ageProof, codeOf, forgetSteps, listFactors, signInWith, switchFactorOn } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const own = '/console/security';

/** The key that the page shows beside the QR code. */
const secretIn = (text: string) => /<code[^>]*dir="ltr"[^>]*>([A-Z2-7 ]+)</.exec(text)?.[1]?.replaceAll(' ', '') ?? '';
const formIn = (text: string, end: string) => new RegExp(`action="([^"]+/${end})"`).exec(text)?.[1] ?? '';
const challengeIn = (text: string) => /name="second_factor_challenge" value="([^"]+)"/.exec(text)?.[1] ?? '';

async function submitPassword(walker: PageWalker, { email }: Person): Promise<string> {
  await walker.open('/console/sign-in');
  const { status, text } = await walker.submit('/console/sign-in', { email, password, next: own });
  expect(status).toBe(200);
  return challengeIn(text);
}

test('422: a wrong password shows no key, and a wrong code switches nothing on', async () => {
  const merchant = await createMerchant(app);
  const walker = await enterConsole(app, merchant.email);
  await walker.open(own);
  const refused = await walker.submit(`${own}/second-factor`, { password: 'another-horse' });
  expect([refused.status, secretIn(refused.text)]).toEqual([422, '']);
  const started = await walker.submit(`${own}/second-factor`, { password });
  const secret = secretIn(started.text);
  expect(secret).toHaveLength(32);
  const wrong = await walker.submit(formIn(started.text, 'confirm'), { code: codeOf(secret, 20) });
  expect([wrong.status, wrong.text.includes(secret)]).toEqual([422, false]);
  expect((await listFactors(app, merchant)).collection).toEqual([]);
  const confirmed = await walker.submit(formIn(wrong.text, 'confirm'), { code: codeOf(secret) });
  expect([confirmed.status, confirmed.text.match(/([0-9A-Z]{4}-){5}[0-9A-Z]{4}/g)?.length]).toEqual([200, 10]);
});

test('200: a form that is sent twice shows the same recovery codes', async () => {
  const merchant = await createMerchant(app);
  const walker = await enterConsole(app, merchant.email);
  await walker.open(own);
  const { text } = await walker.submit(`${own}/second-factor`, { password });
  const form = { code: codeOf(secretIn(text)), _form: 'the-same-form' };
  const both = [await walker.submit(formIn(text, 'confirm'), form), await walker.submit(formIn(text, 'confirm'), form)];
  const [first, second] = both.map((shown) => shown.text.match(/([0-9A-Z]{4}-){5}[0-9A-Z]{4}/g));
  expect(first).toHaveLength(10);
  expect(second).toEqual(first);
});

test('200: the sign-in asks for the code and goes on to the page that was asked for', async () => {
  const merchant = await createMerchant(app);
  const { secret } = await switchFactorOn(app, merchant);
  const walker = new PageWalker(app);
  const second_factor_challenge = await submitPassword(walker, merchant);
  const step = { second_factor_challenge, next: own };
  const wrong = await walker.submit('/console/sign-in', { ...step, second_factor_code: codeOf(secret, 20) });
  expect([wrong.status, challengeIn(wrong.text)]).toEqual([422, second_factor_challenge]);
  const empty = await walker.submit('/console/sign-in', { ...step, second_factor_code: '' });
  expect([empty.status, challengeIn(empty.text)]).toEqual([422, second_factor_challenge]);
  const right = await walker.submit('/console/sign-in', { ...step, second_factor_code: codeOf(secret) });
  expect([right.status, right.headers.get('location')]).toEqual([303, own]);
});

test('422: after five minutes the sign-in begins with the password again', async () => {
  const merchant = await createMerchant(app);
  const { secret } = await switchFactorOn(app, merchant);
  const walker = new PageWalker(app);
  const second_factor_challenge = await submitPassword(walker, merchant);
  await app.pool.query('UPDATE sign_in_challenges SET expires_at = now() WHERE account_id = $1', [merchant.id]);
  const sent = { second_factor_challenge, second_factor_code: codeOf(secret) };
  const { status, text } = await walker.submit('/console/sign-in', sent);
  expect([status, challengeIn(text), text.includes('name="password"')]).toEqual([422, '', true]);
});

test.each([own, '/console/sessions'])('%s is marked in the banner, and no page of the menu is', async (address) => {
  const merchant = await createMerchant(app);
  const walker = await enterConsole(app, merchant.email);
  const { text } = await walker.open(address);
  const current = [...text.matchAll(/<a[^>]*href="([^"]*)"[^>]*aria-current="page"/g)].map(([, href]) => href);
  expect(current).toEqual([own]);
});

test('303: a change that needs a recent code asks for it, and leads back to the form', async () => {
  const merchant = await createMerchant(app);
  const walker = await enterConsole(app, merchant.email);
  await walker.open(own);
  const { text } = await walker.submit(`${own}/second-factor`, { password });
  const secret = secretIn(text);
  await walker.submit(formIn(text, 'confirm'), { code: codeOf(secret) });
  await ageProof(app, merchant, '11 minutes');
  await forgetSteps(app, merchant);
  const asked = await walker.submit('/console/settings/apps', { name: 'Reader' });
  const confirmation = asked.headers.get('location') ?? '';
  expect([asked.status, confirmation]).toEqual([303, '/console/security/confirm?next=%2Fconsole%2Fsettings%2Fapps']);
  expect((await walker.open(confirmation)).text).toContain('from the last ten minutes');
  const confirm = { next: '/console/settings/apps', code: codeOf(secret, 20) };
  expect((await walker.submit(`${own}/confirm`, confirm)).status).toBe(422);
  const right = await walker.submit(`${own}/confirm`, { ...confirm, code: codeOf(secret) });
  expect([right.status, right.headers.get('location')]).toEqual([303, '/console/settings/apps']);
  expect((await walker.submit('/console/settings/apps', { name: 'Reader' })).status).toBe(200);
  await forgetSteps(app, merchant);
  const elsewhere = { next: 'https://example.org/console', code: codeOf(secret) };
  expect((await walker.submit(`${own}/confirm`, elsewhere)).headers.get('location')).toBe(own);
});

describeInBrowser('the second factor in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const { open, look, enter } = consoleVisitor(
    () => app,
    () => visitor,
  );

  async function signOut(): Promise<void> {
    await visitor.page.getByRole('button', { name: 'Sign out' }).click();
    await visitor.page.getByRole('heading', { name: 'Sign in to the console' }).waitFor();
  }

  async function enterPassword(email: string): Promise<void> {
    const { page } = visitor;
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
  }

  async function enterCode(code: string): Promise<void> {
    await visitor.page.getByLabel('Code').fill(code);
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
  }

  test('the story: switched on, a sign-in with a code and with a recovery code, and switched off', async () => {
    visitor = await chromium.newVisitor();
    const { page } = visitor;
    const merchant = await createMerchant(app);
    await enter(merchant.email);
    await page.getByRole('link', { name: 'Security' }).click();
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    await look('console-security-off');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    await look('console-security-set-up');
    const secret = secretIn(await page.content());
    await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret));
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    await look('console-security-codes');
    const recoveryCode = await page.locator('ol code').first().innerText();
    await page.getByRole('link', { name: 'I have stored the codes' }).click();
    await page.getByText('10 recovery codes left').waitFor();
    await look('console-security-on');

    await signOut();
    await enterPassword(merchant.email);
    await look('console-sign-in-code');
    await enterCode(codeOf(secret, 20));
    await page.getByRole('alert').waitFor();
    await look('console-sign-in-code-refused');
    await enterCode(codeOf(secret, 1));
    await page.getByRole('heading', { name: 'Overview' }).waitFor();

    await signOut();
    await enterPassword(merchant.email);
    await enterCode(recoveryCode.toLowerCase());
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await open(own);
    await page.getByText('9 recovery codes left').waitFor();
    await page.getByText('Switch off').first().click();
    await page.locator('form[name=switchOff]').getByLabel('Code').fill('123456');
    await page.locator('form[name=switchOff] button').click();
    await page.getByRole('alert').waitFor();
    await look('console-security-refused');
    await forgetSteps(app, merchant);
    await page.locator('form[name=switchOff]').getByLabel('Code').fill(codeOf(secret));
    await page.locator('form[name=switchOff] button').click();
    await page.getByRole('button', { name: 'Set up' }).waitFor();
    expect((await signInWith(app, merchant)).status).toBe(200);
  });

  test('in Arabic, the pages are usable', async () => {
    visitor = await chromium.newVisitor({ language: 'ar' });
    const { page } = visitor;
    const merchant = await createMerchant(app);
    await switchFactorOn(app, merchant);
    await open('/console/sign-in');
    await page.locator('#field-email').fill(merchant.email);
    await page.locator('#field-password').fill(password);
    await page.locator('form button.main').click();
    await page.locator('form[name=second-factor]').waitFor();
    await look('console-sign-in-code-ar');
  });
});
