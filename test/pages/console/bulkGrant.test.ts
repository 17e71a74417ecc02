import { chosenAddress, openConfirmation, rowsOf, toldOf } from '../../support/bulk';
import { type Chromium, describeInBrowser, faultsOf, startChromium } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createConsumer, createShop, reaches, type Shop, subscribe } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';

/** Granting several customers access, and exporting chosen rows. */

let app: TestApp;
let shop: Shop;
let walker: PageWalker;
let ids: number[];

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());
beforeEach(async () => {
  shop = await createShop(app);
  ids = [shop.consumer.id, (await createConsumer(app, shop.merchant)).id];
  walker = await enterConsole(app, shop.merchant.email);
});

const nextYear = `${new Date().getUTCFullYear() + 1}-06-30`;
const grant = (rows: readonly number[], fields: Record<string, string> = {}, by = walker) =>
  by.submit('/console/chosen/customers', {
    ...rowsOf(rows),
    ...{ action: 'grant', item_id: String(shop.item.id), expires_at: nextYear },
    ...fields,
  });

const holders = async () => {
  const text = 'SELECT account_id AS id FROM accesses WHERE item_id = $1 ORDER BY account_id';
  return (await app.pool.query<{ id: number }>(text, [shop.item.id])).rows.map(({ id }) => id);
};

test('200: each customer gets access until the date, once for each form, with an entry in the log', async () => {
  const _form = await openConfirmation(walker, 'customers', { ...rowsOf(ids), action: 'grant' });
  expect(_form).not.toBe('');
  const answers = [...(await Promise.all([grant(ids, { _form }), grant(ids, { _form })])), await grant(ids, { _form })];
  for (const { status, text } of answers) {
    expect([status, toldOf(text)]).toEqual([200, ['Done', 'Done']]);
    expect(text).toContain('Done for all rows.');
  }
  expect(await holders()).toEqual(ids);
  const logged = `SELECT 1 FROM audit_log WHERE merchant_id = $1 AND action = 'access.grant'`;
  expect((await app.pool.query(logged, [shop.merchant.id])).rows).toHaveLength(2);
  const end = 'SELECT DISTINCT expires_at::date::text AS day FROM accesses WHERE item_id = $1';
  expect((await app.pool.query(end, [shop.item.id])).rows).toEqual([{ day: nextYear }]);
});

test('200: customers of another merchant and unknown ones are not found, and the others get access', async () => {
  const other = await createShop(app);
  await walker.open('/console/customers');
  const { text } = await grant([other.consumer.id, ...ids, 2_000_000_000]);
  expect(toldOf(text)).toEqual(['Not found', 'Done', 'Done', 'Not found']);
  expect(text).not.toContain(other.consumer.email);
  expect(await holders()).toEqual(ids);
});

test('200: an item of another merchant is granted to nobody', async () => {
  const other = await createShop(app);
  await walker.open('/console/customers');
  const { text } = await grant(ids, { item_id: String(other.item.id) });
  expect(toldOf(text)).toEqual(['Not found', 'Not found']);
  expect(await holders()).toEqual([]);
});

test.each([
  ['no item', { item_id: '' }],
  ['no date', { expires_at: '' }],
  ['a date in the past', { expires_at: '2020-01-01' }],
  ['a date that is none', { expires_at: 'soon' }],
])('422 invalid_input: %s; the form is shown again with its rows, and nothing is granted', async (_what, fields) => {
  await walker.open('/console/customers');
  const { status, text } = await grant(ids, fields);
  expect(status).toBe(422);
  for (const id of ids) expect(text).toContain(`name="rows[]" value="${id}"`);
  expect(text).toContain('role="alert"');
  expect(await holders()).toEqual([]);
});

test('403 forbidden: who may not grant', async () => {
  const { email } = await createFollower(app, shop.merchant, ['accounts:read', 'items:read']);
  const reader = await enterConsole(app, email);
  expect((await reader.open('/console/customers')).text).not.toContain('form="chosen"');
  expect((await grant(ids, {}, reader)).status).toBe(403);
  expect(await holders()).toEqual([]);
});

/** The first column of the file that the form of a list leads to. */
async function exported(list: string, rows: readonly (string | number)[]) {
  const chosen = await walker.open(chosenAddress(list, { ...rowsOf(rows), action: 'export' }));
  expect(chosen.status).toBe(303);
  const { status, headers, text } = await walker.open(chosen.headers.get('location') ?? '');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  return text
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[0]);
}

test('303: the chosen customers as a file, and nobody of another merchant', async () => {
  const other = await createShop(app);
  expect(await exported('customers', [ids[1] ?? 0, other.consumer.id, 'x'])).toEqual([String(ids[1])]);
});

test('303: the chosen subscriptions as a file, and none of another merchant', async () => {
  const other = await createShop(app);
  const consumer = await createConsumer(app, shop.merchant);
  const [one, foreign] = [await subscribe(app, shop), await subscribe(app, other)];
  expect((await subscribe(app, { ...shop, consumer })).status).toBe(202);
  const chosen = [one, foreign].map(({ body }) => body.subscription_id);
  expect(await exported('subscriptions', chosen)).toEqual([one.body.subscription_id]);
});

test('403 forbidden: who may not export is not offered it, and gets no file', async () => {
  const { email } = await createFollower(app, shop.merchant, ['accounts:read', 'items:read', 'items:write']);
  const follower = await enterConsole(app, email);
  expect((await follower.open('/console/customers')).text).not.toContain('<option value="export"');
  const { headers } = await follower.open(chosenAddress('customers', { ...rowsOf(ids), action: 'export' }));
  expect((await follower.open(headers.get('location') ?? '')).status).toBe(403);
});

describeInBrowser('actions on several rows', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test('200: by keyboard, accessible, and fit for a phone', async () => {
    const visitor = await chromium.newVisitor();
    const { page } = visitor;
    const { open, enter } = consoleVisitor(
      () => app,
      () => visitor,
    );
    await enter(shop.merchant.email);
    await open('/console/customers');
    expect(await faultsOf(visitor, 'bulk-list')).toEqual([]);
    await page.getByRole('checkbox', { name: `Select: ${shop.consumer.email}` }).press('Space');
    await page.getByLabel('Action for the selected rows').selectOption('grant');
    await page.getByRole('button', { name: 'Continue' }).press('Enter');
    await page.getByRole('heading', { name: '1 row selected' }).waitFor();
    await page.getByLabel('Item').selectOption({ label: 'Cup final' });
    await page.getByLabel('Until').fill(nextYear);
    expect(await faultsOf(visitor, 'bulk-confirmation')).toEqual([]);
    await page.getByRole('button', { name: 'Grant access' }).press('Enter');
    await page.getByText('Done for all rows.').waitFor();
    expect(await holders()).toEqual([shop.consumer.id]);
    await visitor.context.close();
  });

  test('200: a result with a refusal, in Arabic', async () => {
    const { body } = await subscribe(app, shop);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    const visitor = await chromium.newVisitor({ language: 'ar' });
    const { page } = visitor;
    const cookie = walker.cookies.split('; ').find((each) => each.startsWith('console='));
    await visitor.context.addCookies([{ name: 'console', value: cookie?.slice(8) ?? '', url: app.address }]);
    const rows = rowsOf([body.subscription_id, 'S-unknown']);
    await page.goto(`${app.address}${chosenAddress('subscriptions', { ...rows, action: 'cancel' })}`);
    expect(await faultsOf(visitor, 'bulk-confirmation-ar')).toEqual([]);
    await page.locator('button.danger').press('Enter');
    await page.getByText('غير موجود').waitFor();
    expect(await faultsOf(visitor, 'bulk-result-ar')).toEqual([]);
    await visitor.context.close();
  });
});
