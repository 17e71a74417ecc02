import { cards, createFee, createItem, createMerchant } from '../../support/factories';
import { type Chromium, describeInBrowser, startChromium } from '../../support/chromium';
import { heading, pay, paywallOf, registerAt, typeCard } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';

/** A reader with two tabs at one checkout. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

describeInBrowser('a second tab', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test('shows the item as soon as it is paid in the first one, and keeps its form until then', async () => {
    const merchant = await createMerchant(app);
    const item = await createItem(app, merchant, { content: '<p>3:2 after extra time</p>' });
    await createFee(app, merchant, item.id);
    const place = paywallOf(app, { merchant, item });
    const { page, context } = await chromium.newVisitor();
    await page.goto(place);
    await registerAt(page);
    await heading(page, 'Checkout').waitFor();
    const second = await context.newPage();
    // The tab checks once when its socket is open. The answer leaves the form as it is.
    const check = second.waitForResponse((response) => response.url().includes('step=window'));
    await second.goto(place);
    await typeCard(second, cards.declined);
    await (await check).finished();
    expect(await second.locator('#field-number').inputValue()).toBe(cards.declined);

    await typeCard(page, cards.success);
    await pay(page);
    await page.frameLocator('iframe.content-frame').getByText('3:2').waitFor();
    await second.frameLocator('iframe.content-frame').getByText('3:2').waitFor();
    await second.getByText('Thank you. You now have access.').waitFor();
    await context.close();
  });

  const createOffer = async () => {
    const merchant = await createMerchant(app);
    const item = await createItem(app, merchant, { content: '<p>3:2 after extra time</p>' });
    await createFee(app, merchant, item.id);
    return { merchant, item };
  };

  test.each(['offer', 'register', 'sign-in'])('at the step %s shows the item as well', async (step) => {
    const shop = await createOffer();
    const other = await createOffer();
    const place = paywallOf(app, shop);
    const { page, context } = await chromium.newVisitor();
    await page.goto(place);
    const second = await context.newPage();
    await second.goto(step === 'offer' ? place : `${place}?step=${step}`);
    const elsewhere = await context.newPage();
    await elsewhere.goto(paywallOf(app, other));
    await registerAt(page);
    await heading(page, 'Checkout').waitFor();
    expect(await second.locator('iframe.content-frame').count()).toBe(0);
    await typeCard(page, cards.success);
    await pay(page);
    await second.frameLocator('iframe.content-frame').getByText('3:2').waitFor();
    await heading(elsewhere, 'Choose a plan').waitFor();
    await context.close();
  });

  test('keeps what was typed at a step when another tab signs in, and when the browser shows the tab again', async () => {
    const shop = await createOffer();
    const place = paywallOf(app, shop);
    const { page, context } = await chromium.newVisitor();
    await page.goto(place);
    const second = await context.newPage();
    await second.goto(`${place}?step=register`);
    await second.locator('#field-full_name').fill('Ana');
    await registerAt(page);
    await heading(page, 'Checkout').waitFor();
    const check = second.waitForResponse((response) => response.url().includes('step=window'));
    await second.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await (await check).finished();
    expect(await second.locator('#field-full_name').inputValue()).toBe('Ana');
    await context.close();
  });
});
