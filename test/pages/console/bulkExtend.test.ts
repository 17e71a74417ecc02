import { giveByHand } from '../../support/access';
import { openConfirmation, rowsOf, toldOf } from '../../support/bulk';
import { call } from '../../support/client';
import { type Chromium, describeInBrowser, faultsOf, startChromium } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import {
  createConsumer,
  createShop,
  reaches,
  type Shop,
  subscribe,
  type SubscriptionRow,
} from '../../support/factories';
import { daySeconds } from '../../support/extensions';
import { createFollower } from '../../support/followers';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';

/** Giving customers more time: one subscription, one access, and several subscriptions at once. */

let app: TestApp;
let shop: Shop;
let walker: PageWalker;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());
beforeEach(async () => {
  shop = await createShop(app);
  walker = await enterConsole(app, shop.merchant.email);
});

/** A running subscription of a further customer, and its end. */
async function running(of: Shop = shop) {
  const consumer = await createConsumer(app, of.merchant);
  const { body } = await subscribe(app, { ...of, consumer });
  const { current_period_end: endsAt } = await reaches(app, consumer, body.subscription_id, 'active');
  return { id: body.subscription_id, customer: consumer, endsAt };
}

async function daysMore({ id, endsAt }: { id: string; endsAt: number }, of: Shop = shop): Promise<number> {
  const { body } = await call<SubscriptionRow>(app, 'GET', `/subscriptions/${id}`, undefined, of.merchant);
  return (body.current_period_end - endsAt) / daySeconds;
}

const extend = (ids: readonly string[], fields: Record<string, string> = {}, by = walker) =>
  by.submit('/console/chosen/subscriptions', { ...rowsOf(ids), action: 'extend', days: '7', ...fields });

test('200: each row by itself, once for each form; those of strangers are not found, an ended one says why', async () => {
  const [one, two, ended] = [await running(), await running(), await running()];
  await call(app, 'DELETE', `/subscriptions/${ended.id}`, { at: 'now' }, shop.merchant);
  const other = await createShop(app);
  const foreign = await running(other);
  const ids = [foreign.id, one.id, ended.id, 'S-unknown', two.id];
  const _form = await openConfirmation(walker, 'subscriptions', { ...rowsOf(ids), action: 'extend' });
  expect(_form).not.toBe('');
  const answers = [
    ...(await Promise.all([extend(ids, { _form }), extend(ids, { _form })])),
    await extend(ids, { _form }),
  ];
  for (const { status, text } of answers) {
    expect(status).toBe(200);
    expect(toldOf(text)).toEqual([
      'Not found',
      'Done',
      'You cannot do this in the current status of the subscription.',
      'Not found',
      'Done',
    ]);
  }
  expect([await daysMore(one), await daysMore(two), await daysMore(foreign, other)]).toEqual([7, 7, 0]);
  const text = `SELECT object_id AS id FROM audit_log WHERE merchant_id = $1 AND action = 'subscription.extend'`;
  const logged = (await app.pool.query<{ id: string }>(text, [shop.merchant.id])).rows.map(({ id }) => id);
  expect(logged.sort()).toEqual([one.id, two.id].sort());
});

test.each(['', '0', '-1', '366', '1.5', 'week'])(
  '422 invalid_input: %p days; the form is shown again with its rows, and nothing is extended',
  async (days) => {
    const one = await running();
    await walker.open('/console/subscriptions');
    const { status, text } = await extend([one.id], { days });
    expect(status).toBe(422);
    expect(text).toContain(`name="rows[]" value="${one.id}"`);
    expect(text).toContain('role="alert"');
    expect(await daysMore(one)).toBe(0);
  },
);

test('403 forbidden: who may only read is not offered it, and extends nothing', async () => {
  const one = await running();
  const { email } = await createFollower(app, shop.merchant, ['payments:read', 'accounts:read', 'reports:read']);
  const reader = await enterConsole(app, email);
  expect((await reader.open('/console/subscriptions')).text).not.toContain('<option value="extend"');
  expect((await extend([one.id], {}, reader)).status).toBe(403);
  const own = `/console/subscriptions/${one.id}`;
  expect((await reader.submit(`${own}/extend`, { days: '7' })).status).toBe(403);
  expect((await reader.open(`/console/customers/${one.customer.id}`)).text).not.toContain('name="access"');
  await reader.submit(`/console/customers/${one.customer.id}/extend`, { access: one.id, days: '7' });
  expect(await daysMore(one)).toBe(0);
});

test('303: on the page of the subscription; wrong days are shown there', async () => {
  const one = await running();
  const own = `/console/subscriptions/${one.id}`;
  await walker.open(own);
  const refused = await walker.submit(`${own}/extend`, { days: '366' });
  expect([refused.status, refused.text.includes('value="366"')]).toEqual([422, true]);
  const { status, headers } = await walker.submit(`${own}/extend`, { days: '7' });
  expect([status, headers.get('location')]).toEqual([303, `${own}?done=changed`]);
  expect(await daysMore(one)).toBe(7);
});

test('303: on the page of the customer, the subscription or granted access', async () => {
  const one = await running();
  const { body: given } = await giveByHand(app, { ...shop, consumer: one.customer });
  const own = `/console/customers/${one.customer.id}`;
  const { text } = await walker.open(own);
  expect(text).toContain(`<option value="${one.id}"`);
  expect(text).toContain(`<option value="${given.id}"`);
  const refused = await walker.submit(`${own}/extend`, { access: String(given.id), days: '0' });
  expect([refused.status, refused.text.includes(`value="${given.id}" selected`)]).toEqual([422, true]);
  for (const access of [one.id, String(given.id)]) {
    const { status, headers } = await walker.submit(`${own}/extend`, { access, days: '7' });
    expect([status, headers.get('location')]).toEqual([303, `${own}?done=changed`]);
  }
  expect(await daysMore(one)).toBe(7);
  const end = 'SELECT floor(extract(epoch FROM expires_at))::int AS "endsAt" FROM accesses WHERE id = $1';
  const { rows } = await app.pool.query<{ endsAt: number }>(end, [given.id]);
  expect(rows).toEqual([{ endsAt: given.expires_at + 7 * daySeconds }]);
});

test('404: access and subscriptions of another merchant', async () => {
  const other = await createShop(app);
  const [one, foreign] = [await running(), await running(other)];
  const { body: given } = await giveByHand(app, other);
  const own = `/console/customers/${one.customer.id}`;
  await walker.open(own);
  for (const access of [foreign.id, String(given.id), '', 'x'])
    expect([access, (await walker.submit(`${own}/extend`, { access, days: '7' })).status >= 400]).toEqual([
      access,
      true,
    ]);
  expect((await walker.submit(`/console/subscriptions/${foreign.id}/extend`, { days: '7' })).status).toBeGreaterThan(
    400,
  );
  expect(await daysMore(foreign, other)).toBe(0);
});

describeInBrowser('more time', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test('200: by keyboard, accessible, and fit for a phone', async () => {
    const one = await running();
    await giveByHand(app, { ...shop, consumer: one.customer });
    const visitor = await chromium.newVisitor();
    const { page } = visitor;
    const { open, enter } = consoleVisitor(
      () => app,
      () => visitor,
    );
    await enter(shop.merchant.email);
    await open(`/console/customers/${one.customer.id}`);
    await page.getByText('Extend access').press('Enter');
    expect(await faultsOf(visitor, 'extend-customer')).toEqual([]);
    await page.getByRole('combobox', { name: 'Access' }).selectOption(one.id);
    await page.getByLabel('Days').fill('400');
    await page.locator('button[type=submit]', { hasText: 'Extend' }).press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await faultsOf(visitor, 'extend-customer-refused')).toEqual([]);
    await page.getByLabel('Days').fill('14');
    await page.locator('button[type=submit]', { hasText: 'Extend' }).press('Enter');
    await page.getByRole('status').waitFor();
    expect(await daysMore(one)).toBe(14);
    await open(`/console/subscriptions/${one.id}`);
    await page.locator('summary', { hasText: 'Extend' }).press('Enter');
    expect(await faultsOf(visitor, 'extend-subscription')).toEqual([]);
    await page.locator('button[type=submit]', { hasText: 'Extend' }).press('Enter');
    await page.getByRole('status').waitFor();
    expect(await daysMore(one)).toBe(21);
    await open(`/console/subscriptions`);
    await page.getByRole('checkbox', { name: one.customer.email }).press('Space');
    await page.getByLabel('Action for the selected rows').selectOption('extend');
    await page.getByRole('button', { name: 'Continue' }).press('Enter');
    await page.getByRole('heading', { name: '1 row selected' }).waitFor();
    expect(await faultsOf(visitor, 'extend-confirmation')).toEqual([]);
    await page.locator('button[type=submit]', { hasText: 'Extend' }).press('Enter');
    await page.getByText('Done for all rows.').waitFor();
    expect(await daysMore(one)).toBe(28);
    await visitor.context.close();
  });

  test('200: in Arabic', async () => {
    const one = await running();
    const visitor = await chromium.newVisitor({ language: 'ar' });
    const { page } = visitor;
    const cookie = walker.cookies.split('; ').find((each) => each.startsWith('console='));
    await visitor.context.addCookies([{ name: 'console', value: cookie?.slice(8) ?? '', url: app.address }]);
    await page.goto(`${app.address}/console/customers/${one.customer.id}`);
    await page.getByText('تمديد الوصول').press('Enter');
    expect(await faultsOf(visitor, 'extend-customer-ar')).toEqual([]);
    await page.goto(`${app.address}/console/subscriptions/${one.id}`);
    await page.locator('summary', { hasText: 'تمديد' }).press('Enter');
    expect(await faultsOf(visitor, 'extend-subscription-ar')).toEqual([]);
    await visitor.context.close();
  });
});
