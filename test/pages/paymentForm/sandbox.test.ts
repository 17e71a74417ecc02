import { type Page } from 'playwright-core';
import ar from '../../../src/pages/locales/ar.json';
import en from '../../../src/pages/locales/en.json';
import { call } from '../../support/client';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { cards, createConsumer, createFee, createItem, password, reaches, subscribe } from '../../support/factories';
import {
  contentOf,
  createBrandedMerchant,
  payBelowForm,
  paywallOf,
  registerAt,
  showPictures,
} from '../../support/paywall';
import { control, queryBooks } from '../../support/providerBooks';
import {
  answerBank,
  answerWallet,
  chooseLink,
  chooseWallet,
  sandboxFormSettings,
  seesBank,
  seesWallet,
  typeCard,
} from '../../support/sandboxForm';
import { startApp, type TestApp } from '../../support/startApp';

/** The sandbox has a payment form of its own: every story of a card runs in a browser without a network. */

let app: TestApp;
let chromium: Chromium;

beforeAll(async () => {
  app = await startApp(sandboxFormSettings());
  await app.startWorker();
});
afterAll(() => app.stop());

const content = '3:2 after extra time';

async function openShop(fee: Record<string, unknown> = {}) {
  const merchant = await createBrandedMerchant(app);
  const item = await createItem(app, merchant, { title: 'Cup final', content: `<p>${content}</p>` });
  return { merchant, item, fee: await createFee(app, merchant, item.id, { amount: '9.99', ...fee }) };
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

describeInBrowser('the payment form of the sandbox', () => {
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  async function visit(address: string, language = 'en-GB'): Promise<Page> {
    visitor = await chromium.newVisitor({ language });
    await showPictures(visitor.page);
    await visitor.page.goto(address);
    return visitor.page;
  }

  async function openCheckout(shop: Awaited<ReturnType<typeof openShop>>, language = 'en-GB'): Promise<Page> {
    const page = await visit(paywallOf(app, shop), language);
    await registerAt(page, language.slice(0, 2) as 'en' | 'ar');
    await page.frameLocator('[data-payment-form] iframe').locator('[name=number]').waitFor();
    return page;
  }

  const look = async (name: string, expected?: RegExp) =>
    expect([name, await faultsOf(visitor, name, expected)]).toEqual([name, []]);
  const isOpened = () => contentOf(visitor).getByText(content).waitFor();
  const alertOf = (page: Page, text: string | RegExp) => page.getByRole('alert').filter({ hasText: text });

  test.each(['en-GB', 'ar'] as const)('%s: a card pays, and its number reaches only the sandbox', async (tag) => {
    const shop = await openShop();
    const page = await openCheckout(shop, tag);
    const seen: string[] = [];
    page.on('request', (request) => {
      if (request.url().startsWith(app.address)) seen.push(request.postData() ?? '');
    });
    await look(`sandbox-form-${tag}`);
    await typeCard(page, cards.success, tag === 'ar' ? 'ar' : 'en');
    await payBelowForm(page);
    await isOpened();
    expect(seen.join()).toContain('payment_token=ctoken_');
    expect(seen.join()).not.toContain(cards.success);
    expect(await chargesOf(shop.item.id)).toEqual(['paid']);
  });

  test.each(['en-GB', 'ar'])('%s: the wallet is closed, opened again and confirmed', async (tag) => {
    const shop = await openShop();
    const page = await openCheckout(shop, tag);
    await chooseWallet(page);
    await payBelowForm(page);
    await seesWallet(page);
    await look(`sandbox-wallet-${tag}`);
    await answerWallet(page, 'close');
    await alertOf(page, tag === 'ar' ? 'أغلقت المحفظة' : 'You have closed the wallet.').waitFor();
    expect(await chargesOf(shop.item.id)).toEqual([]);
    await payBelowForm(page);
    await answerWallet(page, 'confirm');
    await isOpened();
    expect(await chargesOf(shop.item.id)).toEqual(['paid']);
  });

  test.each(['en-GB', 'ar'])('%s: Link pays if the merchant has enabled it, and is the saved means', async (tag) => {
    const shop = await openShop();
    await call(app, 'PUT', '/accounts/settings', { payment_methods: ['card', 'link'] }, shop.merchant);
    const page = await openCheckout(shop, tag);
    await chooseLink(page);
    await payBelowForm(page);
    await seesWallet(page);
    await look(`sandbox-link-${tag}`);
    await answerWallet(page, 'confirm');
    await isOpened();
    expect(await chargesOf(shop.item.id)).toEqual(['paid']);
    await page.goto(`${app.address}/portal/${shop.merchant.uuid}/card?lang=${tag}`);
    await page.getByText('Link', { exact: true }).first().waitFor();
  });

  test.each(['en-GB', 'ar'])('%s: Link is not in the form of a merchant who has not enabled it', async (tag) => {
    const page = await openCheckout(await openShop(), tag);
    const form = page.frameLocator('[data-payment-form] iframe');
    await form.locator('[value=wallet]').waitFor();
    expect(await form.locator('[value=link]').count()).toBe(0);
    await look(`sandbox-no-link-${tag}`);
  });

  test.each(['en-GB', 'ar'])('%s: the bank asks on the page: closed, refused, and approved', async (tag) => {
    const shop = await openShop();
    const page = await openCheckout(shop, tag);
    await typeCard(page, cards.needsAuthentication, tag === 'ar' ? 'ar' : 'en');
    await payBelowForm(page);
    await answerBank(page, 'closed');
    await page.locator('[data-payment-again]').click();
    await seesBank(page);
    await look(`sandbox-bank-${tag}`);
    await answerBank(page, 'refused');
    await page.frameLocator('[data-payment-form] iframe').locator('[name=number]').waitFor();
    await typeCard(page, cards.needsAuthentication, tag === 'ar' ? 'ar' : 'en');
    await payBelowForm(page);
    await answerBank(page, 'approved');
    await isOpened();
    expect(await chargesOf(shop.item.id)).toEqual(['declined', 'paid']);
  });

  test.each(['en-GB', 'ar'])('%s: a trial only saves the card, after the bank has asked', async (tag) => {
    const shop = await openShop({ trial_period_quantity: '7', trial_period_period: 'day' });
    const page = await openCheckout(shop, tag);
    await look(`sandbox-trial-${tag}`);
    await typeCard(page, cards.authenticatedOnce, tag === 'ar' ? 'ar' : 'en');
    await payBelowForm(page);
    await answerBank(page, 'approved');
    await isOpened();
    expect(await chargesOf(shop.item.id)).toEqual([]);
  });

  test.each([
    ['en-GB', 'en', 'Your card details are incomplete.', 'Your card has insufficient funds.'],
    ['ar', 'ar', 'بيانات بطاقتك غير مكتملة.', 'رصيد بطاقتك غير كافٍ.'],
  ] as const)(
    '%s: an incomplete card, a number that is no test card and a declined card say why, and another card pays',
    async (tag, language, incomplete, declined) => {
      const shop = await openShop();
      const page = await openCheckout(shop, tag);
      await payBelowForm(page);
      await alertOf(page, incomplete).waitFor();
      await typeCard(page, '4242424242424241', language);
      await payBelowForm(page);
      await alertOf(page, 'one of the published test card numbers').waitFor();
      await look(`sandbox-refused-${tag}`, /422/);
      expect(await chargesOf(shop.item.id)).toEqual([]);
      await typeCard(page, cards.insufficientFunds, language);
      await payBelowForm(page);
      await alertOf(page, declined).waitFor();
      await look(`sandbox-declined-${tag}`);
      await typeCard(page, cards.success, language);
      await payBelowForm(page);
      await isOpened();
      expect(await chargesOf(shop.item.id)).toEqual(['declined', 'paid']);
    },
  );

  test('a token that expires on its way is explained, and the same card pays', async () => {
    const shop = await openShop();
    const page = await openCheckout(shop);
    await typeCard(page);
    await page.route('**/pay', async (route) => {
      await control('expired-form-tokens', {});
      await route.continue();
    });
    await payBelowForm(page);
    await page.getByText('Your card details have expired. Enter your card again.').first().waitFor();
    await page.unroute('**/pay');
    await typeCard(page);
    await payBelowForm(page);
    await isOpened();
    expect(await chargesOf(shop.item.id)).toEqual(['paid']);
  });

  test.each(['en', 'ar'] as const)('%s: the form cannot be loaded, which the page says', async (language) => {
    const shop = await openShop();
    visitor = await chromium.newVisitor({ language });
    await visitor.context.route('**/form/script.js', (route) => route.abort('connectionrefused'));
    await showPictures(visitor.page);
    await visitor.page.goto(paywallOf(app, shop));
    await registerAt(visitor.page, language);
    const text = { en, ar }[language].paywall.formBlocked.split('{')[0] ?? '';
    await alertOf(visitor.page, text).waitFor();
    await look(`sandbox-not-loaded-${language}`, /ERR_CONNECTION_REFUSED/);
  });

  test.each(['en-GB', 'ar'])('%s: the portal saves another card after the bank has asked', async (tag) => {
    const shop = await openShop();
    const consumer = await createConsumer(app, shop.merchant);
    const { subscription_id: id } = (await subscribe(app, { ...shop, consumer })).body;
    await reaches(app, consumer, id, 'active');
    const page = await visit(`${app.address}/portal/${shop.merchant.uuid}`, tag);
    await page.locator('#field-username').fill(consumer.email);
    await page.locator('#field-password').fill(password);
    await page.locator('form[name=sign-in] button').click();
    await page.locator('.portal-menu a[href$="/card"]').click();
    await typeCard(page, cards.authenticatedOnce, tag === 'ar' ? 'ar' : 'en');
    await look(`sandbox-portal-${tag}`);
    await page.locator('form[name=card] button').press('Enter');
    await answerBank(page, 'approved');
    await page.getByText(/3155/).waitFor();
  });
});

describe('tokens of the form', () => {
  /** As the frame in a browser sends it. */
  async function createToken(key = process.env['SANDBOX_KEY'] ?? ''): Promise<string> {
    const { sandboxAccountOf } = await import('../../../src/adapters/cardProviders/sandboxForm.js');
    const body = new URLSearchParams({ key: sandboxAccountOf(key), how: 'wallet' });
    const answer = await fetch(`${process.env['SANDBOX_API_BASE']}/form/tokens`, { method: 'POST', body });
    return ((await answer.json()) as { id: string }).id;
  }

  async function buy(payment_token: string) {
    const shop = await openShop();
    const consumer = await createConsumer(app, shop.merchant);
    const sent = { access_fee: shop.fee.id, payment_token };
    const { status, body } = await call<{ errors?: Record<string, string> }>(
      app,
      'POST',
      '/subscriptions',
      sent,
      consumer,
    );
    return { status, field: body.errors?.['payment_token'], itemId: shop.item.id };
  }

  test('422: used before, of another account, or of nobody; nothing is charged', async () => {
    const token = await createToken();
    expect((await buy(token)).status).toBe(202);
    for (const [refused, text] of [
      [token, 'has been used'],
      [await createToken('another account'), 'not one of this account'],
      ['ctoken_unknown', 'not one of this account'],
    ] as const) {
      const { status, field, itemId } = await buy(refused);
      expect([status, field]).toEqual([422, expect.stringContaining(text)]);
      expect(await chargesOf(itemId)).toEqual([]);
    }
  });

  test('404: the script of the form names no account that does not exist', async () => {
    const body = new URLSearchParams({ key: '../acct_1', how: 'wallet' });
    const answer = await fetch(`${process.env['SANDBOX_API_BASE']}/form/tokens`, { method: 'POST', body });
    expect(answer.status).toBe(404);
  });
});
