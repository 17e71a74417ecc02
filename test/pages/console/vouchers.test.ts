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
  expect((await walker.open(page)).text).toContain('It is good for everything, and for everybody.');
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
