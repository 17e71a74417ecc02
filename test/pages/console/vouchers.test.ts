import { call } from '../../support/client';
import { createMerchant, createShop, type Shop } from '../../support/factories';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';
import { createPackage, createVoucher, giveGift, type Voucher } from '../../support/vouchers';

/** What a merchant does with vouchers and gifts. */

let app: TestApp;
let shop: Shop;
let walker: PageWalker;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app);
  walker = await enterConsole(app, shop.merchant.email);
});
afterAll(() => app.stop());

const stored = async (id: number) =>
  (await call<Voucher>(app, 'GET', `/vouchers/${id}`, undefined, shop.merchant)).body;
const rulesOf = async (id: number) => (await stored(id)).rules.map(({ rule_type, value }) => [rule_type, value]);

test('a voucher is limited to items, packages and customers, and freed again', async () => {
  const { id } = await createVoucher(app, shop.merchant);
  const season = await createPackage(app, shop);
  const page = `/console/vouchers/${id}`;
  expect((await walker.open(page)).text).toContain('Every customer can use this voucher for every item.');
  const added = [
    { target: `assets:${shop.item.id}` },
    { target: `packages:${season.id}` },
    { email: shop.consumer.email.toUpperCase() },
  ];
  for (const rule of added) expect((await walker.submit(`${page}/rules`, rule)).status).toBe(303);
  expect(await rulesOf(id)).toEqual([
    ['assets', shop.item.id],
    ['packages', season.id],
    ['emails', shop.consumer.id],
  ]);
  const { text } = await walker.open(page);
  for (const address of [`items/${shop.item.id}`, `items/${season.id}`, `customers/${shop.consumer.id}`])
    expect(text).toContain(`<a href="/console/${address}">`);
  expect(text).toContain(`/console/csv/voucher-rules?voucher_id=${id}`);
  for (const [, remove = ''] of text.matchAll(/action="([^"]+\/remove)"/g)) await walker.submit(remove);
  expect(await rulesOf(id)).toEqual([]);
});

test('what is limited to nobody, or to somebody else’s, is said in the form', async () => {
  const { id } = await createVoucher(app, shop.merchant);
  const other = await createShop(app);
  const page = `/console/vouchers/${id}`;
  await walker.open(page);
  for (const rule of [
    { email: 'nobody@example.org' },
    { email: other.consumer.email },
    { target: '' },
    { target: `assets:${other.item.id}` },
    { target: 'secrets:1' },
  ]) {
    const { status, text } = await walker.submit(`${page}/rules`, rule);
    expect([rule, status, text.includes('role="alert"')]).toEqual([rule, 422, true]);
  }
  expect(await rulesOf(id)).toEqual([]);
});

test('saving the terms leaves the rules', async () => {
  const rules = [{ rule_type: 'assets', value: shop.item.id }];
  const { id } = await createVoucher(app, shop.merchant, { rules });
  const page = `/console/vouchers/${id}`;
  await walker.open(page);
  const terms = { name: 'Renamed', discount: '30', discount_period: 'once', start_date: '2026-01-01T00:00:00' };
  expect((await walker.submit(page, terms)).status).toBe(303);
  expect((await stored(id)).name).toBe('Renamed');
  expect(await rulesOf(id)).toEqual([['assets', shop.item.id]]);
});

test('a generated code is as long as is asked for, between its ends', async () => {
  await walker.open('/console/vouchers/new');
  const terms = { name: 'Made', discount: '30', discount_period: 'once', start_date: '2026-01-01T00:00:00', code: '' };
  expect((await walker.submit('/console/vouchers/new', { ...terms, length: '70' })).status).toBe(422);
  const parts = { prefix: 'SPRING-', length: '6', suffix: '-26' };
  expect((await walker.submit('/console/vouchers/new', { ...terms, ...parts })).status).toBe(303);
  const query = '/vouchers?search[]=code:SPRING-';
  const { body } = await call<{ collection: Voucher[] }>(app, 'GET', query, undefined, shop.merchant);
  expect(body.collection.map(({ code }) => code)).toEqual([expect.stringMatching(/^SPRING-[A-Z0-9]{6}-26$/)]);
});

test('a gift that waits is mailed again; one of another merchant is not', async () => {
  const { giftId, code } = await giveGift(shop, 'again@example.org');
  const codes = async () => {
    const address = '/test-mailbox?to=again@example.org';
    const { body } = await call<{ collection: { text: string }[] }>(app, 'GET', address, undefined, shop.merchant);
    return body.collection.filter(({ text }) => text.includes(code)).length;
  };
  const before = await codes();
  expect((await walker.open('/console/gifts')).text).toContain(`/console/gifts/${giftId}/resend`);
  expect((await walker.submit(`/console/gifts/${giftId}/resend`)).status).toBe(303);
  expect(await codes()).toBe(before + 1);
  const stranger = await enterConsole(app, (await createMerchant(app)).email);
  await stranger.open('/console/gifts');
  expect((await stranger.submit(`/console/gifts/${giftId}/resend`)).status).not.toBe(303);
  expect(await codes()).toBe(before + 1);
});

test('303: a voucher with an amount for new customers is created, shown, saved unchanged and changed to a percentage', async () => {
  const fields = { name: 'Welcome', code: 'WELCOME5', start_date: '2020-01-01T00:00:00', discount_period: 'once' };
  const amount = { discount_amount: '5.5', discount_currency: 'eur', rebill_discount_amount: '1' };
  const limits = { usage_limit_per_customer: '2', new_customers_only: 'true' };
  expect((await walker.submit('/console/vouchers/new', { ...fields, ...amount, ...limits })).status).toBe(303);
  const list = await walker.open('/console/vouchers?search=WELCOME5');
  expect(list.text).toContain('€5.50');
  const id = Number(/\/console\/vouchers\/(\d+)"/.exec(list.text)?.[1]);
  const terms = { discount: 0, discount_amount: 5.5, rebill_discount_amount: 1, discount_currency: 'EUR' };
  expect(await stored(id)).toMatchObject({ ...terms, usage_limit_per_customer: 2, new_customers_only: true });
  const shown = valuesOf((await walker.open(`/console/vouchers/${id}`)).text);
  expect(shown).toMatchObject({ discount: '', discount_amount: '5.5', new_customers_only: 'true' });
  expect((await walker.submit(`/console/vouchers/${id}`, shown)).status).toBe(303);
  expect(await stored(id)).toMatchObject({ ...terms, usage_limit_per_customer: 2, new_customers_only: true });
  expect((await walker.submit(`/console/vouchers/${id}`, { ...fields, discount: '30' })).status).toBe(303);
  expect(await stored(id)).toMatchObject({ discount: 30, discount_amount: null, new_customers_only: false });
});

/** The values in the last form of a page. */
function valuesOf(text: string): Record<string, string> {
  const inputs = [...text.matchAll(/<input\b[^>]*>/g)].map(([input]) => input);
  const attribute = (input: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(input)?.[1] ?? '';
  const sent = inputs.filter((input) => attribute(input, 'type') !== 'checkbox' || /\bchecked\b/.test(input));
  const values = sent.map((input) => [attribute(input, 'name'), attribute(input, 'value')] as const);
  return { discount_period: 'once', ...Object.fromEntries(values.filter(([name]) => name !== '_token')) };
}

test('303: a batch of codes is created in the console, listed with its uses, and downloaded as a file', async () => {
  const fields = { name: 'Fair', discount: '20', start_date: '2020-01-01T00:00:00', discount_period: 'once' };
  const page = '/console/voucher-batches';
  const refused = await walker.submit(`${page}/new`, { ...fields, count: '10001' });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('id="field-count-error"');
  const made = { ...fields, count: '12', prefix: 'FAIR-', usage_limit: '1' };
  expect((await walker.submit(`${page}/new`, made)).status).toBe(303);
  const { text } = await walker.open(page);
  const id = /\/console\/vouchers\?batch=(\d+)"/.exec(text)?.[1] ?? '';
  const file = await walker.open(`/console/csv/vouchers?search%5B%5D=batch%3A${id}`);
  expect(text).toContain(`/console/csv/vouchers?search%5B%5D=batch%3A${id}`);
  expect(file.text.match(/FAIR-/g)).toHaveLength(12);
  expect((await walker.open(`/console/vouchers?batch=${id}`)).text).toContain('FAIR-');
});
