import { type Page } from 'playwright-core';
import ar from '../../../src/pages/locales/ar.json';
import en from '../../../src/pages/locales/en.json';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { cards, createFee, createItem } from '../../support/factories';
import {
  contentOf,
  createBrandedMerchant,
  isolate,
  payBelowForm,
  paywallOf,
  registerAt,
  showPictures,
} from '../../support/paywall';
import { control, queryBooks } from '../../support/providerBooks';
import { answerBank, sandboxFormSettings, seesBank, typeCard } from '../../support/sandboxForm';
import { startApp, type TestApp } from '../../support/startApp';

/** What payers and networks do wrong, with the form of the sandbox: nothing is charged twice, and each page says what happened. */

let app: TestApp;
let chromium: Chromium;

beforeAll(async () => {
  app = await startApp(sandboxFormSettings());
  await app.startWorker();
});
afterAll(() => app.stop());

const content = '3:2 after extra time';
const languages = ['en', 'ar'] as const;
type Language = (typeof languages)[number];
const texts = { en, ar };

async function openShop() {
  const merchant = await createBrandedMerchant(app);
  const item = await createItem(app, merchant, { title: 'Cup final', content: `<p>${content}</p>` });
  return { merchant, item, fee: await createFee(app, merchant, item.id, { amount: '9.99' }) };
}

/** The statuses of the charges of an item at the sandbox, in the order of their creation. */
async function chargesOf(itemId: number): Promise<string[]> {
  const { rows } = await queryBooks<{ status: string }>(
    app.pool,
    `SELECT b.status FROM sandbox_charges b JOIN subscriptions s ON b.idempotency_key LIKE s.token || ':%'
     WHERE s.item_id = $1 ORDER BY b.created_at`,
    [itemId],
  );
  return rows.map(({ status }) => status);
}

describeInBrowser('failures with the payment form of the sandbox', () => {
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(async () => {
    await control('faults', undefined, 'DELETE');
    await visitor.context.close();
  });

  async function visit(address: string, language: Language): Promise<Page> {
    visitor = await chromium.newVisitor({ language: language === 'en' ? 'en-GB' : 'ar' });
    await showPictures(visitor.page);
    await visitor.page.goto(address);
    return visitor.page;
  }

  async function openCheckout(shop: Awaited<ReturnType<typeof openShop>>, language: Language): Promise<Page> {
    const page = await visit(paywallOf(app, shop), language);
    await registerAt(page, language);
    await page.frameLocator('[data-payment-form] iframe').locator('[name=number]').waitFor();
    return page;
  }

  const look = async (name: string, expected?: RegExp) =>
    expect([name, await faultsOf(visitor, name, expected)]).toEqual([name, []]);
  const isOpened = () => contentOf(visitor).getByText(content).waitFor();
  const alertOf = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });

  describe.each(languages)('%s', (language) => {
    const { errors, paywall } = texts[language];

    test('window closed half-way: the payer comes back, pays with another card, and is charged once', async () => {
      const shop = await openShop();
      const page = await openCheckout(shop, language);
      await typeCard(page, cards.needsAuthentication, language);
      await payBelowForm(page);
      await seesBank(page);
      await page.close();
      const again = await visitor.context.newPage();
      visitor = { ...visitor, page: again };
      await showPictures(again);
      await again.goto(paywallOf(app, shop));
      await typeCard(again, cards.success, language);
      await look(`sandbox-came-back-${language}`);
      await payBelowForm(again);
      await isOpened();
      expect(await chargesOf(shop.item.id)).toEqual(['declined', 'paid']);
    });

    test('two tabs: the second payment is refused with a reason, and the payer is charged once', async () => {
      const shop = await openShop();
      const page = await openCheckout(shop, language);
      const first = visitor;
      const other = await visitor.context.newPage();
      await isolate(other);
      await showPictures(other);
      await other.goto(paywallOf(app, shop));
      await typeCard(other, cards.success, language);
      await typeCard(page, cards.success, language);
      await payBelowForm(page);
      await isOpened();
      await payBelowForm(other);
      await alertOf(other, paywall.alreadyHaveAccess).waitFor();
      visitor = { ...first, page: other };
      await look(`sandbox-second-tab-${language}`, /422/);
      expect(await chargesOf(shop.item.id)).toEqual(['paid']);
    });

    test('back button: a payer who has paid sees the content, and pays nothing again', async () => {
      const shop = await openShop();
      const page = await openCheckout(shop, language);
      await typeCard(page, cards.success, language);
      await payBelowForm(page);
      await isOpened();
      await page.goto(`${app.address}/portal/${shop.merchant.uuid}`);
      await page.goBack();
      await isOpened();
      expect(await chargesOf(shop.item.id)).toEqual(['paid']);
    });

    test('price changed: the new total is shown, and then paid', async () => {
      const shop = await openShop();
      const page = await openCheckout(shop, language);
      await typeCard(page, cards.success, language);
      await app.pool.query('UPDATE access_fees SET amount_minor = 1299 WHERE id = $1', [shop.fee.id]);
      await payBelowForm(page);
      await alertOf(page, errors.price_changed).waitFor();
      await look(`sandbox-price-changed-${language}`, /409/);
      expect(await chargesOf(shop.item.id)).toEqual([]);
      await page.locator('[data-payment-form][data-amount="1299"] iframe').waitFor();
      await typeCard(page, cards.success, language);
      await payBelowForm(page);
      await isOpened();
      const amounts = `SELECT b.amount_minor::int AS amount FROM sandbox_charges b
        JOIN subscriptions s ON b.idempotency_key LIKE s.token || ':%' WHERE s.item_id = $1`;
      expect((await queryBooks(app.pool, amounts, [shop.item.id])).rows).toEqual([{ amount: 1299 }]);
    });

    test('provider down: the checkout says so and stays, and the payer pays when it is back', async () => {
      const shop = await openShop();
      const page = await openCheckout(shop, language);
      await typeCard(page, cards.success, language);
      await control('faults', { kind: 'unavailable', on: 'form-cards', times: 20 });
      await payBelowForm(page);
      await alertOf(page, errors.service_unavailable).waitFor();
      await look(`sandbox-down-${language}`, /503/);
      expect(await chargesOf(shop.item.id)).toEqual([]);
      await control('faults', undefined, 'DELETE');
      await typeCard(page, cards.success, language);
      await payBelowForm(page);
      await isOpened();
      expect(await chargesOf(shop.item.id)).toEqual(['paid']);
    });

    test('provider down in the browser: the form says so, and nothing is sent to the service', async () => {
      const shop = await openShop();
      const page = await openCheckout(shop, language);
      await typeCard(page, cards.success, language);
      await page.route('**/form/tokens', (route) => route.abort('connectionfailed'));
      await payBelowForm(page);
      await alertOf(page, paywall.formBlocked.split('{')[0] ?? '').waitFor();
      await look(`sandbox-form-down-${language}`, /ERR_CONNECTION_FAILED|Failed to load/);
      expect(await chargesOf(shop.item.id)).toEqual([]);
      await page.unroute('**/form/tokens');
      await payBelowForm(page);
      await isOpened();
    });

    test('provider silent while it charges: the page waits, and the payer is charged once', async () => {
      const shop = await openShop();
      const page = await openCheckout(shop, language);
      await typeCard(page, cards.success, language);
      await control('faults', { kind: 'lost', on: 'charges' });
      await payBelowForm(page);
      await isOpened();
      expect(await chargesOf(shop.item.id)).toEqual(['paid']);
    });

    test('a bank whose question is closed: nothing is charged, and the page says so', async () => {
      const shop = await openShop();
      const page = await openCheckout(shop, language);
      await typeCard(page, cards.needsAuthentication, language);
      await payBelowForm(page);
      await answerBank(page, 'closed');
      await alertOf(page, paywall.authenticateNot).waitFor();
      await look(`sandbox-bank-closed-${language}`);
      expect(await chargesOf(shop.item.id)).toEqual(['requires_action']);
    });
  });
});
