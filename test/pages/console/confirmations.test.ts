import { type Chromium, describeInBrowser, startChromium, type Visitor } from '../../support/chromium';
import { call } from '../../support/client';
import { submitAndConfirm } from '../../support/confirmations';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createItem, createMerchant, password, type Person } from '../../support/factories';
import { createFollower, newFollower } from '../../support/followers';
import * as oauthApps from '../../support/oauthApps';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { addUnmatched, createPayShop, listUnmatched, paid, refunded } from '../../support/payments';
import { createSchedule } from '../../support/reportSchedules';
import { moveToPages } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';
import { createWebhook } from '../../support/webhooks';

/** The forms whose calls ask for a recent confirmation: the question keeps the form, and the answer carries it out. */

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

beforeEach(async () => {
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

/** A session of the console that began eleven minutes ago, on a page with a form. */
async function enterLongAgo(path: string): Promise<PageWalker> {
  const walker = await enterConsole(app, merchant.email);
  await walker.open(path);
  await moveToPages(app, merchant, '11 minutes');
  return walker;
}

const read = async <Body>(path: string) => (await call<Body>(app, 'GET', path, undefined, merchant)).body;

describe('a scheduled report', () => {
  const address = '/console/reports/schedules';
  const fields = { report: 'mrr', cadence: 'weekly', time_zone: 'Asia/Tokyo', language: 'ar' };
  const list = () => read<{ collection: object[] }>('/reporting/schedules');

  test('403: a new one asks first, and is then mailed as it was entered', async () => {
    const walker = await enterLongAgo(address);
    const sent = { ...fields, recipients: 'a@example.org, b@example.org' };
    expect((await submitAndConfirm(walker, address, sent)).status).toBe(303);
    expect((await list()).collection).toMatchObject([{ ...fields, recipients: ['a@example.org', 'b@example.org'] }]);
  });

  test('403: other recipients ask first, and another time does not', async () => {
    const { id } = (await createSchedule(app, merchant, { ...fields, recipients: ['a@example.org'] })).body;
    const own = `${address}/${id}`;
    const walker = await enterLongAgo(own);
    const later = { ...fields, cadence: 'monthly', recipients: 'a@example.org' };
    expect((await walker.submit(own, later)).status).toBe(303);
    expect((await submitAndConfirm(walker, own, { ...later, recipients: 'b@example.org' })).status).toBe(303);
    expect((await list()).collection).toMatchObject([{ cadence: 'monthly', recipients: ['b@example.org'] }]);
  });
});

test('403: the question names the merchant, and who is signed in', async () => {
  await app.pool.query(`UPDATE accounts SET full_name = 'The Paywall Weekly' WHERE id = $1`, [merchant.id]);
  const walker = await enterLongAgo('/console/settings/webhooks');
  const { status, text } = await walker.submit('/console/settings/webhooks/1/delete');
  expect(status).toBe(403);
  expect(text).toContain('<bdi>The Paywall Weekly</bdi>');
  expect(text.replaceAll('<wbr />', '')).toContain(`<bdi>${merchant.email}</bdi>`);
});

describe('a webhook', () => {
  const ownOf = async () => `/console/settings/webhooks/${(await createWebhook(app, merchant)).id}`;
  const list = async () => (await read<{ collection: object[] }>('/webhooks')).collection;

  test('403: another address asks first', async () => {
    const own = await ownOf();
    const walker = await enterLongAgo(own);
    const sent = { url: 'https://hooks.example.org/a?b=1&c="2"', events: 'access.granted, access.revoked' };
    expect((await submitAndConfirm(walker, own, sent)).status).toBe(303);
    const url = 'https://hooks.example.org/a?b=1&c="2"';
    expect(await list()).toMatchObject([{ url, events: ['access.granted', 'access.revoked'], enabled: true }]);
  });

  test('403: to turn it off, and to delete it, asks first', async () => {
    const own = await ownOf();
    const walker = await enterLongAgo(own);
    expect((await submitAndConfirm(walker, own, { enabled: 'false' })).status).toBe(303);
    expect(await list()).toMatchObject([{ enabled: false }]);
    await moveToPages(app, merchant, '11 minutes');
    expect((await submitAndConfirm(walker, `${own}/delete`)).status).toBe(303);
    expect(await list()).toEqual([]);
  });
});

describe('an app', () => {
  const address = '/console/settings/apps';
  const list = async () => (await oauthApps.listApps(app, merchant)).collection;

  test('403: another redirect asks first, and a box that is not checked stays so', async () => {
    const { id } = await oauthApps.createApp(app, merchant);
    const walker = await enterLongAgo(`${address}/${id}`);
    const redirect_uris = 'https://reader.example/in\r\nhttps://reader.example/back';
    const sent = { name: 'Reader', redirect_uris, redirect_origins: '', active: 'true' };
    expect((await submitAndConfirm(walker, `${address}/${id}`, sent)).status).toBe(303);
    const [, changed] = await list();
    expect(changed).toMatchObject({ name: 'Reader', redirect_uris: redirect_uris.split('\r\n'), active: 1, sso: 0 });
  });

  test('403: to delete it asks first', async () => {
    const { id } = await oauthApps.createApp(app, merchant);
    const walker = await enterLongAgo(`${address}/${id}`);
    expect((await submitAndConfirm(walker, `${address}/${id}/delete`)).status).toBe(303);
    expect(await list()).toHaveLength(1);
  });
});

describe('a follower', () => {
  const address = '/console/settings/followers';
  const list = () => read<object[]>('/accounts/followers');

  test('403: a new one asks first, and gets the rights that were chosen', async () => {
    const walker = await enterLongAgo(address);
    const { email, full_name } = newFollower();
    const sent = { full_name, email, password, 'scope_items:read': 'true' };
    expect((await submitAndConfirm(walker, address, sent)).status).toBe(303);
    expect(await list()).toMatchObject([{ full_name, scopes: ['items:read'] }]);
  });

  test('403: other rights, and the removal, ask first', async () => {
    const { id } = await createFollower(app, merchant, ['items:read']);
    const walker = await enterLongAgo(address);
    expect((await submitAndConfirm(walker, `${address}/${id}`, { 'scope_vouchers:read': 'true' })).status).toBe(303);
    expect(await list()).toMatchObject([{ scopes: ['vouchers:read'] }]);
    await moveToPages(app, merchant, '11 minutes');
    expect((await submitAndConfirm(walker, `${address}/${id}/remove`)).status).toBe(303);
    expect(await list()).toEqual([]);
  });
});

describe('an item', () => {
  test('403: to open it to every account asks first, and another title does not', async () => {
    const { id } = await createItem(app, merchant, { access_control_type_id: 1 });
    const own = `/console/items/${id}`;
    const walker = await enterLongAgo(own);
    const sent = { item_type: 'html_asset', title: 'The final', access_control_type_id: '1' };
    expect((await walker.submit(own, sent)).status).toBe(303);
    expect((await submitAndConfirm(walker, own, { ...sent, access_control_type_id: '3' })).status).toBe(303);
    const item = await read(`/v2/items/${merchant.uuid}/${id}`);
    expect(item).toMatchObject({ title: 'The final', access_control_type: { id: 3, name: 'Auth' } });
  });
});

describe('a large refund', () => {
  test('403: of a payment without a purchase asks first, and is submitted once', async () => {
    const { id } = await addUnmatched(app, merchant, { amountMinor: 100_01 });
    const address = '/console/transactions/unmatched';
    const walker = await enterLongAgo(address);
    const done = await submitAndConfirm(walker, `${address}/${id}/refund`, { _form: 'the-form' });
    expect(done.status).toBe(303);
    expect((await listUnmatched(app, merchant)).collection).not.toMatchObject([{ status: 'open' }]);
  });

  test('403: of a payment asks first, and the amount is kept', async () => {
    const shop = await createPayShop(app);
    ({ merchant } = shop);
    const token = await paid(app, shop);
    await call(app, 'PUT', '/accounts/settings', { refund_confirmation_above: 2 }, merchant);
    const path = `/console/transactions/${token}/refund`;
    const walker = await enterLongAgo(path);
    const sent = { amount: '2.50', _form: 'the-form' };
    expect((await submitAndConfirm(walker, path, sent)).status).toBe(303);
    expect(await refunded(app, token)).toMatchObject([{ amount: 250 }]);
  });
});

describeInBrowser('in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const { open, enter } = consoleVisitor(
    () => app,
    () => visitor,
  );

  test('an app with two redirects, and a box that is not checked, is changed after the password', async () => {
    const { id } = await oauthApps.createApp(app, merchant);
    visitor = await chromium.newVisitor();
    const { page } = visitor;
    await enter(merchant.email);
    await open(`/console/settings/apps/${id}`);
    await moveToPages(app, merchant, '11 minutes');
    const redirects = ['https://reader.example/in', 'https://reader.example/back'];
    await page.locator('textarea[name=redirect_uris]').fill(redirects.join('\n'));
    await page.locator('input[type=checkbox][name=active]').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    const [, changed] = (await oauthApps.listApps(app, merchant)).collection;
    expect(changed).toMatchObject({ redirect_uris: redirects, active: 0, sso: 0 });
  });
});
