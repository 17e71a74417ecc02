import { type Chromium, describeInBrowser, startChromium, type Visitor } from '../../support/chromium';
import { keptIn } from '../../support/confirmations';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createMerchant, password, type Person } from '../../support/factories';
import { countApps } from '../../support/oauthAppForms';
import { enterConsole, PageWalker } from '../../support/pageWalker';
import {
  ageProof,
  codeOf,
  forgetSteps,
  listFactors,
  moveToPages,
  signInWith,
  switchFactorOn,
} from '../../support/secondFactors';
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

async function switchFactorOnIn(walker: PageWalker, merchant: Person): Promise<{ secret: string }> {
  await walker.open(own);
  const { text } = await walker.submit(`${own}/second-factor`, { password });
  const secret = secretIn(text);
  await walker.submit(formIn(text, 'confirm'), { code: codeOf(secret) });
  await forgetSteps(app, merchant);
  return { secret };
}

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

test('403: a change that needs a recent code asks for it, keeps the form, and goes on with it', async () => {
  const merchant = await createMerchant(app);
  const walker = await enterConsole(app, merchant.email);
  const { secret } = await switchFactorOnIn(walker, merchant);
  await ageProof(app, merchant, '11 minutes');
  const path = '/console/settings/apps';
  const asked = await walker.submit(path, { name: 'Reader <1>', _form: 'the-form' });
  expect(asked.status).toBe(403);
  const kept = keptIn(asked.text);
  expect(kept).toMatchObject({ name: 'Reader <1>', _form: 'the-form' });
  const form = { name: 'Reader <1>', _form: 'the-form' };
  const wrong = await walker.submit(path, { ...form, _confirm_code: codeOf(secret, 20) });
  expect([wrong.status, keptIn(wrong.text)['name']]).toEqual([422, 'Reader <1>']);
  const empty = await walker.submit(path, { ...form, _confirm_code: '' });
  expect(empty.status).toBe(422);
  expect(await countApps(app, merchant)).toBe(1);
  const right = await walker.submit(path, { ...form, _confirm_code: codeOf(secret) });
  expect([right.status, await countApps(app, merchant)]).toEqual([200, 2]);
});

test('403: without a factor, a sign-in of long ago is confirmed by the password', async () => {
  const merchant = await createMerchant(app);
  const walker = await enterConsole(app, merchant.email);
  await walker.open(own);
  await moveToPages(app, merchant, '11 minutes');
  const form = { name: 'Reader' };
  const asked = await walker.submit('/console/settings/apps', form);
  expect([asked.status, keptIn(asked.text)['name']]).toEqual([403, 'Reader']);
  const wrong = await walker.submit('/console/settings/apps', { ...form, _confirm_password: 'another-horse' });
  expect([wrong.status, wrong.text.includes('another-horse')]).toEqual([422, false]);
  const right = await walker.submit('/console/settings/apps', { ...form, _confirm_password: password });
  expect([right.status, await countApps(app, merchant)]).toEqual([200, 2]);
});

test('403: a file asks, too, and its question leads back to it and nowhere else', async () => {
  const merchant = await createMerchant(app);
  const walker = await enterConsole(app, merchant.email);
  await walker.open(own);
  await moveToPages(app, merchant, '11 minutes');
  const address = '/console/csv/items?page=1';
  const asked = await walker.open(address);
  expect([asked.status, asked.text.includes('action="/console/confirm"')]).toEqual([403, true]);
  expect(keptIn(asked.text)['next']).toBe(address);
  const elsewhere = await walker.submit('/console/confirm', {
    next: 'https://example.org',
    _confirm_password: password,
  });
  expect(elsewhere.headers.get('location')).toBe('/console');
  const done = await walker.submit('/console/confirm', { next: address, _confirm_password: password });
  expect([done.status, done.headers.get('location')]).toEqual([303, address]);
  expect((await walker.open(address)).headers.get('content-type')).toContain('text/csv');
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
