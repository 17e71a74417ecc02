import { type Chromium, describeInBrowser, startChromium, type Visitor } from '../../support/chromium';
import { createConsumer, createFee, createItem, createMerchant } from '../../support/factories';
import { socialBaseUrl, startSocialWorld, type SocialWorld } from '../../support/socialSignIn';

let world: SocialWorld;
let chromium: Chromium;

beforeAll(async () => (world = await startSocialWorld()));
afterAll(() => world.stop());

async function createShop() {
  const { app } = world;
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const item = await createItem(app, merchant);
  await createFee(app, merchant, item.id);
  return { merchant, consumer, path: `/paywall/${merchant.uuid}/${item.id}` };
}

describeInBrowser('a sign-in at another service in a browser', () => {
  let visitor: Visitor;
  beforeAll(async () => {
    const { host } = new URL(world.app.address);
    chromium = await startChromium({ hosts: `MAP paywall.test ${host}` });
  });
  afterAll(() => chromium.close());
  beforeEach(async () => (visitor = await chromium.newVisitor()));
  afterEach(() => visitor.context.close());

  /** From the open page of ours through the pages of the provider. */
  async function signInAtProvider(login: string): Promise<void> {
    const { page } = visitor;
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await page.locator('input[name=login]').fill(login);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  const sessionCookies = async () =>
    (await visitor.context.cookies()).filter(({ name }) => name.startsWith('customer_'));

  test('from the paywall: the checkout shows who pays, and no address contained a token', async () => {
    const { path } = await createShop();
    const { page } = visitor;
    const addresses: string[] = [];
    page.on('framenavigated', (frame) => addresses.push(frame.url()));
    await page.goto(`${socialBaseUrl}${path}?step=register`);
    await signInAtProvider('verified:ana.story@example.org');
    await page.getByRole('heading', { name: 'Checkout' }).waitFor();
    await page.getByText('You are signed in as ana.story@example.org').waitFor();
    expect(page.url()).toBe(`${socialBaseUrl}${path}`);
    expect(addresses.filter((address) => /token|eyJ/.test(address))).toEqual([]);
    expect(await sessionCookies()).toMatchObject([{ httpOnly: true, sameSite: 'Lax' }]);
  });

  test('from the portal: the customer is in', async () => {
    const { merchant } = await createShop();
    const { page } = visitor;
    await page.goto(`${socialBaseUrl}/portal/${merchant.uuid}/sign-in`);
    await signInAtProvider('verified:ben.story@example.org');
    await page.locator('.portal-menu').waitFor();
    expect(page.url()).toBe(`${socialBaseUrl}/portal/${merchant.uuid}`);
  });

  test('a customer without a password signs in again in another tab, and erases the account', async () => {
    const { merchant } = await createShop();
    const { page, context } = visitor;
    const portal = `${socialBaseUrl}/portal/${merchant.uuid}`;
    await page.goto(`${portal}/sign-in?next=/portal/${merchant.uuid}/data/erase`);
    await signInAtProvider('verified:eva.story@example.org');
    await page.locator('.portal-menu').waitFor();
    await page.goto(`${portal}/data/erase`);
    const older = `UPDATE sessions SET created_at = now() - interval '11 minutes'`;
    await world.app.pool.query(older);
    await page.locator('form[name=erase] button[type=submit]').click();
    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Sign in again' }).click();
    const tab = await opened;
    // The provider knows the person, and asks nothing.
    await tab.getByRole('link', { name: 'Continue with Acme' }).click();
    await tab.locator('.portal-menu').waitFor();
    await tab.close();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`${portal}/sign-in?done=erased`);
  });

  test('a refusal is explained on the page that the visitor came from', async () => {
    const { consumer, path } = await createShop();
    const { page } = visitor;
    await page.goto(`${socialBaseUrl}${path}?step=sign-in`);
    await signInAtProvider(`unverified:${consumer.email}`);
    await page.getByText('An account with this email already exists.').waitFor();
    expect(await sessionCookies()).toEqual([]);
  });

  test('a link with somebody’s token signs nobody in', async () => {
    const { merchant, consumer, path } = await createShop();
    const { page } = visitor;
    const fragment = `#token=${consumer.token}&refresh_token=x&expires=1899999999`;
    for (const place of [path, `/portal/${merchant.uuid}/sign-in`]) {
      await page.goto(`${socialBaseUrl}${place}${fragment}`);
      await page.waitForLoadState('networkidle');
      expect(await sessionCookies()).toEqual([]);
      expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
    }
  });

  test('another browser cannot complete a sign-in: the link back opens no session in it', async () => {
    const { merchant } = await createShop();
    const attacker = await chromium.newVisitor();
    await attacker.page.route('**/callback?**', (route) => route.abort());
    const callback = attacker.page.waitForRequest('**/callback?**');
    await attacker.page.goto(`${socialBaseUrl}/portal/${merchant.uuid}/sign-in`);
    const victim = visitor;
    visitor = attacker;
    await signInAtProvider('verified:mallory.story@example.org');
    visitor = victim;
    const answer = await victim.page.goto((await callback).url());
    expect(answer?.status()).toBe(422);
    expect(await sessionCookies()).toEqual([]);
    await attacker.context.close();
  });
});
