import { call } from '../../support/client';
import { type Chromium, describeInBrowser, startChromium, type Visitor } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createFee, createItem, createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let chromium: Chromium;

beforeAll(async () => void (app = await startApp()));
afterAll(() => app.stop());

interface StoredItem {
  external_asset_id: string | null;
  content: string;
  metahash: Record<string, string>;
  event_type: string | null;
  is_giftable: boolean;
  gift_metadata: { description: string } | null;
}

describeInBrowser('the catalogue in the console', () => {
  let visitor: Visitor;
  let merchant: Person;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  beforeEach(async () => {
    visitor = await chromium.newVisitor();
    merchant = await createMerchant(app);
    await enter(merchant.email);
  });
  afterEach(() => visitor.context.close());

  const { open, look, enter } = consoleVisitor(
    () => app,
    () => visitor,
  );
  const stored = async (id: number) =>
    (await call<StoredItem>(app, 'GET', `/v2/items/${merchant.uuid}/${id}`, undefined, merchant)).body;

  test('each kind of item is asked for what it is made of', async () => {
    const { page } = visitor;
    await open('/console/items/new');
    await page.getByLabel('Type').selectOption('file_asset');
    await page.getByLabel('File URL').waitFor();
    await page.getByLabel('Type').selectOption('jw_asset');
    await page.getByLabel('Video platform ID').fill('xJ9kQ2');
    await page.getByLabel('Access method').selectOption('Code');
    await page.getByText('Anyone with an access code can open the item').waitFor();
    expect(await page.getByLabel('Video platform ID').inputValue()).toBe('xJ9kQ2');
    await page.getByLabel('Title', { exact: true }).fill('Cup final, from the press box');
    await page.getByText('Preview for visitors').click();
    await page.getByLabel('Preview title').fill('Live on Saturday');
    await look('console-item-new-video');
    await page.getByRole('button', { name: 'Add item' }).click();
    await page.getByRole('heading', { name: 'Cup final, from the press box' }).waitFor();
    await look('console-item-code');
    const id = Number(/items\/(\d+)/.exec(page.url())?.[1]);
    expect(await stored(id)).toMatchObject({
      external_asset_id: 'xJ9kQ2',
      metahash: { preview_title: 'Live on Saturday' },
    });
  });

  test('a field that is emptied is empty, and what the form does not ask for stays', async () => {
    const { page } = visitor;
    const { id } = await createItem(app, merchant, {
      item_type: 'jw_asset',
      external_asset_id: 'xJ9kQ2',
      event_type: 'football',
      is_giftable: true,
      gift_metadata: { description: 'A ticket' },
      metadata: { preview_title: 'Live', league: 'first' },
    });
    await open(`/console/items/${id}`);
    await page.getByLabel('Video platform ID').fill('');
    await page.getByLabel('Player embed code').fill('');
    await page.getByLabel('Preview title').fill('');
    await page.getByLabel('Description in gift emails').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await stored(id)).toMatchObject({
      external_asset_id: null,
      content: '',
      event_type: 'football',
      is_giftable: true,
      gift_metadata: null,
      metahash: { league: 'first' },
    });
    expect((await stored(id)).metahash).not.toHaveProperty('preview_title');
  });

  test('a fee keeps what its form does not ask for', async () => {
    const { page } = visitor;
    const item = await createItem(app, merchant);
    const external = [{ payment_provider_id: 1, external_id: 'monthly_pass' }];
    const fee = await createFee(app, merchant, item.id, {
      external_fees: external,
      trial_period_quantity: 7,
      trial_period_period: 'day',
      trial_end_behaviour: 'pause',
      starts_at: '2026-01-02T03:04:05Z',
      expires_at: '2046-11-30T18:00:00Z',
    });
    await open(`/console/items/${item.id}/fees/${fee.id}`);
    await page.getByLabel('Description').first().fill('Season pass');
    await look('console-fee');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Season pass' }).waitFor();
    const { body } = await call(app, 'GET', `/v2/items/${item.id}/access-fees/${fee.id}`, undefined, merchant);
    expect(body).toMatchObject({
      description: 'Season pass',
      external_fees: external,
      trial_end_behaviour: 'pause',
      starts_at: fee.starts_at,
      expires_at: fee.expires_at,
    });
    expect(new Date(fee.expires_at * 1000).toISOString()).toBe('2046-11-30T18:00:00.000Z');
  });

  test('a one-time fee keeps its rule for who has access, and takes another', async () => {
    const { page } = visitor;
    const item = await createItem(app, merchant);
    const fee = await createFee(app, merchant, item.id, {
      access_type: 'ppv',
      quantity: 2,
      period: 'day',
      when_owned: 'start_now',
    });
    const save = async () => {
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: fee.description }).waitFor();
      const { body } = await call(app, 'GET', `/v2/items/${item.id}/access-fees/${fee.id}`, undefined, merchant);
      return body;
    };
    await open(`/console/items/${item.id}/fees/${fee.id}`);
    expect(await save()).toMatchObject({ when_owned: 'start_now' });
    await open(`/console/items/${item.id}/fees/${fee.id}`);
    await page.getByLabel('Purchase by a customer with access').selectOption('extend_current');
    expect(await save()).toMatchObject({ when_owned: 'extend_current' });
  });

  test('a voucher that is saved unchanged ends when it ended before', async () => {
    const { page } = visitor;
    const times = { start_date: '2026-01-02T03:04:05Z', end_date: '2046-11-30T18:00:00Z' };
    const fields = { name: 'Autumn', discount: 10, discount_period: 'once', usage_limit: 5, ...times };
    const made = await call<{ id: number }>(app, 'POST', '/vouchers', fields, merchant);
    await open(`/console/vouchers/${made.body.id}`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    const { body } = await call<typeof times>(app, 'GET', `/vouchers/${made.body.id}`, undefined, merchant);
    expect([Date.parse(body.start_date), Date.parse(body.end_date)]).toEqual(Object.values(times).map(Date.parse));
  });

  test('a package holds items, and is sold by fees of its own', async () => {
    const { page } = visitor;
    const final = await createItem(app, merchant, { title: 'Cup final' });
    await createItem(app, merchant, { title: 'Semi-final' });
    await open('/console/items');
    await page.getByRole('link', { name: 'Packages' }).click();
    await look('console-packages-empty');
    await page.getByRole('link', { name: 'Add package' }).first().click();
    await look('console-package-new');
    await page.getByLabel('Title').fill('The whole season');
    await page.getByRole('button', { name: 'Add package' }).click();
    for (const title of ['Cup final', 'Semi-final']) {
      await page.getByLabel('Add an item to this package').selectOption(title);
      await page.getByRole('button', { name: 'Add' }).click();
      await page.getByRole('rowheader', { name: title }).waitFor();
    }
    await look('console-package');
    const held = page.getByRole('row', { name: 'Semi-final' });
    await held.locator('summary').click();
    await held.getByRole('button', { name: 'Remove' }).click();
    await held.waitFor({ state: 'detached' });
    const id = Number(/items\/(\d+)/.exec(page.url())?.[1]);
    const { body } = await call<{ collection: { id: number }[] }>(app, 'GET', `/items/packages/${id}/items`);
    expect(body.collection.map((item) => item.id)).toEqual([final.id]);
    await page.getByRole('link', { name: 'Packages' }).click();
    await page.getByRole('row', { name: 'The whole season' }).getByRole('cell', { name: '1', exact: true }).waitFor();
    await look('console-packages');
  });

  test('a code is made, used by devices, and their sessions are ended', async () => {
    const { page } = visitor;
    const item = await createItem(app, merchant, { access_control_type_id: 2 });
    await open(`/console/items/${item.id}`);
    await page.getByRole('link', { name: 'Access codes' }).click();
    await look('console-codes-empty');
    await page.getByLabel('Code').fill('short');
    await page.getByRole('button', { name: 'Create code' }).click();
    await page.getByRole('alert').waitFor();
    visitor.complaints.length = 0;
    await page.getByLabel('Code').fill('PRESS-2026');
    await page.getByLabel('Device limit').fill('2');
    await page.getByRole('button', { name: 'Create code' }).click();
    await page.getByText('PRESS-2026').waitFor();
    for (const browser_fingerprint of ['phone-1', 'tablet-2']) {
      const entry = { item_id: item.id, code: 'PRESS-2026', browser_fingerprint };
      expect((await call(app, 'POST', '/items/access/codes/entry', entry)).status).toBe(200);
    }
    await page.reload();
    await look('console-codes');
    await page.getByRole('link', { name: '2 / 2' }).click();
    await look('console-code-sessions');
    await page.getByRole('row', { name: 'phone-1' }).getByRole('button', { name: 'End session' }).click();
    await page.getByText('phone-1').waitFor({ state: 'detached' });
    await page.getByText('tablet-2').waitFor();
    await page.getByRole('link', { name: 'Access codes' }).click();
    await page.getByRole('link', { name: '1 / 2' }).waitFor();
    await page.locator('summary', { hasText: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No access codes yet.').waitFor();
  });

  test('the sessions of another merchant’s code are not shown', async () => {
    const stranger = await createMerchant(app);
    const foreign = await createItem(app, stranger, { access_control_type_id: 2 });
    const { body } = await call<{ id: number }>(app, 'POST', `/items/${foreign.id}/access/codes`, {}, stranger);
    const own = await createItem(app, merchant);
    const answer = await open(`/console/items/${own.id}/codes/${body.id}`);
    expect(answer?.status()).toBe(404);
  });
});
