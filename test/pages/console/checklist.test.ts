import { createBrand } from '../../support/branding';
import { call } from '../../support/client';
import { checklistOf } from '../../support/checklist';
import { type Chromium, describeInBrowser, faultsOf, startChromium } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createItem, createMerchant, createShop, reaches, subscribe } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { startApp, type TestApp } from '../../support/startApp';
import { nameSeller } from '../../support/tax';

/** The steps to the first sale, in a test environment. */

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const names = [
  'Add an item to protect',
  'Set a price',
  'Choose your colors and your logo',
  'Name the seller and its tax registration',
  'Buy with a test card',
];

test('200: a new merchant sees every step with the page that does it', async () => {
  const { steps, progress } = await checklistOf(app, (await createMerchant(app)).email);
  const newItem = '/console/items/new';
  const addresses = [newItem, newItem, '/console/branding', '/console/settings/tax', newItem];
  expect(steps).toEqual(names.map((name, index) => [name, addresses[index]]));
  expect(progress).toBe('0 of 5 done');
});

test('200: each step is done once its data is there, and the price leads to the item', async () => {
  const merchant = await createMerchant(app);
  const item = await createItem(app, merchant);
  const begun = await checklistOf(app, merchant.email);
  const price = `/console/items/${item.id}/fees/new`;
  expect(begun.steps.map(([, address]) => address)).toEqual([
    'done',
    price,
    '/console/branding',
    '/console/settings/tax',
    price,
  ]);
  const shop = await createShop(app);
  await nameSeller(app, shop);
  await createBrand({ app, merchant: shop.merchant });
  const { steps, progress } = await checklistOf(app, shop.merchant.email);
  const paywall = `/paywall/${shop.merchant.merchantUuid}/${shop.item.id}`;
  expect(steps.map(([, address]) => address)).toEqual(['done', 'done', 'done', 'done', paywall]);
  expect(progress).toBe('4 of 5 done');
});

test('200: an item that is off sale, and its price, count for nothing', async () => {
  const shop = await createShop(app);
  await call(app, 'DELETE', `/items/${shop.item.id}`, undefined, shop.merchant);
  const { progress } = await checklistOf(app, shop.merchant.email);
  expect(progress).toBe('0 of 5 done');
});

test('200: the first sale ends the list', async () => {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  expect((await checklistOf(app, shop.merchant.email)).steps).toEqual([]);
});

test('303: a merchant hides the list for itself alone, and shows it again in the settings', async () => {
  const merchant = await createMerchant(app);
  const { walker } = await checklistOf(app, merchant.email);
  const hidden = await walker.submit('/console/checklist/hide');
  expect([hidden.status, hidden.headers.get('location')]).toEqual([303, '/console?done=hidden']);
  expect((await walker.open('/console?done=hidden')).text).toContain('The steps are hidden.');
  expect((await checklistOf(app, merchant.email)).steps).toEqual([]);
  expect((await checklistOf(app, (await createMerchant(app)).email)).steps).toHaveLength(5);
  await walker.open('/console/settings');
  const settings = { grace_days: '7', retry_days: '1', retry_timing: 'fixed', setup_checklist: 'true' };
  expect((await walker.submit('/console/settings', settings)).headers.get('location')).toContain('done=saved');
  expect((await checklistOf(app, merchant.email)).steps).toHaveLength(5);
});

test('403 forbidden: a follower without the right to settings neither sees the list nor hides it', async () => {
  const merchant = await createMerchant(app);
  const follower = await createFollower(app, merchant, ['payments:read', 'items:write']);
  const { walker, steps } = await checklistOf(app, follower.email);
  expect(steps).toEqual([]);
  expect((await walker.submit('/console/checklist/hide')).status).toBe(403);
});

test('200: a follower sees the steps that its rights allow', async () => {
  const merchant = await createMerchant(app);
  const follower = await createFollower(app, merchant, ['payments:read', 'settings:write']);
  expect((await checklistOf(app, follower.email)).steps.map(([name]) => name)).toEqual([names[3]]);
});

describeInBrowser('the steps to the first sale', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test.each(['en', 'ar'])('are accessible and fit a phone: %s', async (language) => {
    const visitor = await chromium.newVisitor({ language });
    const merchant = await createMerchant(app);
    await createItem(app, merchant);
    const { open } = consoleVisitor(
      () => app,
      () => visitor,
    );
    const { walker } = await checklistOf(app, merchant.email);
    const [name = '', value = ''] =
      walker.cookies
        .split('; ')
        .find((each) => each.includes('console'))
        ?.split('=') ?? [];
    await visitor.context.addCookies([{ name, value, url: app.address }]);
    await open('/console');
    await visitor.page.locator('.checklist').waitFor();
    expect(await faultsOf(visitor, `checklist-${language}`)).toEqual([]);
    await visitor.context.close();
  });
});
