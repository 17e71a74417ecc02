import { type FrameLocator, type Page } from 'playwright-core';
import { type MethodName, redirectTitles } from '../../../src/kit/paymentMethods';
import ar from '../../../src/pages/locales/ar.json';
import en from '../../../src/pages/locales/en.json';
import { call } from '../../support/client';
import {
  type Chromium,
  describeInBrowser,
  faultsOf,
  pressInFrame,
  startChromium,
  type Visitor,
} from '../../support/chromium';
import { accounts } from '../../support/debits';
import { cards, createFee, createItem } from '../../support/factories';
import { type OtherSite, startOtherSite } from '../../support/otherSite';
import { createBrandedMerchant, payBelowForm, registerAt, showPictures } from '../../support/paywall';
import { queryBooks } from '../../support/providerBooks';
import { answerWallet, chooseLink, sandboxFormSettings, typeCard } from '../../support/sandboxForm';
import { startApp, type TestApp } from '../../support/startApp';

/** The paywall in a frame of another site: each method pays in a window of its own, and the frame unlocks by the event. */

let app: TestApp;
let chromium: Chromium;
let site: OtherSite;
let html = '';

beforeAll(async () => {
  app = await startApp(sandboxFormSettings());
  await app.startWorker();
  site = await startOtherSite(() => html);
});
afterAll(async () => {
  await site.stop();
  await app.stop();
});

const texts = { en, ar };
type Language = keyof typeof texts;

async function openShop(...methods: MethodName[]) {
  const merchant = await createBrandedMerchant(app);
  const item = await createItem(app, merchant, { title: 'Cup final', content: '<p>3:2 after extra time</p>' });
  await createFee(app, merchant, item.id, { amount: '9.99' });
  const settings = { payment_methods: ['card', ...methods], debit_access: 'at_submission' };
  expect((await call(app, 'PUT', '/accounts/settings', settings, merchant)).status).toBe(200);
  return { merchant, item };
}

/** The statuses of the charges of an item at the sandbox. */
async function chargesOf(itemId: number): Promise<string[]> {
  const { rows } = await queryBooks<{ status: string }>(
    app.pool,
    `SELECT b.status FROM sandbox_charges b JOIN subscriptions s ON b.idempotency_key LIKE s.token || ':%'
     WHERE s.item_id = $1`,
    [itemId],
  );
  return rows.map(({ status }) => status);
}

const choose = (page: Page, value: string) => page.locator(`input[name=card][value=${value}]`).check();

describeInBrowser('on a page of another site', () => {
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const look = async (name: string) => expect([name, await faultsOf(visitor, name)]).toEqual([name, []]);

  describe.each(['en', 'ar'] as const)('%s', (language: Language) => {
    const { paywall } = texts[language];

    /** The frame of a visitor who is ready to pay. */
    async function openFrame({ merchant, item }: Awaited<ReturnType<typeof openShop>>): Promise<FrameLocator> {
      html = `<!doctype html><html lang="${language}"><title>News</title><main><h1>News</h1><script src="${app.address}/embed.js"></script>
        <div data-paywall-merchant="${merchant.uuid}" data-paywall-item="${item.id}" data-paywall-inline></div></main>`;
      visitor = await chromium.newVisitor({ language });
      await showPictures(visitor.context);
      await visitor.page.goto(site.address);
      const frame = visitor.page.frameLocator('div iframe');
      await registerAt(frame, language);
      await frame.getByRole('link', { name: paywall.payInWindow }).waitFor();
      // The form never runs inside the frame.
      expect(await frame.locator('[data-payment-form]').count()).toBe(0);
      return frame;
    }

    /** The window of the checkout. It is the page of the visitor from then on. */
    async function openWindow(frame: FrameLocator): Promise<Page> {
      const opening = visitor.context.waitForEvent('page');
      await pressInFrame(frame.getByRole('link', { name: paywall.payInWindow }));
      const page = await opening;
      visitor = { ...visitor, page };
      await page.frameLocator('[data-payment-form] iframe').locator('[name=number]').waitFor();
      return page;
    }

    async function expectUnlocked(frame: FrameLocator, page: Page): Promise<void> {
      await page.getByText(paywall.thankYou).waitFor();
      await frame.getByText(paywall.thankYou).waitFor();
    }

    test('a card', async () => {
      const shop = await openShop();
      const frame = await openFrame(shop);
      await look(`framed-${language}`);
      const page = await openWindow(frame);
      await typeCard(page, cards.success, language);
      await payBelowForm(page);
      await expectUnlocked(frame, page);
      expect(await chargesOf(shop.item.id)).toEqual(['paid']);
    });

    test('Link', async () => {
      const shop = await openShop('link');
      const frame = await openFrame(shop);
      const page = await openWindow(frame);
      await chooseLink(page);
      await payBelowForm(page);
      await answerWallet(page, 'confirm');
      await expectUnlocked(frame, page);
      expect(await chargesOf(shop.item.id)).toEqual(['paid']);
    });

    test.each(['ideal', 'bancontact', 'paypal'] as const)('%s, on a page that the window opens', async (method) => {
      const shop = await openShop(method);
      const frame = await openFrame(shop);
      const page = await openWindow(frame);
      await choose(page, method);
      await payBelowForm(page);
      const link = page.getByRole('link', { name: paywall.goToMethod.replace('{method}', redirectTitles[method]) });
      await link.waitFor();
      await look(`framed-${method}-${language}`);
      const bank = await visitor.context.newPage();
      await bank.goto(((await link.getAttribute('href')) ?? '').replace('http://paywall.test', app.address));
      await bank.locator('button[value=approved]').click();
      await expectUnlocked(frame, page);
      expect(await chargesOf(shop.item.id)).toEqual(['paid']);
    });

    test('a direct debit of an account that is entered in the window', async () => {
      const shop = await openShop('direct_debit');
      const frame = await openFrame(shop);
      const page = await openWindow(frame);
      await choose(page, 'new-debit');
      await page.locator('#field-holder_name').fill('Ana Petrova');
      await page.locator('#field-iban').fill(accounts.paid);
      await look(`framed-debit-${language}`);
      await payBelowForm(page);
      await expectUnlocked(frame, page);
      expect(await chargesOf(shop.item.id)).toEqual(['processing']);
    });
  });
});
