import '../support/localhostSettings';
import { addApp, countApps } from '../support/oauthAppForms';
import {
  type Chromium,
  describeInBrowser,
  faultsOf,
  startChromium,
  type Visitor,
  untilTrue,
} from '../support/chromium';
import { createShop, createMerchant, password, type Person } from '../support/factories';
import { ageSessions, listPasskeys } from '../support/passkeys';
import { startApp, type TestApp } from '../support/startApp';

const site = 'http://localhost';
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describeInBrowser('passkeys in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;

  beforeAll(async () => {
    chromium = await startChromium({ hosts: `MAP localhost ${new URL(app.address).host}` });
  });
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  /** A visitor whose device has a passkey authenticator, as telephones and computers do. */
  async function arrive(language = 'en-GB'): Promise<void> {
    visitor = await chromium.newVisitor({ language });
    const devtools = await visitor.context.newCDPSession(visitor.page);
    await devtools.send('WebAuthn.enable');
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
    } as const;
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
    });
  }

  const open = (path: string) => visitor.page.goto(`${site}${path}`);
  const look = async (name: string) =>
    expect([name, await faultsOf(visitor, name, /status of 4\d\d/)]).toEqual([name, []]);

  /**
   * Presses the button of the page, and of no later page. The device may answer the menu of the address field before the
   * button is pressed, so the caller waits for the effect.
   */
  async function signInByPasskey(): Promise<void> {
    const { page } = visitor;
    await page.waitForLoadState();
    const button = await page.$('form[name=passkey-signIn] button').catch(() => null);
    void button?.click().catch(() => undefined);
  }

  async function addPasskey(name: string): Promise<void> {
    const { page } = visitor;
    await page.locator('form[name=start-passkey] input[name=name]').fill(name);
    await page.locator('form[name=start-passkey] button').click();
    await page.locator('form[name=passkey-create] button').click();
    await page.locator('#passkeys').getByText(name, { exact: true }).waitFor();
  }

  async function enterConsole({ email }: Person): Promise<void> {
    const { page } = visitor;
    await open('/console/sign-in');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  }

  test('in the console: added, renamed, used for a sign-in and for a confirmation that keeps the form, and removed', async () => {
    const merchant = await createMerchant(app);
    await arrive();
    const { page } = visitor;
    await enterConsole(merchant);
    await open('/console/security');
    await addPasskey('Telephone');
    await look('console-passkeys');
    await page.getByText('Rename').first().click();
    await page.locator('form[name^=rename] input[type=text]').fill('Work telephone');
    await page.locator('form[name^=rename] button').click();
    await page.locator('#passkeys').getByText('Work telephone', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await signInByPasskey();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();

    await ageSessions(app, merchant, '11 minutes');
    await addApp(visitor, site, 'Reader');
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    await look('console-confirmation-passkey');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor({ state: 'detached' });
    expect(await countApps(app, merchant)).toBe(2);

    await open('/console/security');
    await page.getByText('Remove').first().click();
    await page.locator('form[name^=remove] button').click();
    await page.locator('#passkeys').getByText('Work telephone').waitFor({ state: 'detached' });
    expect(await listPasskeys(app, merchant)).toEqual([]);
  });

  test('a press of the button before the question in the menu begins prevents that question', async () => {
    await arrive();
    const { page } = visitor;
    await page.addInitScript(`{
      window.questions = [];
      const isAvailable = new Promise((resolve) => { window.finishStart = () => resolve(true); });
      PublicKeyCredential.isConditionalMediationAvailable = () => isAvailable;
      navigator.credentials.get = ({ mediation = 'button', signal }) => {
        questions.push(mediation + (signal?.aborted ? ', which has ended' : ''));
        return new Promise(() => undefined);
      };
    }`);
    await open('/console/sign-in');
    await page.locator('form[name=passkey-signIn] button').click();
    await untilTrue(page, 'questions.length === 1');
    await page.evaluate('finishStart()');
    await untilTrue(page, 'questions.length === 2');
    expect(await page.evaluate('questions')).toEqual(['button', 'conditional, which has ended']);
  });

  test('in Arabic: a customer adds one in the portal, and signs in with it at the portal and at the paywall', async () => {
    const { merchant, consumer, item } = await createShop(app);
    await arrive('ar');
    const { page } = visitor;
    const portal = `/portal/${merchant.uuid}`;
    await open(`${portal}/sign-in`);
    await look('portal-sign-in-passkey-ar');
    await page.locator('form[name=sign-in] input[name=username]').fill(consumer.email);
    await page.locator('form[name=sign-in] input[name=password]').fill(password);
    await page.locator('form[name=sign-in] button').click();
    await page.locator('.portal-menu').waitFor();
    await open(`${portal}/security`);
    await addPasskey('هاتف');
    await look('portal-passkeys-ar');

    await visitor.context.clearCookies();
    await open(`${portal}/sign-in`);
    await signInByPasskey();
    await page.locator('.portal-menu').waitFor();

    await visitor.context.clearCookies();
    await open(`/paywall/${merchant.uuid}/${item.id}?step=sign-in`);
    await signInByPasskey();
    await page.getByText(consumer.email).waitFor();
  });
});
