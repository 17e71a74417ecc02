import { signedInAt, pathOf } from '../../support/checkout';
import { createFee, createItem, createShop, type Shop } from '../../support/factories';
import { PageWalker } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';
import { formSettings } from '../../support/stripeForm';
import { nameNetSeller } from '../../support/tax';

let app: TestApp;
beforeAll(async () => void (app = await startApp(formSettings({ url: 'http://127.0.0.1:9' }))));
afterAll(() => app.stop());

const policyOf = (headers: Headers) => headers.get('content-security-policy') ?? '';
const scriptOf = (text: string) => /src="(\/assets\/paymentForm-[\da-f]{16}\.js)"/.exec(text)?.[1];

/** The attributes of the place of the form. */
function formIn(text: string): Record<string, string> | undefined {
  const [, attributes] = /<div\s+(data-payment-form="[^>]+)><\/div>/.exec(text) ?? [];
  if (attributes === undefined) return undefined;
  const pairs = [...attributes.matchAll(/data-([\w-]+)="([^"]*)"/g)];
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]));
}

async function checkoutOf(fee: Record<string, unknown>) {
  const shop = await createShop(app, fee);
  return (await signedInAt(app, shop)).open(pathOf(shop));
}

test('200: the checkout has the provider’s form with the amount, and no field for a card number', async () => {
  const { status, text } = await checkoutOf({ amount: '9.99', currency: 'EUR' });
  expect(status).toBe(200);
  expect(formIn(text)).toMatchObject({
    'payment-form': 'stripe',
    key: 'pk_test_1',
    script: 'https://js.stripe.com/v3/',
    mode: 'payment',
    amount: '999',
    currency: 'eur',
    blocked: expect.stringContaining('js.stripe.com') as string,
  });
  expect(text).toContain('<input type="hidden" name="payment_token" value="" />');
  expect(text).not.toMatch(/name="(?:number|cvv|exp_month|exp_year)"/);
});

test('200: the plan, the total and the account are in the form of the button', async () => {
  const shop = await createShop(app, { amount: '9.99', currency: 'EUR', description: 'Family' });
  const { text } = await (await signedInAt(app, shop)).open(pathOf(shop));
  const [, checkout = ''] = /<form\s[^>]*\/pay"[^>]*>(.*?)<\/form>/s.exec(text) ?? [];
  const words = checkout.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  for (const shown of ['Family', 'Due now €9.99', `You are signed in as ${shop.consumer.email}`, 'Pay €9.99'])
    expect(words).toContain(shown);
});

test.each([
  ['JPY', '500', '500'],
  ['ISK', '500', '50000'],
  ['KWD', '1.25', '1250'],
])('200: an amount in %s is in the unit of Stripe', async (currency, amount, shown) => {
  const { text } = await checkoutOf({ currency, amount });
  expect(formIn(text)).toMatchObject({ amount: shown, currency: currency.toLowerCase() });
});

test('200: the amount has the tax that is added to the price', async () => {
  const shop = await createShop(app, { amount: '10.00' });
  await nameNetSeller(app, shop);
  const { text } = await (await signedInAt(app, shop)).open(pathOf(shop));
  expect(formIn(text)).toMatchObject({ mode: 'payment', amount: '1190' });
});

test('200: a trial collects the card without an amount', async () => {
  const { text } = await checkoutOf({ trial_period_quantity: '7', trial_period_period: 'day' });
  expect(formIn(text)).toMatchObject({ mode: 'setup', amount: '0' });
});

test('200: every page of an item for sale opens its policy for the provider’s hosts, because steps replace each other', async () => {
  const shop = await createShop(app);
  const { headers, text } = await new PageWalker(app).open(pathOf(shop));
  const policy = policyOf(headers);
  expect(policy).toMatch(/script-src 'nonce-[^']+' https:\/\/js\.stripe\.com https:\/\/\*\.js\.stripe\.com;/);
  expect(policy).toContain("connect-src 'self' https://api.stripe.com;");
  expect(policy).toContain("frame-src 'self' https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com;");
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin-allow-popups');
  const script = scriptOf(text) ?? '';
  expect((await fetch(`${app.address}${script}`)).headers.get('content-type')).toBe('text/javascript; charset=utf-8');
});

test('200: the portal opens its policy on the page of the card only', async () => {
  const shop = await createShop(app);
  const walker = await signedInAt(app, shop);
  const card = await walker.open(`/portal/${shop.merchant.uuid}/card`);
  expect([policyOf(card.headers).includes('stripe.com'), scriptOf(card.text)]).toEqual([true, expect.any(String)]);
  const profile = await walker.open(`/portal/${shop.merchant.uuid}/profile`);
  expect([policyOf(profile.headers).includes('stripe.com'), scriptOf(profile.text)]).toEqual([false, undefined]);
});

test('200: pages without a price, in a frame, and of the console stay closed', async () => {
  const shop = await createShop(app);
  const unpriced = await createItem(app, shop.merchant);
  const framed = { 'Sec-Fetch-Dest': 'iframe', Referer: 'https://news.example/' };
  const shown = [
    await new PageWalker(app).open(pathOf({ ...shop, item: unpriced })),
    await new PageWalker(app, framed).open(pathOf(shop)),
    await new PageWalker(app).open('/console/sign-in'),
  ];
  for (const { headers, text } of shown)
    expect([policyOf(headers).includes('stripe.com'), scriptOf(text)]).toEqual([false, undefined]);
});

test('200: in a frame of another site the checkout is a link to a window of its own', async () => {
  const shop = await createShop(app);
  const walker = await framedAt(shop);
  const { text } = await walker.open(pathOf(shop));
  expect(formIn(text)).toBeUndefined();
  expect(text).toMatch(new RegExp(`href="${pathOf(shop)}" target="_blank" rel="noopener"`));
});

async function framedAt(shop: Shop): Promise<PageWalker> {
  const { cookies } = await signedInAt(app, shop);
  return new PageWalker(app, { 'Sec-Fetch-Dest': 'iframe', Referer: 'https://news.example/', Cookie: cookies });
}

test('422: a purchase without a card names the form', async () => {
  const shop = await createShop(app);
  const walker = await signedInAt(app, shop);
  await walker.open(pathOf(shop));
  const { status, text } = await walker.submit(`${pathOf(shop)}/pay`, { fee: String(shop.fee.id), do: 'pay' });
  expect(status).toBe(422);
  expect(text).toContain('href="#field-payment_token"');
  expect(text).toContain('id="field-payment_token"');
});

test('200: the total of a chosen fee is the amount of the form', async () => {
  const shop = await createShop(app);
  const other = await createFee(app, shop.merchant, shop.item.id, { amount: '19.99', description: 'Family' });
  const walker = await signedInAt(app, shop);
  await walker.open(pathOf(shop));
  const { text } = await walker.submit(`${pathOf(shop)}/price`, { fee: String(other.id), do: 'price' });
  expect(formIn(text)).toMatchObject({ amount: '1999' });
});
