import { type Chromium, describeInBrowser, faultsOf, startChromium } from '../../support/chromium';
import { createMerchant, password, type Person } from '../../support/factories';
import { mailsTo, receives, requestsAnswered } from '../../support/mailbox';
import { pathIn } from '../../support/mailedLinks';
import { PageWalker } from '../../support/pageWalker';
import { createStaff, newAddress } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

/** The forgotten password of a merchant, from the sign-in of the console to the sign-in with the new password. */

let app: TestApp;
let merchant: Person;

beforeAll(async () => (app = await startApp({ RATE_LIMIT_MAILS: '3' })));
afterAll(() => app.stop());
beforeEach(async () => (merchant = await createMerchant(app)));

const page = '/console/forgotten';
const changed = 'a-quite-new-battery';

async function ask(email: string, walker = new PageWalker(app)) {
  await walker.open(page);
  return walker.submit(page, { email });
}

async function linkFor({ email }: Person, by = merchant): Promise<string> {
  const mail = await receives(app, by, email, 'password_reset');
  expect(mail.text).toMatch(/Choose a new password: http:\/\/paywall\.test\/accounts\/forgot-password\/[\w-]{43}/);
  return pathIn(mail, '/accounts/forgot-password/');
}

async function signIn(email: string, secret: string) {
  const walker = new PageWalker(app);
  await walker.open('/console/sign-in');
  return (await walker.submit('/console/sign-in', { email, password: secret })).status;
}

test('200: the sign-in leads to it, and it leads back', async () => {
  const walker = new PageWalker(app);
  expect((await walker.open('/console/sign-in')).text).toContain(`<a href="${page}">Forgot your password?</a>`);
  const { status, text } = await walker.open(page);
  expect([status, text.includes('href="/console/sign-in"')]).toEqual([200, true]);
});

test.each(['merchant', 'member of the staff'])('303: a %s sets a new password with the mailed link', async (who) => {
  const person = who === 'merchant' ? merchant : await createStaff(app, merchant, { role: 'admin' });
  const sent = await ask(person.email.toUpperCase());
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `${page}?done=sent`]);
  const path = await linkFor(person);
  const walker = new PageWalker(app);
  const both = { password: changed, password_confirmation: changed };
  expect((await walker.submit(path, { ...both, password_confirmation: password })).text).toContain('do not match');
  const done = await walker.submit(path, both);
  expect(done.text).toContain('Password changed');
  expect(done.text).toContain('href="/console/sign-in"');
  expect([await signIn(person.email, password), await signIn(person.email, changed)]).toEqual([422, 303]);
  expect((await walker.submit(path, both)).text).toContain('This link has expired');
});

test('303: the answer is the same for an address without an account, and no mail is sent', async () => {
  const nobody = newAddress();
  const pages = [];
  for (const email of [merchant.email, nobody]) {
    const walker = new PageWalker(app);
    const { status, headers } = await ask(email, walker);
    const { text } = await walker.open(headers.get('location') ?? '');
    expect(text).toContain('If an account with this email exists, we have sent it a link.');
    expect(text).not.toContain(email);
    pages.push({ status, location: headers.get('location') });
  }
  expect(pages[0]).toEqual(pages[1]);
  await requestsAnswered(app);
  expect(await mailsTo(app, merchant, nobody)).toEqual([]);
});

test('422: no address and a text that is none keep the form with the error of the field', async () => {
  for (const email of ['', 'ana@']) {
    const { status, text } = await ask(email);
    expect(status).toBe(422);
    expect(text).toMatch(/<input[^>]*name="email"[^>]*aria-invalid="true"/);
    if (email !== '') expect(text).toContain(`value="${email}"`);
  }
});

test('422: the fourth request within an hour, whether the address has an account or not', async () => {
  for (const email of [merchant.email, newAddress()]) {
    const answers = [];
    for (let time = 0; time < 4; time += 1) answers.push(await ask(email));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 422]);
    expect(answers[3]?.text).toContain('Too many attempts');
  }
});

test('200: an expired link leads to the page that mails another', async () => {
  await ask(merchant.email);
  const path = await linkFor(merchant);
  await app.pool.query(`UPDATE mailed_tokens SET expires_at = now() WHERE account_id = $1`, [merchant.id]);
  const { text } = await new PageWalker(app).open(`${path}?lang=ar`);
  expect(text).toContain(`href="${page}?lang=ar"`);
});

test('200: in Arabic, from right to left', async () => {
  const walker = new PageWalker(app, { 'Accept-Language': 'ar' });
  expect((await walker.open(page)).text).toContain('<html lang="ar" dir="rtl"');
  expect((await walker.open(`${page}?done=sent`)).text).toContain('تحقّق من بريدك الإلكتروني');
});

describeInBrowser('a forgotten password, in a browser', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test('200: by keyboard, accessible, and fit for a phone', async () => {
    const visitor = await chromium.newVisitor();
    const { page: tab } = visitor;
    const look = async (name: string) => expect([name, await faultsOf(visitor, name)]).toEqual([name, []]);
    await tab.goto(`${app.address}/console/sign-in`);
    await tab.getByRole('link', { name: 'Forgot your password?' }).press('Enter');
    await tab.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
    await look('console-forgotten');
    await tab.getByLabel('Email').fill(merchant.email);
    await tab.getByLabel('Email').press('Enter');
    await tab.getByRole('heading', { name: 'Check your email' }).waitFor();
    await look('console-forgotten-sent');
    await tab.goto(app.address + (await linkFor(merchant)));
    await tab.getByLabel('New password', { exact: true }).fill(changed);
    await tab.locator('#field-password_confirmation').fill(changed);
    await tab.locator('#field-password_confirmation').press('Enter');
    await tab.getByRole('heading', { name: 'Password changed' }).waitFor();
    await tab.getByRole('link', { name: 'Sign in' }).press('Enter');
    await tab.waitForURL('**/console/sign-in');
    await visitor.context.close();
  });
});
