import { type Chromium, describeInBrowser, startChromium } from '../../support/chromium';
import { createFee, createItem, createMerchant, password } from '../../support/factories';
import { PageWalker } from '../../support/pageWalker';
import { heading, paywallOf } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';

/** The plan that a visitor chooses before the sign-in is kept until the payment, and each step has an address. */

let app: TestApp;
beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

async function openShop() {
  const merchant = await createMerchant(app);
  const item = await createItem(app, merchant);
  const monthly = await createFee(app, merchant, item.id, { description: 'Monthly' });
  const yearly = await createFee(app, merchant, item.id, { description: 'Yearly', period: 'year', amount: '99.00' });
  return { merchant, item, monthly, yearly, path: `/paywall/${merchant.uuid}/${item.id}` };
}

let people = 0;
const registration = (fields: Record<string, string> = {}) => {
  people += 1;
  return { full_name: 'Ana Petrova', username: `chooser-${Date.now()}-${people}@example.org`, password, ...fields };
};
/** The value of the price that is checked at the checkout. */
const checkedFee = (text: string) => /name="fee"\s+value="(\d+)"\s+checked/.exec(text)?.[1];

test('200: a plan of the offer is a link that carries the plan through registration to the checkout', async () => {
  const { yearly, path } = await openShop();
  const browser = new PageWalker(app);
  const offer = (await browser.open(path)).text;
  expect(offer).toContain(`href="${path}?step=register&amp;fee=${yearly.id}"`);
  const form = await browser.open(`${path}?step=register&fee=${yearly.id}`);
  expect(form.text).toContain(`<input type="hidden" name="fee" value="${yearly.id}" />`);
  expect(form.text).toContain(`${path}?step=sign-in&amp;fee=${yearly.id}`);
  const refused = await browser.submit(`${path}/register`, registration({ password: 'x', fee: String(yearly.id) }));
  expect(refused.status).toBe(422);
  expect(refused.text).toContain(`<input type="hidden" name="fee" value="${yearly.id}" />`);
  const entered = await browser.submit(`${path}/register`, registration({ fee: String(yearly.id) }));
  expect([entered.status, entered.headers.get('location')]).toEqual([303, `${path}?fee=${yearly.id}`]);
  expect(checkedFee((await browser.open(`${path}?fee=${yearly.id}`)).text)).toBe(String(yearly.id));
});

test.each(['0', '999999999', '-1', 'yearly', '"><b>', '1'.repeat(16)])(
  '200: the plan %s is not of the item, so the first one is chosen',
  async (fee) => {
    const { monthly, path } = await openShop();
    const browser = new PageWalker(app);
    const form = await browser.open(`${path}?${new URLSearchParams({ step: 'register', fee }).toString()}`);
    expect(form.status).toBe(200);
    expect(form.text).not.toContain('"><b>');
    const entered = await browser.submit(`${path}/register`, registration({ fee }));
    const next = await browser.open(entered.headers.get('location') ?? '');
    expect(checkedFee(next.text)).toBe(String(monthly.id));
  },
);

test('200: a longer plan says what it saves, and what it costs in a month', async () => {
  const { path } = await openShop();
  const { text } = await new PageWalker(app).open(path);
  expect(text).toContain('Save 17%');
  expect(text).toContain('€8.25 a month');
});

test('200: a plan that saves nothing says nothing', async () => {
  const { merchant, item, path } = await openShop();
  await createFee(app, merchant, item.id, { period: 'month', quantity: 3, amount: '29.97', description: 'Quarterly' });
  await createFee(app, merchant, item.id, { period: 'year', quantity: 2, amount: '300', description: 'Two years' });
  const { text } = await new PageWalker(app).open(path);
  expect(text.match(/class="saving"/g)).toHaveLength(1);
});

describeInBrowser('the steps of the paywall', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test('Back and a reload lead to the step that was shown, and the plan stays chosen', async () => {
    const shop = await openShop();
    const { page, context } = await chromium.newVisitor();
    await page.goto(paywallOf(app, shop));
    await page.getByRole('link', { name: 'Yearly' }).click();
    await heading(page, 'Create your account').waitFor();
    expect(new URL(page.url()).search).toBe(`?step=register&fee=${shop.yearly.id}`);
    await page.reload();
    await heading(page, 'Create your account').waitFor();
    await page.goBack();
    await heading(page, 'Choose a plan').waitFor();
    // Back has loaded the page again. Its script must run before it can follow Forward.
    await page.waitForLoadState();
    await page.goForward();
    await heading(page, 'Create your account').waitFor();
    const { full_name: name, username } = registration();
    await page.locator('#field-full_name').fill(name);
    await page.locator('#field-username').fill(username);
    await page.locator('#field-password').fill(password);
    await page.locator('form[name=register] button[type=submit]').click();
    await heading(page, 'Checkout').waitFor();
    expect(await page.getByRole('radio', { name: 'Yearly' }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Pay €99.00' }).waitFor();
    expect(new URL(page.url()).search).toBe(`?fee=${shop.yearly.id}`);
    await page.reload();
    expect(await page.getByRole('radio', { name: 'Yearly' }).isChecked()).toBe(true);
    await context.close();
  });
});
