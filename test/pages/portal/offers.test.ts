import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { call } from '../../support/client';
import { createOffer, half, listOffers } from '../../support/cancelOffers';
import { cards, createConsumer, createFee, createItem, password, reaches, subscribe } from '../../support/factories';
import { PageWalker } from '../../support/pageWalker';
import { createBrandedMerchant, showPictures } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

/** A customer of a branded merchant with a running subscription. */
async function createCustomer() {
  const merchant = await createBrandedMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const item = await createItem(app, merchant, { title: 'The match channel' });
  const fee = await createFee(app, merchant, item.id);
  const shop = { merchant, consumer, item, fee };
  const { subscription_id: id } = (await subscribe(app, shop, cards.success)).body;
  await reaches(app, consumer, id, 'active');
  return { shop, id, portal: `/portal/${merchant.uuid}`, own: `/portal/${merchant.uuid}/subscriptions/${id}` };
}

describe('a cancellation in the portal', () => {
  async function enter() {
    const customer = await createCustomer();
    const walker = new PageWalker(app);
    await walker.open(`${customer.portal}/sign-in`);
    await walker.submit(`${customer.portal}/sign-in`, { username: customer.shop.consumer.email, password });
    await walker.open(customer.own);
    return { ...customer, walker };
  }

  const reasonOf = async (id: string) => {
    const { rows } = await app.pool.query<{ reason: string; renews: boolean }>(
      'SELECT cancel_reason AS reason, auto_renew AS renews FROM subscriptions WHERE token = $1',
      [id],
    );
    return rows[0];
  };

  test.each([
    ['without an offer', {}, { why: 'too_expensive', reason: 'Rent' }, 'too_expensive: Rent'],
    ['with an offer for another reason', { reason: 'other' }, { why: 'too_expensive' }, 'too_expensive'],
    ['with a reason that nobody offers', { reason: 'other' }, { why: 'bored' }, 'bored'],
  ])('%s is one step', async (_name, fields, form, stored) => {
    const { walker, own, id, shop } = await enter();
    if ('reason' in fields) await createOffer(app, shop.merchant, { ...half, ...fields });
    const reply = await walker.submit(`${own}/cancel`, form);
    expect([reply.status, reply.headers.get('location')]).toEqual([303, `${own}?done=cancelled`]);
    await until(async () => (await reasonOf(id))?.renews === false);
    expect(await reasonOf(id)).toMatchObject({ reason: stored });
  });

  test('with an offer is two steps, and the second one always cancels', async () => {
    const { walker, own, id, shop } = await enter();
    await createOffer(app, shop.merchant);
    const offer = await walker.submit(`${own}/cancel`, { why: 'other', reason: 'We move' });
    expect(offer.status).toBe(200);
    expect(offer.text).toContain('50% off your next 2 payments');
    expect(
      (await walker.submit(`${own}/cancel`, { why: 'other', reason: 'We move', anyway: 'true' })).headers.get(
        'location',
      ),
    ).toBe(`${own}?done=cancelled`);
    await until(async () => (await reasonOf(id))?.renews === false);
    expect(await reasonOf(id)).toMatchObject({ reason: 'other: We move' });
    expect(await listOffers(app, shop.merchant)).toMatchObject([{ shown: 1, accepted: 0, refused: 1 }]);
  });

  test('an offer that the merchant has ended in the meantime is refused, and the page says so', async () => {
    const { walker, own, shop } = await enter();
    const { id } = (await createOffer(app, shop.merchant)).body;
    const { text } = await walker.submit(`${own}/cancel`);
    const [, offer_id = ''] = /name="offer_id" value="(\d+)"/.exec(text) ?? [];
    await call(app, 'DELETE', `/v2/cancel-offers/${id}`, undefined, shop.merchant);
    const reply = await walker.submit(`${own}/offer`, { offer_id });
    expect(reply.status).toBe(422);
    expect(reply.text).toContain('This offer is no longer available.');
  });
});

describeInBrowser('offers in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const look = async (name: string) => expect([name, await faultsOf(visitor, name)]).toEqual([name, []]);

  async function enter(portal: string, email: string, language = 'en-GB') {
    visitor = await chromium.newVisitor({ language });
    const { page } = visitor;
    await showPictures(page);
    await page.goto(`${app.address}${portal}`);
    await page.locator('#field-username').fill(email);
    await page.locator('#field-password').fill(password);
    await page.locator('form[name=sign-in] button').click();
    await page.locator('.portal-menu').waitFor();
    return page;
  }

  test.each([
    ['en-GB', 'discount', 'Cancel anyway', half],
    ['en-GB', 'pause', 'Cancel anyway', { kind: 'pause', pause_months: 2 }],
    ['ar', 'discount-ar', 'الإلغاء على أي حال', half],
  ])('%s, %s: both choices look the same, and the offer is accepted', async (language, name, cancel, fields) => {
    const { shop, portal, own } = await createCustomer();
    await createOffer(app, shop.merchant, { ...fields, reason: 'too_expensive' });
    const page = await enter(portal, shop.consumer.email, language);
    await page.goto(`${app.address}${own}`);
    await page.locator('.asking:has(form[name=cancel]) summary').click();
    await page.locator('#field-why').selectOption('too_expensive');
    await look(`offer-reason-${name}`);
    await page.locator('form[name=cancel] button').click();
    await page.locator('form[name=keep]').waitFor();
    await look(`offer-${name}`);
    const refuse = page.getByRole('button', { name: cancel });
    const accept = page.locator('form[name=keep] button');
    const looks =
      'element => { const { width, height } = element.getBoundingClientRect(); const { color, backgroundColor, fontWeight, fontSize } = getComputedStyle(element); return { width, height, color, backgroundColor, fontWeight, fontSize }; }';
    expect(await accept.evaluate(looks)).toEqual(await refuse.evaluate(looks));
    await accept.focus();
    await page.keyboard.press('Enter');
    await page.locator('.alert.good').waitFor();
    await look(`offer-kept-${name}`);
  });

  test('a cheaper plan, and a cancellation in spite of it', async () => {
    const { shop, portal, own } = await createCustomer();
    const { merchant, item } = shop;
    const cheaper = await createFee(app, merchant, item.id, { amount: '4.99', description: 'With advertisements' });
    await createOffer(app, merchant, { kind: 'plan', item_id: item.id, access_fee_id: cheaper.id });
    const page = await enter(portal, shop.consumer.email);
    await page.goto(`${app.address}${own}`);
    await page.locator('.asking:has(form[name=cancel]) summary').click();
    await page.locator('form[name=cancel] button').click();
    await page.getByRole('heading', { name: 'Change to With advertisements' }).waitFor();
    await look('offer-plan');
    await page.getByRole('button', { name: 'Cancel anyway' }).click();
    await page.getByText('Your subscription is canceled.').waitFor();
    await look('offer-refused');
  });
});
