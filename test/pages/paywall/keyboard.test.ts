import { type Page } from 'playwright-core';
import { textsFor } from '../../../src/pages/layout/texts';
import { type Chromium, describeInBrowser, startChromium } from '../../support/chromium';
import { cards, createShop } from '../../support/factories';
import { type Keyboard, useKeyboard } from '../../support/keyboard';
import { paywallOf } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** A reader buys by the keyboard alone, from the offer to the content. Names and news are those of the accessibility tree. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

describeInBrowser('buying, by the keyboard', () => {
  let chromium: Chromium;
  let page: Page;
  let keys: Keyboard;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  /** Who has acted hears it: the focus is on the news, or a live region has it. */
  const hears = (text: string) =>
    until(async () => {
      const { name } = await keys.focus();
      return [name, ...(await keys.announced())].join('\n').includes(text);
    });

  test.each(['en', 'ar'] as const)(
    '%s: from the offer over a mistake and a declined card to the content',
    async (language) => {
      const { t, money } = textsFor({ languages: [language] });
      const shop = await createShop(app);
      const visitor = await chromium.newVisitor({ language });
      ({ page } = visitor);
      await page.goto(paywallOf(app, shop));
      keys = await useKeyboard(page);

      await keys.press('link', t('paywall.getAccess'));
      await hears(t('paywall.registerTitle'));
      await keys.press('button', t('paywall.register'));
      await hears(t('errors.required'));
      // The summary leads to the first field.
      await keys.press('link', `${t('common.fullName')}: ${t('errors.required')}`);
      expect(await keys.focus()).toMatchObject({ name: t('common.fullName'), description: t('errors.required') });
      await page.keyboard.type('Ana Petrova');
      await keys.type(t('common.email'), `keys-${language}-${Date.now()}@example.org`);
      await keys.send(t('common.password'), 'correct-horse-battery');

      await hears(t('paywall.checkoutTitle'));
      await typeCard(t, cards.declined);
      const payNow = t('paywall.pay', { price: money(9.99, 'EUR') });
      await keys.press('button', payNow);
      await hears(t('portal.failures.declined'));
      await typeCard(t, cards.success);
      await keys.press('button', payNow);
      await hears(t('paywall.thankYou'));
      await page.frameLocator('iframe.content-frame').locator('body').waitFor();
      await visitor.context.close();
    },
  );

  /** Types a card. The first number is wrong: its error appears when the focus leaves the field. */
  async function typeCard(t: ReturnType<typeof textsFor>['t'], number: string): Promise<void> {
    await keys.type(t('paywall.cardNumber'), '4242424242424241');
    await page.keyboard.press('Tab');
    await hears(t('errors.cardNumber'));
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(number);
    await keys.type(t('paywall.cardName'), 'Ana Petrova');
    await keys.type(t('paywall.expiryMonth'), '12');
    await keys.type(t('paywall.expiryYear'), '2040');
    await keys.type(t('paywall.cvv'), '123');
  }
});
