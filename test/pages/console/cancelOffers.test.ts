import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { createOffer, half, listOffers } from '../../support/cancelOffers';
import { createFee, createMerchant, createShop, password } from '../../support/factories';
import { enterConsole } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
const address = '/console/cancel-offers';

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('an offer is created, shown with its figures, and ended', async () => {
  const { merchant, item } = await createShop(app);
  const walker = await enterConsole(app, merchant.email);
  expect((await walker.open(address)).text).toContain('No offers. Customers cancel in one step.');
  const created = await walker.submit(address, { ...half, charges: '2', percent: '50', item_id: String(item.id) });
  expect([created.status, created.headers.get('location')]).toEqual([303, `${address}?done=created`]);
  const { text } = await walker.open(address);
  expect(text).toContain('50% off your next 2 payments');
  expect(text).toContain('/console/csv/cancel-offers');
  const [offer] = await listOffers(app, merchant);
  expect((await walker.submit(`${address}/${offer?.id}/delete`)).status).toBe(303);
  expect((await listOffers(app, merchant))[0]?.ended_at).toBeGreaterThan(0);
});

test('a refused form keeps what was typed, and shows each error', async () => {
  const merchant = await createMerchant(app);
  const walker = await enterConsole(app, merchant.email);
  const { status, text } = await walker.submit(address, { kind: 'discount', percent: '0', charges: '2' });
  expect(status).toBe(422);
  expect(text).toContain('id="field-percent-error"');
  expect(text).toContain('value="0"');
  await createOffer(app, merchant);
  const taken = await walker.submit(address, { kind: 'discount', percent: '10', charges: '2' });
  expect(taken.status).toBe(422);
  expect(taken.text).toContain('There is an offer for this item and reason already');
});

describeInBrowser('the offers in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  test('a cheaper plan of the chosen item is offered', async () => {
    const { merchant, item } = await createShop(app);
    await createFee(app, merchant, item.id, { amount: '4.99', description: 'With advertisements' });
    await createOffer(app, merchant, { ...half, reason: 'too_expensive' });
    visitor = await chromium.newVisitor({ language: 'en-GB' });
    const { page } = visitor;
    await page.goto(`${app.address}/console/sign-in`);
    await page.locator('#field-email').fill(merchant.email);
    await page.locator('#field-password').fill(password);
    await page.locator('form button[type=submit]').first().click();
    await page.locator('.console-menu').waitFor();
    await page.goto(`${app.address}${address}`);
    await page.locator('#field-find').selectOption(String(item.id));
    await page.getByRole('button', { name: 'Choose' }).click();
    await page.locator('#field-kind').selectOption('plan');
    await page.locator('#field-access_fee_id').selectOption({ label: 'With advertisements, €4.99' });
    expect(['form', await faultsOf(visitor, 'console-offers-form')]).toEqual(['form', []]);
    await page.getByRole('button', { name: 'Add offer' }).click();
    await page.getByText('Change to With advertisements').waitFor();
    expect(['list', await faultsOf(visitor, 'console-offers')]).toEqual(['list', []]);
  });
});
