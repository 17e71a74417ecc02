import { type Page } from 'playwright-core';
import { type Chromium, describeInBrowser, startChromium } from '../../support/chromium';
import { call } from '../../support/client';
import { cards, createShop, password, reaches, subscribe } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { failToRenew } from '../../support/testClock';

/** A page that shows a change in progress requests its content again and again. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

describeInBrowser('an overdue subscription in a browser', () => {
  let chromium: Chromium;
  let page: Page;
  beforeAll(async () => (chromium = await startChromium()));
  beforeEach(async () => void ({ page } = await chromium.newVisitor()));
  afterEach(() => page.context().close());
  afterAll(() => chromium.close());

  async function openOverdue() {
    const shop = await createShop(app);
    const { subscription_id: id } = (await subscribe(app, shop, cards.declinedAtRenewal)).body;
    await reaches(app, shop.consumer, id, 'active');
    await failToRenew(app, shop, id);
    await page.goto(`${app.address}/portal/${shop.merchant.uuid}/subscriptions/${id}`);
    await page.locator('#field-username').fill(shop.consumer.email);
    await page.locator('#field-password').fill(password);
    await page.locator('form[name=sign-in] button').click();
    await page.locator('form[name=retry]').waitFor();
    await page.waitForLoadState();
    return { shop, id };
  }

  /** As a notification does it. Waits until the answer is processed. */
  const refresh = () =>
    page.evaluate(`new Promise((resolve) => {
      document.addEventListener('htmx:afterRequest', () => resolve(true), { once: true });
      htmx.trigger(document.querySelector('[data-listen]'), 'told');
    })`);

  test('stays as it is while nothing changes: an open question, what is typed, and the focus', async () => {
    await openOverdue();
    await page.locator('summary', { hasText: 'Cancel subscription' }).click();
    const reason = page.getByLabel('Anything to add?');
    await reason.fill('We move');
    await refresh();
    await refresh();
    expect(await reason.isVisible()).toBe(true);
    expect(await reason.inputValue()).toBe('We move');
    await page.getByRole('button', { name: 'Pay now' }).focus();
    await refresh();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Pay now');
  });

  test('shows a change by itself', async () => {
    const { shop, id } = await openOverdue();
    await page.locator('summary', { hasText: 'Cancel subscription' }).click();
    await call(app, 'DELETE', `/subscriptions/${id}`, undefined, shop.consumer);
    await page.getByText(/^Ended on /).waitFor();
    expect(await page.locator('summary', { hasText: 'Cancel subscription' }).count()).toBe(0);
  });
});
