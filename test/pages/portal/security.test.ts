import { type Chromium, describeInBrowser, faultsOf, startChromium } from '../../support/chromium';
import { call } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { PageWalker } from '../../support/pageWalker';
import { createBrandedMerchant } from '../../support/paywall';
import { moveToPages } from '../../support/secondFactors';
import { iPhone, isSignedIn, sessionOf, signInAgain } from '../../support/sessions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const portalOf = ({ merchantUuid }: Person) => `/portal/${merchantUuid}`;
const createCustomer = async () => createConsumer(app, await createMerchant(app));

async function enter(consumer: Person): Promise<PageWalker> {
  const walker = new PageWalker(app);
  await walker.open(`${portalOf(consumer)}/sign-in`);
  await walker.submit(`${portalOf(consumer)}/sign-in`, { username: consumer.email, password });
  return walker;
}

test('200: every signed-in device is shown and can be signed out, alone or with all others', async () => {
  const consumer = await createCustomer();
  const phone = await signInAgain(app, consumer, iPhone);
  const walker = await enter(consumer);
  const path = `${portalOf(consumer)}/security`;
  const { text } = await walker.open(path);
  expect(text).toContain('iPhone, iOS');
  expect(text).toContain('This device');
  const ended = await walker.submit(`${path}/sessions/${sessionOf(phone)}/end`);
  expect([ended.status, ended.headers.get('location')]).toEqual([303, `${path}?done=sessionsEnded`]);
  expect([await isSignedIn(app, phone), await isSignedIn(app, consumer)]).toEqual([false, true]);
  await walker.submit(`${path}/sessions/end-others`);
  expect(await isSignedIn(app, consumer)).toBe(false);
  expect((await walker.open(path)).status).toBe(200);
});

test('404: a session of somebody else is not ended', async () => {
  const [consumer, stranger] = [await createCustomer(), await createCustomer()];
  const walker = await enter(consumer);
  await walker.open(`${portalOf(consumer)}/security`);
  const refused = await walker.submit(`${portalOf(consumer)}/security/sessions/${sessionOf(stranger)}/end`);
  expect(refused.status).toBe(404);
  expect(await isSignedIn(app, stranger)).toBe(true);
});

test('200: a linked service is shown, and removed', async () => {
  const consumer = await createConsumer(app, await createBrandedMerchant(app));
  await app.pool.query(
    `INSERT INTO social_identities (merchant_id, account_id, provider, subject, is_proven)
     SELECT merchant_id, id, 'acme', 'ana', true FROM accounts WHERE id = $1`,
    [consumer.id],
  );
  const walker = await enter(consumer);
  const path = `${portalOf(consumer)}/security`;
  expect((await walker.open(path)).text).toContain('Acme');
  await moveToPages(app, consumer, '11 minutes');
  const asked = await walker.submit(`${path}/services/acme/unlink`);
  expect([asked.status, asked.text.includes('_confirm_password')]).toEqual([403, true]);
  // The question has the brand of the merchant.
  expect(asked.text).toContain('src="https://cdn.example/logo.png" alt="Daily Kick"');
  expect((await walker.open(path)).text).toContain('Acme');
  const unlinked = await walker.submit(`${path}/services/acme/unlink`, { _confirm_password: password });
  expect(unlinked.status).toBe(303);
  expect((await walker.open(path)).text).not.toContain('Acme');
});

test('200: in the console, a merchant signs a customer out, and its own other devices', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const walker = new PageWalker(app);
  await walker.open('/console/sign-in');
  await walker.submit('/console/sign-in', { email: merchant.email, password });
  const ofCustomer = `/console/customers/${consumer.id}/sessions`;
  expect((await walker.open(ofCustomer)).text).toContain('Sign out all devices');
  await walker.submit(`${ofCustomer}/end`);
  expect(await isSignedIn(app, consumer)).toBe(false);
  expect((await walker.open('/console/sessions')).text).toContain('This device');
  await walker.submit(`/console/sessions/${sessionOf(merchant)}/end`);
  expect((await call(app, 'GET', '/accounts', undefined, merchant)).status).toBe(401);
});

describeInBrowser('the devices in a browser', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test.each(['en-GB', 'ar'])('%s: the page is usable', async (language) => {
    const consumer = await createCustomer();
    await signInAgain(app, consumer, iPhone);
    const visitor = await chromium.newVisitor({ language });
    const { page } = visitor;
    await page.goto(`${app.address}${portalOf(consumer)}/security`);
    await page.locator('#field-username').fill(consumer.email);
    await page.locator('#field-password').fill(password);
    await page.locator('form[name=sign-in] button').click();
    await page.getByText(/iPhone[,،] iOS/).waitFor();
    expect(await faultsOf(visitor, `portal-security-${language}`)).toEqual([]);
    await visitor.context.close();
  });
});
