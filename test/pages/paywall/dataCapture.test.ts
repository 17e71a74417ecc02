import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { call } from '../../support/client';
import { createConsumer, createItem, password, type Person } from '../../support/factories';
import { PageWalker } from '../../support/pageWalker';
import { contentOf, createBrandedMerchant, heading, paywallOf, showPictures } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';

/** An item that opens for a name and an e-mail address. */

let app: TestApp;
beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const content = '<p id="played">The report in full.</p><script>document.body.dataset.ran = "yes"</script>';

async function openShop() {
  const merchant = await createBrandedMerchant(app);
  const metadata = { preview_title: 'The report', preview_description: 'All the numbers of the year.' };
  const item = await createItem(app, merchant, { access_control_type_id: 4, content, metadata });
  const path = `/paywall/${merchant.uuid}/${item.id}`;
  return { merchant, item, path, address: `reader-${item.id}@example.org` };
}

async function addressesOf(merchant: Person) {
  const path = '/v2/accounts/customers/data-capture';
  const { body } = await call<{ collection: object[] }>(app, 'GET', path, undefined, merchant);
  return body.collection;
}

const asksAge = (merchant: Person) =>
  call(
    app,
    'PATCH',
    '/restrictions/settings',
    { age_verification_enabled: 'true', age_verification_type: 'pin_code', merchant_uuid: merchant.uuid },
    merchant,
  );

describe('without a script', () => {
  test('303: leads to the content, which its pass opens for nobody’s session and for no other item', async () => {
    const shop = await openShop();
    const other = await createItem(app, shop.merchant, { access_control_type_id: 4, content });
    const walker = new PageWalker(app);
    expect((await walker.open(shop.path)).text).toContain('name="company"');
    const left = await walker.submit(`${shop.path}/data-capture`, { full_name: 'Ana', email: shop.address });
    const place = left.headers.get('location') ?? '';
    expect([left.status, place]).toEqual([303, expect.stringMatching(/\?pass=[\w-]+$/)]);
    expect((await walker.open(place)).text).toContain('Thank you. You have access.');
    const pass = place.split('?')[1] ?? '';
    expect((await walker.openFrame(`${shop.path}/content?${pass}`)).text).toContain('The report in full.');
    for (const wrong of [`${shop.path}/content`, `${shop.path}/content?pass=made-up`])
      expect((await walker.openFrame(wrong)).status).toBe(402);
    const elsewhere = `/paywall/${shop.merchant.uuid}/${other.id}`;
    expect((await walker.openFrame(`${elsewhere}/content?${pass}`)).status).toBe(402);
    expect((await walker.open(`${elsewhere}?${pass}`)).text).toContain('name="company"');
  });

  test('a pass ends after an hour, and with the item', async () => {
    const shop = await openShop();
    const { writePass, isPass } = await import('../../../src/entitlements/dataCaptures.js');
    const pass = writePass(shop.merchant.uuid, shop.item.id);
    expect(isPass(pass, shop.merchant.uuid, shop.item.id)).toBe(true);
    expect(isPass(pass, shop.merchant.uuid, shop.item.id, new Date(Date.now() + 3_601_000))).toBe(false);
    await call(app, 'DELETE', `/items/${shop.item.id}`, undefined, shop.merchant);
    const walker = new PageWalker(app);
    expect((await walker.openFrame(`${shop.path}/content?pass=${pass}`)).status).toBe(402);
    expect((await walker.open(shop.path)).text).toContain('This is not for sale right now.');
  });

  test('where an age or a pin is asked for, one signs in first, and the account’s own address counts', async () => {
    const shop = await openShop();
    const reader = await createConsumer(app, shop.merchant);
    const walker = new PageWalker(app);
    const signIn = async () => {
      await walker.open(`${shop.path}?step=sign-in`);
      await walker.submit(`${shop.path}/sign-in`, { username: reader.email, password });
      return walker.open(shop.path);
    };
    const { text } = await signIn();
    expect(text).toContain('name="full_name"');
    expect(text).not.toContain('name="email"');
    const left = await walker.submit(`${shop.path}/data-capture`, { full_name: 'Ana', email: shop.address });
    expect([left.status, left.headers.get('location')]).toEqual([303, shop.path]);
    expect(await addressesOf(shop.merchant)).toMatchObject([{ email: reader.email, full_name: 'Ana' }]);
    expect((await walker.open(shop.path)).text).toContain('You already have access.');
    await asksAge(shop.merchant);
    const stranger = await new PageWalker(app).open(shop.path);
    expect(stranger.text).toContain('Free with an account');
    expect(stranger.text).not.toContain('name="company"');
  });
});

describeInBrowser('in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterEach(() => visitor.context.close());
  afterAll(() => chromium.close());

  const look = async (name: string) => expect([name, await faultsOf(visitor, name)]).toEqual([name, []]);

  test.each([
    ['en-GB', 'Enter your details', 'Thank you. You have access.'],
    ['ar', 'أدخل بياناتك', 'شكرًا لك. لديك وصول الآن.'],
  ])('%s: a name and an address open the content without a reload', async (language, title, done) => {
    const shop = await openShop();
    visitor = await chromium.newVisitor({ language });
    const { page } = visitor;
    await showPictures(page);
    await page.goto(paywallOf(app, shop));
    await page.evaluate('window.stillHere = true');
    await heading(page, title).waitFor();
    await look(`capture-${language}`);
    await page.locator('form[name=data-capture] button').click();
    await page.locator('#field-full_name[aria-invalid=true]').waitFor();
    await page.locator('#field-full_name').fill('Ana Petrova');
    await page.locator('#field-email').fill('no address');
    await page.locator('form[name=data-capture] button').click();
    await page.locator('#field-full_name:not([aria-invalid])').waitFor();
    expect(await page.locator('#field-email').getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('#field-full_name').inputValue()).toBe('Ana Petrova');
    await look(`capture-refused-${language}`);
    await page.locator('#field-email').fill(shop.address);
    await page.locator('#field-company').fill('Petrova Ltd');
    await page.locator('form[name=data-capture] button').click();
    await page.getByText(done).waitFor();
    await contentOf(visitor).getByText('The report in full.').waitFor();
    // The script of the content may run shortly after its text is visible.
    await contentOf(visitor).locator('body[data-ran=yes]').waitFor();
    expect(await page.evaluate('window.stillHere')).toBe(true);
    await look(`captured-${language}`);
    expect(await addressesOf(shop.merchant)).toMatchObject([
      { email: shop.address, full_name: 'Ana Petrova', company: 'Petrova Ltd' },
    ]);
    await page.reload();
    await contentOf(visitor).getByText('The report in full.').waitFor();
  });
});
