import { balanceOf, giveCredit } from '../support/balances';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../support/chromium';
import { consoleVisitor } from '../support/consoleVisitor';
import {
  createConsumer,
  createMerchant,
  createShop,
  password,
  reaches,
  type Shop,
  subscribe,
} from '../support/factories';
import { createFollower } from '../support/followers';
import { enterConsole, PageWalker } from '../support/pageWalker';
import { startApp, type TestApp } from '../support/startApp';

/** The balance in the console and in the portal. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const placeOf = ({ consumer }: Shop) => `/console/customers/${consumer.id}`;

async function enterPortal({ merchant, consumer }: Shop, headers: Record<string, string> = {}): Promise<PageWalker> {
  const portal = `/portal/${merchant.uuid}`;
  const walker = new PageWalker(app, headers);
  await walker.open(`${portal}/sign-in`);
  await walker.submit(`${portal}/sign-in`, { username: consumer.email, password });
  return walker;
}

/** A customer whose first charge used a credit. */
async function createHistory(): Promise<Shop & { subscription: string }> {
  const shop = await createShop(app);
  await giveCredit(app, shop.consumer.id, 200);
  const { subscription_id: subscription } = (await subscribe(app, shop)).body;
  await reaches(app, shop.consumer, subscription, 'active');
  return { ...shop, subscription };
}

test('303: the merchant adjusts a balance, and sees each movement with its reason and its author', async () => {
  const shop = await createHistory();
  const walker = await enterConsole(app, shop.merchant.email);
  expect((await walker.open(placeOf(shop))).text).toContain('This customer has no credit and no debt.');
  const fields = { amount: '12.34', currency: 'eur', note: 'Lost <b>parcel</b>' };
  const sent = await walker.submit(`${placeOf(shop)}/balances`, fields);
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `${placeOf(shop)}?done=changed`]);
  expect(await balanceOf(app, shop.consumer.id)).toBe(1_234);
  for (const address of [placeOf(shop), `${placeOf(shop)}/balances`]) {
    const { text } = await walker.open(address);
    for (const told of [
      'A credit of €12.34. It is used for the next payment.',
      'Adjusted by merchant',
      'Lost &lt;b&gt;parcel&lt;/b&gt;',
      'Ana Petrova',
      'Included in a payment',
      '-€2.00',
      `/console/subscriptions/${shop.subscription}`,
    ])
      expect(text).toContain(told);
  }
});

test('422: the form explains what is wrong with an adjustment, and the balance does not change', async () => {
  const shop = await createShop(app);
  const walker = await enterConsole(app, shop.merchant.email);
  await walker.open(placeOf(shop));
  const sent = await walker.submit(`${placeOf(shop)}/balances`, { amount: '1.005', currency: 'EUR', note: 'Mistake' });
  expect(sent.status).toBe(422);
  for (const told of ['Enter fewer decimals.', 'value="1.005"', 'value="Mistake"']) expect(sent.text).toContain(told);
  expect(await balanceOf(app, shop.consumer.id)).toBe(0);
});

test('200 or 403: a follower sees and does what its scopes allow', async () => {
  const master = await createMerchant(app);
  const open = async (scopes: string[]) => {
    const follower = await createFollower(app, master, scopes);
    const consumer = await createConsumer(app, follower);
    await giveCredit(app, consumer.id, -500);
    const place = `/console/customers/${consumer.id}`;
    const walker = await enterConsole(app, follower.email);
    const { status, text } = await walker.open(place);
    const isAsked = text.includes(`action="${place}/balances"`);
    return [status, text.includes('A debt of €5.00.'), isAsked, (await walker.open(`${place}/balances`)).status];
  };
  const reading = ['accounts:read', 'payments:read', 'items:read'];
  expect(await open([...reading, 'payments:write'])).toEqual([200, true, true, 200]);
  expect(await open(reading)).toEqual([200, true, false, 200]);
  expect(await open(['accounts:read'])).toEqual([200, false, false, 403]);
});

test('200: a customer sees its credit or debt, how it is used, and the part of each payment', async () => {
  const shop = await createHistory();
  const portal = `/portal/${shop.merchant.uuid}`;
  const walker = await enterPortal(shop);
  expect((await walker.open(portal)).text).not.toContain('Your balance');
  expect((await walker.open(`${portal}/receipts`)).text).toContain('€2.00 was paid from your balance');
  await giveCredit(app, shop.consumer.id, 500);
  await giveCredit(app, shop.consumer.id, -100, 'JPY');
  for (const address of [portal, `${portal}/receipts`]) {
    const { text } = await walker.open(address);
    expect(text).toContain('You have a credit of €5.00. It is used for your next payment in this currency.');
    expect(text).toMatch(/You owe (JP)?¥100. It is added to your next payment in this currency./);
  }
});

test('200: a renewal says that the credit is used first, or that the debt is added', async () => {
  const shop = await createHistory();
  const walker = await enterPortal(shop);
  const renewal = async () => /Renews on [^<]*/.exec((await walker.open(`/portal/${shop.merchant.uuid}`)).text)?.[0];
  expect(await renewal()).toMatch(/ for €[\d.]+\.\s*$/);
  await giveCredit(app, shop.consumer.id, 500);
  expect(await renewal()).toMatch(/ for €[\d.]+\. Your credit is used first\./);
  await giveCredit(app, shop.consumer.id, -700);
  expect(await renewal()).toMatch(/ for €[\d.]+\. The amount you owe is added\./);
});

test('200: the same pages in Arabic', async () => {
  const shop = await createHistory();
  await giveCredit(app, shop.consumer.id, 500);
  const language = { 'Accept-Language': 'ar' };
  expect((await (await enterPortal(shop, language)).open(`/portal/${shop.merchant.uuid}`)).text).toContain('رصيدك');
  const walker = await enterConsole(app, shop.merchant.email, language);
  expect((await walker.open(placeOf(shop))).text).toContain('أُدرج في دفعة');
});

describeInBrowser('in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => {
    chromium = await startChromium();
    visitor = await chromium.newVisitor();
  });
  afterAll(() => chromium.close());

  test('the pages fit a telephone and a desktop', async () => {
    const shop = await createHistory();
    await giveCredit(app, shop.consumer.id, 1_234);
    await giveCredit(app, shop.consumer.id, -300, 'USD');
    const { open, enter } = consoleVisitor(
      () => app,
      () => visitor,
    );
    await enter(shop.merchant.email);
    await open(placeOf(shop));
    const { page } = visitor;
    await page.getByText('Adjust balance').first().click();
    expect(await faultsOf(visitor, 'balance-console-customer')).toEqual([]);
    await page.getByLabel('Amount').fill('0.001');
    await page.getByLabel('Note').fill('Goodwill');
    await page.getByRole('button', { name: 'Adjust balance' }).click();
    await page.getByRole('alert').waitFor();
    expect(await faultsOf(visitor, 'balance-console-movements')).toEqual([]);
    const portal = `/portal/${shop.merchant.uuid}`;
    await open(`${portal}/sign-in`);
    await page.getByLabel('Email').fill(shop.consumer.email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Your balance').waitFor();
    expect(await faultsOf(visitor, 'balance-portal')).toEqual([]);
    await open(`${portal}/receipts`);
    expect(await faultsOf(visitor, 'balance-portal-receipts')).toEqual([]);
  });
});
