import { createCode, createPackage, giveByHand } from '../../support/access';
import { type Chromium, describeInBrowser, startChromium } from '../../support/chromium';
import { pathOf, signedInAt } from '../../support/checkout';
import { createFee, createItem, createMerchant, createShop, type Person } from '../../support/factories';
import { PageWalker } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';

/** Items that have no price of their own: codes open them, or packages hold them. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

async function codedItem(limit = 1) {
  const merchant = await createMerchant(app);
  const item = await createItem(app, merchant, { access_control_type_id: 2 });
  expect(item.access_control_type.name).toBe('Code');
  const { body } = await createCode(app, { merchant, item }, { device_limit: limit });
  return { merchant, item, code: body.code };
}

describe('a code', () => {
  test('200: opens the item to anyone, without an account', async () => {
    const { merchant, item, code } = await codedItem();
    const path = pathOf({ merchant, item });
    const walker = new PageWalker(app);
    expect((await walker.open(path)).text).toContain('Enter your code');
    const wrong = await walker.submit(`${path}/code`, { code: 'NOT-THE-CODE', device: 'tv' });
    expect([wrong.status, wrong.text.includes('This code is not valid. Check it and try again.')]).toEqual([422, true]);
    const opened = await walker.submit(`${path}/code`, { code, device: 'tv' });
    const frame = /<iframe[^>]*src="([^"]+)"/.exec(opened.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(frame).not.toContain(code);
    const content = await walker.openFrame(frame);
    expect(content.text).toContain('<p>The final.</p>');
    expect(content.headers.get('content-security-policy')).toMatch(/^sandbox (?!.*allow-same-origin)/);
    const changed = await walker.openFrame(frame.replace(/opened=.{20}/, `opened=${'A'.repeat(20)}`));
    expect([changed.status, changed.text.includes('The final.')]).toEqual([402, false]);
  });

  test('422: opens it on no more devices than it says', async () => {
    const { merchant, item, code } = await codedItem();
    const path = pathOf({ merchant, item });
    const enter = async (device: string) => {
      const walker = new PageWalker(app);
      await walker.open(path);
      return walker.submit(`${path}/code`, { code, device });
    };
    expect((await enter('tv')).status).toBe(200);
    expect((await enter('tv')).status).toBe(200);
    const other = await enter('phone');
    expect([other.status, other.text.includes('in use on other devices')]).toEqual([422, true]);
  });
});

describe('a package', () => {
  async function season(merchant: Person, itemIds: number[]) {
    const id = await createPackage(app, merchant, itemIds);
    await createFee(app, merchant, id, { description: 'Season', amount: '49.99' });
    return id;
  }

  test('200: an item that is sold in it alone leads to it', async () => {
    const merchant = await createMerchant(app);
    const item = await createItem(app, merchant);
    const id = await season(merchant, [item.id]);
    const { text } = await new PageWalker(app).open(pathOf({ merchant, item }));
    for (const part of ['Season ticket', '€49.99', `/paywall/${merchant.uuid}/${id}"`]) expect(text).toContain(part);
    expect(text).not.toContain('not for sale');
  });

  test('200: its buyer finds the way to each of its items, which are open', async () => {
    const shop = await createShop(app);
    const second = await createItem(app, shop.merchant, { title: 'Semi-final' });
    const id = await season(shop.merchant, [shop.item.id, second.id]);
    const own = { ...shop, item: { ...shop.item, id } };
    await giveByHand(app, own);
    const walker = await signedInAt(app, own);
    const { text } = await walker.open(pathOf(own));
    for (const item of [shop.item, second]) expect(text).toContain(`href="${pathOf({ ...shop, item })}"`);
    expect(text).not.toContain('<iframe');
    expect((await walker.open(pathOf({ ...shop, item: second }))).text).toContain('You already have access.');
  });
});

describeInBrowser('a code in a browser', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test('counts the browser once, even after it was closed', async () => {
    const { merchant, item, code } = await codedItem();
    const { page, context } = await chromium.newVisitor();
    const enter = async () => {
      await page.goto(`${app.address}${pathOf({ merchant, item })}`);
      await page.locator('#field-code').fill(code);
      await page.getByRole('button', { name: 'Open' }).click();
      await page.frameLocator('iframe.content-frame').getByText('The final.').waitFor();
    };
    await enter();
    await context.clearCookies();
    await enter();
    await context.close();
  });
});
