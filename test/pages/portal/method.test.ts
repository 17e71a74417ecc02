import { call } from '../../support/client';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { accounts, charged, createMandate, offerDebits } from '../../support/debits';
import {
  cards,
  createConsumer,
  createFee,
  createItem,
  createShop,
  password,
  reaches,
  type Shop,
  subscribe,
} from '../../support/factories';
import { PageWalker } from '../../support/pageWalker';
import { proveMailbox } from '../../support/portalCards';
import { createBrandedMerchant, showPictures } from '../../support/paywall';
import { buyOnPage, createRedirectShop, offerRedirects, type PageAnswer } from '../../support/redirects';
import { startApp, type TestApp } from '../../support/startApp';
import { failToRenew, passDays } from '../../support/testClock';
import { until } from '../../support/until';

/** The portal's page that changes how a subscription is paid, and what the portal says about methods other than cards. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const portalOf = ({ merchant }: Pick<Shop, 'merchant'>) => `/portal/${merchant.uuid}`;

async function signedIn(shop: Pick<Shop, 'merchant' | 'consumer'>): Promise<PageWalker> {
  const walker = new PageWalker(app);
  await walker.open(`${portalOf(shop)}/sign-in`);
  await walker.submit(`${portalOf(shop)}/sign-in`, { username: shop.consumer.email, password });
  return walker;
}

async function subscribed({ card = cards.success, fee = {} }: { card?: string; fee?: Record<string, unknown> } = {}) {
  const shop = await createShop(app, fee);
  await offerDebits(app, shop);
  const { subscription_id: id } = (await subscribe(app, shop, card)).body;
  await reaches(app, shop.consumer, id, 'active');
  const path = `${portalOf(shop)}/subscriptions/${id}`;
  const walker = await signedIn(shop);
  await proveMailbox(app, shop.consumer.id);
  return { shop, id, path, method: `${path}/payment-method`, walker };
}

const account = { card: 'new-debit', holder_name: 'Ana Petrova', iban: accounts.paid };

/** Submits the form, and opens the subscription until the change is shown. */
async function change(walker: PageWalker, method: string, fields: Record<string, string>) {
  const { status, headers } = await walker.submit(method, fields);
  expect(status).toBe(303);
  const next = headers.get('location') ?? '';
  return until(async () => {
    const { text } = await walker.open(next);
    return text.includes('Your payment method has changed.') && text;
  });
}

describe('the change', () => {
  test('303: to a bank account that is entered, to one that is saved, and back to the card', async () => {
    const { walker, method } = await subscribed();
    const before = await walker.open(method);
    expect(before.text).toContain('value="saved"');
    expect(before.text).not.toContain('value="debit"');
    expect(await change(walker, method, account)).toContain('Direct debit ending in 3000');
    expect((await walker.open(method)).text).toMatch(/value="debit"\s+checked/);
    expect(await change(walker, method, { card: 'saved' })).toContain('Card ending in 4242');
    expect(await change(walker, method, { card: 'debit' })).toContain('Direct debit ending in 3000');
  });

  test('303: an overdue amount is debited, and the page waits for the bank', async () => {
    const { walker, method, path, shop, id } = await subscribed({ card: cards.declinedAtRenewal });
    await failToRenew(app, shop, id);
    const overdue = (await walker.open(path)).text;
    expect(overdue).toContain('We could not collect your payment.');
    expect(overdue).toContain('name="retry"');
    const text = await change(walker, method, account);
    expect(text).toContain('Your bank is processing the payment. This can take up to 14 days.');
    expect(text).not.toContain('name="retry"');
    await passDays(app, shop.merchant, 6);
    await until(async () => (await walker.open(path)).text.includes('Renews on'));
  });

  test.each([
    ['a wrong check digit', { iban: 'DE88370400440532013000' }, 'field-iban'],
    ['no holder', { holder_name: '' }, 'field-holder_name'],
  ])('422: %s is named beside its field, and the rest is kept', async (_what, wrong, field) => {
    const { walker, method } = await subscribed();
    await walker.open(method);
    const { status, text } = await walker.submit(method, { ...account, ...wrong });
    expect(status).toBe(422);
    expect(text).toContain(`href="#${field}"`);
    expect(text).toMatch(/value="new-debit"\s+checked/);
    expect(text).not.toContain(accounts.paid);
  });

  test('422: the card is declined for an overdue amount', async () => {
    const { walker, method, shop, id } = await subscribed({ card: cards.declinedAtRenewal });
    await failToRenew(app, shop, id);
    await walker.open(method);
    const { status, text } = await walker.submit(method, { card: 'saved' });
    expect([status, text]).toEqual([422, expect.stringContaining('The payment failed.') as string]);
  });

  test('404: the subscription of another customer', async () => {
    const { shop, method } = await subscribed();
    const consumer = await createConsumer(app, shop.merchant);
    const walker = await signedIn({ ...shop, consumer });
    expect((await walker.open(method)).status).toBe(404);
  });
});

describe('the choice', () => {
  test.each([
    ['the plan renews before a bank decides', { quantity: 13, period: 'day' }],
    ['the price is in another currency', { currency: 'USD' }],
  ])('200: no bank account if %s', async (_why, fee) => {
    const { walker, method } = await subscribed({ fee });
    const { text } = await walker.open(method);
    expect(text).toContain('value="saved"');
    expect(text).not.toContain('value="new-debit"');
  });

  test('200: no bank account if the merchant does not offer debits any more', async () => {
    const { walker, method, shop } = await subscribed();
    await createMandate(app, shop, accounts.paid);
    await offerRedirects(app, shop);
    expect((await walker.open(method)).text).not.toContain('debit"');
  });
});

describe('a method with a page of its own', () => {
  async function atPage(method: string, fee: Record<string, unknown> = {}) {
    const scene = await subscribed({ fee });
    await offerRedirects(app, scene.shop);
    await scene.walker.open(scene.method);
    const { status, text } = await scene.walker.submit(scene.method, { card: method });
    const [, reference = ''] = /\/sandbox\/authenticate\/(seti_\w+)"/.exec(text) ?? [];
    return { ...scene, status, text, reference };
  }
  const answer = (reference: string, given: PageAnswer) =>
    call(app, 'POST', `/sandbox/authenticate/${reference}`, { answer: given });

  test('303: the reader continues to the page of PayPal, agrees, and comes back to the changed subscription', async () => {
    const { walker, reference, status, text, path } = await atPage('paypal');
    expect([status, text]).toEqual([200, expect.stringContaining('Continue to PayPal') as string]);
    const { headers } = await answer(reference, 'approved');
    const back = new URL(headers.get('location') ?? '');
    expect([back.pathname, back.searchParams.get('setup_intent')]).toEqual([`${path}/payment-method`, reference]);
    const returned = await walker.open(`${back.pathname}${back.search}`);
    expect(returned.status).toBe(303);
    const shown = await walker.open(returned.headers.get('location') ?? '');
    expect(shown.text).toContain('Your payment method has changed.');
    expect((await walker.open(path)).text).toContain('PayPal');
  });

  test.each(['refused', undefined] as const)(
    '422: a reader who comes back without agreeing (%s) keeps the card',
    async (given) => {
      const { walker, reference, method, path } = await atPage('ideal');
      if (given) await answer(reference, given);
      const { status, text } = await walker.open(`${method}?setup_intent=${reference}`);
      expect([status, text]).toEqual([422, expect.stringContaining('was not confirmed') as string]);
      expect((await walker.open(path)).text).toContain('Card ending in 4242');
    },
  );

  test('200: iDEAL is not offered for a plan that renews before a bank decides, and PayPal is', async () => {
    const { shop, walker, method } = await subscribed({ fee: { quantity: 13, period: 'day' } });
    await offerRedirects(app, shop);
    const { text } = await walker.open(method);
    expect(text).toContain('value="paypal"');
    expect(text).not.toContain('value="ideal"');
  });

  test('404: the set-up of another customer', async () => {
    const { reference } = await atPage('paypal');
    const other = await subscribed();
    const { text } = await other.walker.open(`${other.method}?setup_intent=${reference}`);
    expect(text).toContain('Use this payment method');
    expect(text).not.toContain('has changed');
  });
});

test('200: a subscription by iDEAL is managed here like one by card', async () => {
  const shop = await createRedirectShop(app, 'subscription');
  const page = await buyOnPage(app, shop, 'subscription');
  await page.answer('approved');
  await reaches(app, shop.consumer, page.id, 'active');
  const { text } = await (await signedIn(shop)).open(`${portalOf(shop)}/subscriptions/${page.id}`);
  expect(text).toContain('Cancel subscription');
  expect(text).not.toContain('Manage the subscription there.');
});

describeInBrowser('in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  test.each([
    ['en-GB', 'Your payment method has changed.'],
    ['ar', 'تغيّرت طريقة الدفع.'],
  ] as const)('%s: a reader changes from a card to a bank account', async (language, changed) => {
    const merchant = await createBrandedMerchant(app);
    await offerDebits(app, { merchant });
    const consumer = await createConsumer(app, merchant);
    const item = await createItem(app, merchant, { title: 'The match channel' });
    const shop = { merchant, consumer, item, fee: await createFee(app, merchant, item.id) };
    const { subscription_id: id } = (await subscribe(app, shop)).body;
    await reaches(app, consumer, id, 'active');
    visitor = await chromium.newVisitor({ language });
    const { page } = visitor;
    const look = async (name: string) =>
      expect([name, await faultsOf(visitor, `${name}-${language}`, /status of 4\d\d/)]).toEqual([name, []]);
    await showPictures(page);
    await page.goto(`${app.address}${portalOf(shop)}/subscriptions/${id}`);
    await page.locator('#field-username').fill(consumer.email);
    await page.locator('#field-password').fill(password);
    await page.locator('form[name=sign-in] button').click();
    await page.locator('.actions').waitFor();
    await look('portal-subscription-actions');
    await page.locator('a[href$="/payment-method"]').click();
    await page.locator('form[name=payment-method]').waitFor();
    await look('portal-method');
    await page.locator('input[value=new-debit]').check();
    await page.locator('#field-holder_name').fill('Ana Petrova');
    await page.locator('#field-iban').fill('DE88 3704 0044 0532 0130 00');
    await page.locator('form[name=payment-method] button[type=submit]').click();
    await page.getByRole('alert').waitFor();
    await look('portal-method-refused');
    await page.locator('#field-iban').fill('DE89 3704 0044 0532 0130 00');
    await page.locator('form[name=payment-method] button[type=submit]').click();
    await page.getByText(changed).waitFor();
    await look('portal-method-changed');
    await passDays(app, merchant, 32);
    await charged(app, id, 'processing', '2:1');
  });

  test.each([
    ['en-GB', 'Continue to PayPal', 'Your payment method has changed.'],
    ['ar', 'المتابعة إلى PayPal', 'تغيّرت طريقة الدفع.'],
  ] as const)('%s: a reader changes from a card to PayPal', async (language, onward, changed) => {
    const { shop, path, method } = await subscribed();
    await offerRedirects(app, shop);
    visitor = await chromium.newVisitor({ language });
    const { page } = visitor;
    const look = async (name: string) =>
      expect([name, await faultsOf(visitor, `${name}-${language}`)]).toEqual([name, []]);
    await page.goto(`${app.address}${path}`);
    await page.locator('#field-username').fill(shop.consumer.email);
    await page.locator('#field-password').fill(password);
    await page.locator('form[name=sign-in] button').click();
    await page.locator('.actions').waitFor();
    await page.goto(`${app.address}${method}`);
    await page.locator('input[value=paypal]').check();
    await page.locator('form[name=payment-method] button[type=submit]').click();
    await page.getByRole('link', { name: onward }).waitFor();
    await look('portal-method-page');
    await page.route('http://paywall.test/**', (route) => {
      const location = route.request().url().replace('http://paywall.test', app.address);
      return route.fulfill({ status: 302, headers: { location } });
    });
    await page.getByRole('link', { name: onward }).click();
    await page.locator('button[value=approved]').waitFor();
    await look('sandbox-agreement');
    await page.locator('button[value=approved]').click();
    await page.getByText(changed).waitFor();
    await look('portal-method-agreed');
  });
});
