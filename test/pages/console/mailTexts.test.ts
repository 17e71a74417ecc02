import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { receives } from '../../support/mailbox';
import { callText, ownText } from '../../support/mailTexts';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

/** The texts of mails in the console. */

let app: TestApp;
let merchant: Person;

beforeAll(async () => (app = await startApp()));
beforeEach(async () => (merchant = await createMerchant(app)));
afterAll(() => app.stop());

const home = '/console/branding/mails';
const receipt = `${home}/receipt/de`;
const fields = { subject: 'Danke von {brand}', heading: '', opening: 'Bezahlt: {amount}.', closing: '', button: 'Los' };

const enter = (language = 'en'): Promise<PageWalker> =>
  enterConsole(app, merchant.email, { 'Accept-Language': language });

test('303: a text is saved, listed for its language, and given back', async () => {
  const walker = await enter();
  expect((await walker.open('/console/branding')).text).toContain(`href="${home}"`);
  await walker.open(receipt);
  expect((await walker.submit(receipt, fields)).headers.get('location')).toBe(`${receipt}?done=saved`);
  expect(await ownText(app, 'receipt/de', merchant)).toMatchObject({
    subject: 'Danke von {brand}',
    heading: null,
    closing: null,
    button: 'Los',
  });
  expect((await walker.open(`${home}?language=de`)).text).toContain('Danke von {brand}');
  const inEnglish = (await walker.open(`${home}?language=en`)).text;
  expect(inEnglish).toContain('Own text: Deutsch');
  expect(inEnglish).not.toContain('Danke von {brand}');
  await walker.open(receipt);
  expect((await walker.submit(`${receipt}/delete`)).headers.get('location')).toBe(`${receipt}?done=saved`);
  expect(await ownText(app, 'receipt/de', merchant)).toBeNull();
});

test.each([
  ['en', 'This email does not have the placeholder {amout}.'],
  ['ar', 'لا تحتوي هذه الرسالة على العنصر {amout}.'],
])('422: a refused text names the placeholder and keeps the form: %s', async (language, said) => {
  const walker = await enter(language);
  await walker.open(receipt);
  const { status, text } = await walker.submit(receipt, { ...fields, opening: 'Bezahlt: {amout}' });
  expect(status).toBe(422);
  for (const wanted of [said, 'href="#field-opening"', 'Bezahlt: {amout}']) expect(text).toContain(wanted);
  expect(await ownText(app, 'receipt/de', merchant)).toBeNull();
});

test('200: the test mail has the text of the form, which stays unsaved', async () => {
  const walker = await enter();
  await walker.open(receipt);
  const { status, text } = await walker.submit(`${receipt}/test`, fields);
  expect([status, text.includes('Sent.'), text.includes('Danke von {brand}')]).toEqual([200, true, true]);
  expect((await receives(app, merchant, merchant.email, 'sample')).subject).toBe('Test: Danke von Ana Petrova');
  expect(await ownText(app, 'receipt/de', merchant)).toBeNull();
});

test('200: a mail that protects its reader shows its closing and has no field for it', async () => {
  const { text } = await (await enter()).open(`${home}/password_reset/en`);
  expect(text).toContain('Your password does not change.');
  expect(text).not.toContain('name="closing"');
});

test('404: an unknown mail or language, and 403: staff without the right', async () => {
  const walker = await enter();
  for (const place of ['report/en', 'receipt/nl', 'receipt/nl/preview'])
    expect((await walker.open(`${home}/${place}`)).status).toBe(404);
  const support = await createStaff(app, merchant, { role: 'support' });
  expect((await (await enterConsole(app, support.email)).open(home)).status).toBe(403);
});

describeInBrowser('the texts of mails in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const console_ = consoleVisitor(
    () => app,
    () => visitor,
  );

  test('the story: find a mail, write, see the preview, send a test, save, and a customer reads it', async () => {
    visitor = await chromium.newVisitor();
    const { page } = visitor;
    await console_.enter(merchant.email);
    await console_.open('/console/branding');
    await page.getByRole('link', { name: 'Emails', exact: true }).click();
    expect(await faultsOf(visitor, 'console-mails')).toEqual([]);
    await page.getByRole('link', { name: 'Activation of an account' }).click();
    const preview = page.frameLocator('iframe[name="mail-preview"]');
    await preview.getByRole('heading', { name: 'Activate your account at Ana Petrova' }).waitFor();
    // The frame can be there before the script that refreshes it.
    await page.waitForLoadState();
    await page.getByLabel('Heading').fill('Welcome to {brand}!');
    await preview.getByRole('heading', { name: 'Welcome to Ana Petrova!' }).waitFor();
    await preview.getByRole('link', { name: 'Activate my account' }).waitFor();
    expect(await faultsOf(visitor, 'console-mail')).toEqual([]);

    await page.getByLabel('Heading').fill('Welcome to {brnd}!');
    await preview.getByText('This email does not have the placeholder {brnd}.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Heading: This email does not have the placeholder {brnd}.').waitFor();
    expect(await faultsOf(visitor, 'console-mail-refused')).toEqual([]);

    await page.getByLabel('Heading').fill('Welcome to {brand}!');
    await page.getByRole('button', { name: 'Send test email' }).click();
    await page.getByText('Sent.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await preview.getByRole('heading', { name: 'Welcome to Ana Petrova!' }).waitFor();
    expect(await faultsOf(visitor, 'console-mail-saved')).toEqual([]);
    const consumer = await createConsumer(app, merchant);
    expect((await receives(app, merchant, consumer.email, 'activation')).text).toContain('Welcome to Ana Petrova!');

    await page.locator('summary', { hasText: 'Back to the standard text' }).click();
    await page.getByRole('button', { name: 'Back to the standard text' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await ownText(app, 'activation/en', merchant)).toBeNull();
  });

  test('Arabic: the list and the form', async () => {
    visitor = await chromium.newVisitor({ language: 'ar' });
    await callText(app, 'PUT receipt/ar', merchant, { subject: 'شكرًا من {brand}', opening: 'دفعت {amount}.' });
    const { cookies } = await enter('ar');
    const signedIn = cookies.split('; ').map((pair) => /^([^=]+)=(.*)$/.exec(pair) ?? []);
    await visitor.context.addCookies(signedIn.map(([, name = '', value = '']) => ({ name, value, url: app.address })));
    await console_.open(home);
    expect(await faultsOf(visitor, 'console-mails-ar')).toEqual([]);
    await console_.open(`${home}/receipt/ar`);
    await visitor.page.frameLocator('iframe[name="mail-preview"]').getByRole('heading', { name: 'شكرًا' }).waitFor();
    expect(await faultsOf(visitor, 'console-mail-ar')).toEqual([]);
  });
});
