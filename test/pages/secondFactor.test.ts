import '../support/localhostSettings';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../support/chromium';
import { createConsumer, createMerchant, createShop, password, type Person } from '../support/factories';
import { addApp, countApps } from '../support/oauthAppForms';
import { ageSessions } from '../support/passkeys';
import { codeOf, forgetSteps, switchFactorOn } from '../support/secondFactors';
import { startApp, type TestApp } from '../support/startApp';

const site = 'http://localhost';
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describeInBrowser('authenticator apps in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;

  beforeAll(async () => {
    chromium = await startChromium({ hosts: `MAP localhost ${new URL(app.address).host}` });
  });
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const open = (path: string) => visitor.page.goto(`${site}${path}`);
  const look = async (name: string) =>
    expect([name, await faultsOf(visitor, name, /status of 4\d\d/)]).toEqual([name, []]);

  async function send(form: string, values: Record<string, string>): Promise<void> {
    const place = visitor.page.locator(`form[name=${form}]`);
    for (const [name, value] of Object.entries(values)) await place.locator(`input[name=${name}]`).fill(value);
    await place.locator('button').click();
  }

  async function signInToConsole({ email }: Person, next = '/console'): Promise<void> {
    const { page } = visitor;
    await open(`/console/sign-in?next=${next}`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  const refusal = () => visitor.page.getByRole('alert').waitFor();

  /** Sets an authenticator app up on the security page. Answers its secret and the recovery codes. */
  async function setUp(person: Person, name: string): Promise<{ secret: string; codes: string[] }> {
    const { page } = visitor;
    await send('start-factor', { password });
    await page.locator('svg.qr').waitFor();
    await look(`${name}-set-up`);
    const secret = (await page.locator('code[dir=ltr]').innerText()).replaceAll(' ', '');
    await send('confirm-factor', { code: codeOf(secret, 20) });
    await refusal();
    await look(`${name}-refused`);
    await send('confirm-factor', { code: codeOf(secret) });
    await page.locator('ol.codes').waitFor();
    await look(`${name}-codes`);
    const codes = await page.locator('ol.codes code').allInnerTexts();
    await page.locator('a.button.main').click();
    await page.locator('#second-factor .badge.good').waitFor();
    await look(`${name}-on`);
    await forgetSteps(app, person);
    return { secret, codes };
  }

  test('in the console: set up, used for sign-ins and for a confirmation, and switched off', async () => {
    const merchant = await createMerchant(app);
    visitor = await chromium.newVisitor();
    const { page } = visitor;
    await signInToConsole(merchant, '/console/security');
    const { secret, codes } = await setUp(merchant, 'console-factor');

    await page.getByRole('button', { name: 'Sign out', exact: true }).first().click();
    await signInToConsole(merchant);
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
    await look('console-code');
    await send('second-factor', { second_factor_code: codeOf(secret, 20) });
    await refusal();
    await look('console-code-refused');
    await send('second-factor', { second_factor_code: codeOf(secret) });
    await page.getByRole('heading', { name: 'Overview' }).waitFor();

    await ageSessions(app, merchant, '11 minutes');
    await forgetSteps(app, merchant);
    await addApp(visitor, site, 'Reader');
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    await look('console-confirmation-code');
    await page.locator('form[name=confirmation] input[name=_confirm_code]').fill(codeOf(secret));
    await page.locator('form[name=confirmation] button').click();
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor({ state: 'detached' });
    expect(await countApps(app, merchant)).toBe(2);

    await visitor.context.clearCookies();
    await signInToConsole(merchant, '/console/security');
    await send('second-factor', { second_factor_code: codes[0] ?? '' });
    await page.getByText('9 recovery codes left').waitFor();
    await page.locator('#second-factor').getByText('Switch off', { exact: true }).first().click();
    await page.locator('form[name=switchOff] input[name=switchOff_code]').fill(codes[1] ?? '');
    await look('console-factor-switch-off');
    await page.locator('form[name=switchOff] button').click();
    await page.locator('#second-factor').getByRole('button', { name: 'Set up' }).waitFor();
  });

  test('in Arabic: a customer sets one up in the portal, and signs in with it', async () => {
    const consumer = await createConsumer(app, await createMerchant(app));
    visitor = await chromium.newVisitor({ language: 'ar' });
    const portal = `/portal/${consumer.merchantUuid}`;
    await open(`${portal}/sign-in`);
    await send('sign-in', { username: consumer.email, password });
    await visitor.page.locator('.portal-menu').waitFor();
    await open(`${portal}/security`);
    const { secret } = await setUp(consumer, 'portal-factor-ar');

    await visitor.context.clearCookies();
    await open(`${portal}/sign-in`);
    await send('sign-in', { username: consumer.email, password });
    await visitor.page.locator('form[name=second-factor]').waitFor();
    await look('portal-code-ar');
    await send('second-factor', { second_factor_code: codeOf(secret) });
    await visitor.page.locator('.portal-menu').waitFor();
  });

  test('on a telephone: a reader signs in at the paywall, and keeps the chosen plan', async () => {
    const { merchant, consumer, item, fee } = await createShop(app);
    const { secret } = await switchFactorOn(app, consumer);
    visitor = await chromium.newVisitor({ width: 375 });
    await open(`/paywall/${merchant.uuid}/${item.id}?step=sign-in&fee=${fee.id}`);
    await send('sign-in', { username: consumer.email, password });
    await visitor.page.locator('form[name=second-factor]').waitFor();
    await look('paywall-code');
    await send('second-factor', { second_factor_code: codeOf(secret) });
    await visitor.page.getByText(consumer.email).waitFor();
    expect(visitor.page.url()).toContain(`fee=${fee.id}`);
  });
});
