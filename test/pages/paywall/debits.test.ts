import { call } from '../../support/client';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { pathOf, signedInAt } from '../../support/checkout';
import { accounts, charged, createDebitShop, createMandate, offerDebits } from '../../support/debits';
import { createFee, createItem, createShop, type Shop } from '../../support/factories';
import { type PageWalker, type Walked } from '../../support/pageWalker';
import {
  contentOf,
  createBrandedMerchant,
  heading,
  pay,
  paywallOf,
  registerAt,
  showPictures,
} from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';
import { passDays } from '../../support/testClock';
import { until } from '../../support/until';

/** SEPA direct debits in the paywall: the customer enters a bank account, and the bank decides within days. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const weekend = { access_type: 'ppv', quantity: 2, period: 'day', amount: '4.50', description: 'Weekend pass' };
const account = { card: 'new-debit', holder_name: 'Ana Petrova', iban: accounts.paid, do: 'pay' };

const submit = (walker: PageWalker, shop: Shop, fields: Record<string, string>): Promise<Walked> =>
  walker.submit(`${pathOf(shop)}/pay`, { fee: String(shop.fee.id), ...fields });

async function createOffer(fee = {}, access: 'at_submission' | 'with_payment' = 'with_payment'): Promise<Shop> {
  const shop = await createShop(app, fee);
  await offerDebits(app, shop, access);
  return shop;
}

async function tokensOf({ consumer }: Shop): Promise<string[]> {
  const { rows } = await app.pool.query<{ token: string }>(
    `SELECT token FROM subscriptions WHERE account_id = $1 UNION ALL SELECT token FROM payments WHERE account_id = $1`,
    [consumer.id],
  );
  return rows.map(({ token }) => token);
}

describe('the choice', () => {
  const textOf = async (shop: Shop) => (await (await signedInAt(app, shop)).open(pathOf(shop))).text;

  test('200: an account that the customer has authorised is offered, and another one', async () => {
    const text = await textOf(await createDebitShop(app, accounts.paid));
    expect(text).toContain('Bank account ending in 3000');
    expect(text).toContain('Use another bank account');
    expect(text).not.toContain(accounts.paid);
  });

  test.each([
    ['the merchant has not enabled it', {}, false],
    ['the price is in another currency', { currency: 'USD' }, true],
    ['the plan renews before a bank decides', { quantity: 13, period: 'day' }, true],
  ])('200: it is not offered if %s', async (_why, fee, isEnabled) => {
    const shop = await createShop(app, fee);
    if (isEnabled) await offerDebits(app, shop);
    expect(await textOf(shop)).not.toContain('new-debit');
  });

  test('200: it is offered for a plan that renews after the longest decision of a bank, and to a merchant without cards', async () => {
    const shop = await createShop(app, { quantity: 14, period: 'day' });
    await call(app, 'PUT', '/accounts/settings', { payment_methods: ['direct_debit'] }, shop.merchant);
    const text = await textOf(shop);
    expect(text).toContain('value="new-debit"');
    expect(text).not.toContain('name="number"');
  });
});

describe('refusals', () => {
  test.each([
    ['a wrong check digit', { iban: 'DE88370400440532013000' }, 'field-iban'],
    ['an account outside SEPA', { iban: 'TR330006100519786457841326' }, 'field-iban'],
    ['no account', { iban: '' }, 'field-iban'],
    ['no holder', { holder_name: '' }, 'field-holder_name'],
  ])('422: %s is named beside its field, and the rest is kept', async (_what, wrong, field) => {
    const shop = await createOffer(weekend);
    const sent = { ...account, ...wrong, voucher_code: '' };
    const { status, text } = await submit(await signedInAt(app, shop), shop, sent);
    expect(status).toBe(422);
    expect(text).toContain(`href="#${field}"`);
    expect(text).toMatch(/value="new-debit"\s+checked/);
    if (sent.holder_name !== '') expect(text).toContain('value="Ana Petrova"');
    if (sent.iban !== '') expect(text).not.toContain(sent.iban);
    expect(await tokensOf(shop)).toEqual([]);
  });

  test.each([
    ['closed', 'The bank account is closed.'],
    ['failed', 'There was not enough money in the account.'],
  ] as const)('402: the bank refuses a debit (%s), and the page says why without a card', async (name, reason) => {
    const shop = await createOffer(weekend);
    const walker = await signedInAt(app, shop);
    const submitted = await submit(walker, shop, { ...account, iban: accounts[name] });
    const [token = ''] = await tokensOf(shop);
    await charged(app, token, 'processing');
    const follows = /hx-get="([^"]+)"/.exec(submitted.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    await passDays(app, shop.merchant, 6);
    await charged(app, token, 'declined');
    const failed = await until(async () => {
      const page = await walker.open(follows.replace(/&seen=\w+/, ''));
      return page.status === 402 && page;
    });
    expect(failed.text).toContain(reason);
    expect(failed.text).not.toContain('Your card');
    expect(failed.text).toMatch(/value="new-debit"\s+checked/);
  });

  test('409: the price has risen: the new one is shown, and the account need not be entered again', async () => {
    const shop = await createOffer(weekend);
    const shown = { shown_fee: String(shop.fee.id), shown_amount: '4.49', shown_currency: 'EUR' };
    const { status, text } = await submit(await signedInAt(app, shop), shop, { ...account, ...shown });
    expect(status).toBe(409);
    expect(text).toContain('Bank account ending in 3000');
    expect(await tokensOf(shop)).toEqual([]);
  });
});

describe('access', () => {
  test('200: waits for the money: a visitor who returns meanwhile buys nothing twice, and then sees the item', async () => {
    const shop = await createOffer();
    const walker = await signedInAt(app, shop);
    await submit(walker, shop, account);
    const [token = ''] = await tokensOf(shop);
    await charged(app, token, 'processing');
    const page = await walker.open(pathOf(shop));
    expect(page.text).toContain('Your bank is processing the payment');
    expect(page.text).not.toContain('name="checkout"');
    await passDays(app, shop.merchant, 6);
    await charged(app, token, 'paid');
    await until(async () => (await walker.open(pathOf(shop))).text.includes('content-frame'));
    expect(await tokensOf(shop)).toEqual([token]);
  });

  test('200: begins at the submission if the merchant has decided so', async () => {
    const shop = await createOffer(weekend, 'at_submission');
    const walker = await signedInAt(app, shop);
    await submit(walker, shop, account);
    await until(async () => (await walker.open(pathOf(shop))).text.includes('content-frame'));
  });

  test('200: an account that was authorised on this device pays again without its number', async () => {
    const shop = await createOffer(weekend);
    const walker = await signedInAt(app, shop);
    await submit(walker, shop, { ...account, gift: 'true', receiver_email: 'ivan@example.org' });
    await submit(walker, shop, { card: 'debit', do: 'pay' });
    const [, token = ''] = await tokensOf(shop);
    await charged(app, token, 'processing');
  });

  test('409: on another device, the customer confirms first that the account is its own', async () => {
    const shop = await createOffer(weekend);
    await createMandate(app, shop, accounts.paid);
    const { status, text } = await submit(await signedInAt(app, shop), shop, { card: 'debit', do: 'pay' });
    expect(status).toBe(409);
    expect(text).toContain('You use your saved payment method on this device for the first time.');
    expect(await tokensOf(shop)).toEqual([]);
  });

  test('200: a gift that waits for its money does not hide the item', async () => {
    const shop = await createOffer(weekend);
    const walker = await signedInAt(app, shop);
    await submit(walker, shop, { ...account, gift: 'true', receiver_email: 'ivan@example.org' });
    const [token = ''] = await tokensOf(shop);
    await charged(app, token, 'processing');
    expect((await walker.open(pathOf(shop))).text).toContain('name="checkout"');
  });
});

describeInBrowser('in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const look = async (name: string) => expect([name, await faultsOf(visitor, name)]).toEqual([name, []]);

  test.each([
    ['en-GB', 'en', 'Your bank is processing the payment'],
    ['ar', 'ar', 'يعالج مصرفك الدفعة'],
  ] as const)(
    '%s: a reader pays by direct debit, and the page opens when the money is there',
    async (tag, language, processing) => {
      const merchant = await createBrandedMerchant(app);
      await offerDebits(app, { merchant });
      const item = await createItem(app, merchant, { title: 'Cup final', content: '<p>3:2 after extra time</p>' });
      await createFee(app, merchant, item.id);
      visitor = await chromium.newVisitor({ language: tag });
      const { page } = visitor;
      await showPictures(page);
      await page.goto(paywallOf(app, { merchant, item }));
      await registerAt(page, language);
      await page.locator('input[name=card][value=new-debit]').check();
      await page.locator('#field-number').waitFor({ state: 'hidden' });
      await look(`debit-checkout-${language}`);
      await page.locator('#field-holder_name').fill('Ana Petrova');
      await page.locator('#field-iban').fill('DE88 3704 0044 0532 0130 00');
      await pay(page);
      await page.getByRole('alert').waitFor();
      await look(`debit-refused-${language}`);
      await page.locator('#field-iban').fill('DE89 3704 0044 0532 0130 00');
      await pay(page);
      await heading(page, processing).waitFor();
      await look(`debit-processing-${language}`);
      await passDays(app, merchant, 6);
      await contentOf(visitor).getByText('3:2 after extra time').waitFor();
    },
  );
});
