import { type Chromium, describeInBrowser, startChromium } from '../support/chromium';
import { call } from '../support/client';
import { keptIn } from '../support/confirmations';
import { createConsumer, createItem, createMerchant, password, type Person } from '../support/factories';
import { enterConsole, PageWalker } from '../support/pageWalker';
import { startApp, type TestApp } from '../support/startApp';
import { createVoucher, type Voucher } from '../support/vouchers';

/** Times on pages have the clock of the browser, which its script tells in a cookie. */

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});
afterAll(() => app.stop());

/** Half an hour beside the hours of UTC. */
const adelaide = 'Australia/Adelaide';

async function enter(zone: string): Promise<PageWalker> {
  const walker = await enterConsole(app, merchant.email);
  walker.keep('time_zone', zone);
  return walker;
}

const termsOf = ({ name, code }: Voucher) => ({ name, code, discount: '10', discount_period: 'once' });
const storedEnd = async ({ id }: Voucher) =>
  (await call<Voucher>(app, 'GET', `/vouchers/${id}`, undefined, merchant)).body.end_date;

test('a time that a merchant enters is of the merchant’s clock, and the form shows it again', async () => {
  const voucher = await createVoucher(app, merchant);
  const page = `/console/vouchers/${voucher.id}`;
  const walker = await enter(adelaide);
  expect((await walker.open(page)).text).toContain('Time zone: Australia/Adelaide');
  const zones = { '_zone.start_date': adelaide, '_zone.end_date': adelaide };
  const times = { start_date: '2026-01-01T00:00:00', end_date: '2030-01-31T12:00:00' };
  const { status } = await walker.submit(page, { ...termsOf(voucher), ...times, ...zones });
  expect([status, await storedEnd(voucher)]).toEqual([303, '2030-01-31T01:30:00.000Z']);
  const { text } = await walker.open(page);
  expect(text).toMatch(/name="end_date"[^>]*value="2030-01-31T12:00:00"/);
  expect(text).toContain('name="_zone.end_date" value="Australia/Adelaide"');
});

describe('the hour that clocks repeat in autumn', () => {
  const berlin = 'Europe/Berlin';
  const second = '2026-10-25T01:30:00.000Z';
  const start = { start_date: '2026-01-01T00:00:00', '_zone.start_date': berlin };

  /** The form of a voucher that ends in the repeated hour, with its hidden fields. */
  async function openForm(end_date = second) {
    const voucher = await createVoucher(app, merchant, { end_date });
    const page = `/console/vouchers/${voucher.id}`;
    const walker = await enter(berlin);
    const { text } = await walker.open(page);
    const hidden = Object.fromEntries(Object.entries(keptIn(text)).filter(([name]) => name.endsWith('.end_date')));
    const [, shown = ''] = /name="end_date"[^>]*value="([^"]*)"/.exec(text) ?? [];
    const send = (end: string, fields: Record<string, string> = {}) =>
      walker.submit(page, { ...termsOf(voucher), ...start, ...hidden, end_date: end, ...fields });
    return { voucher, shown, send };
  }

  test.each(['2026-10-25T02:30:00', '2026-10-25T02:30'])('a saved time stays the later one: %s', async (sent) => {
    const { voucher, shown, send } = await openForm();
    expect(shown).toBe('2026-10-25T02:30:00');
    expect([(await send(sent)).status, await storedEnd(voucher)]).toEqual([303, second]);
  });

  test('an earlier one stays the earlier one, and parts of a second stay', async () => {
    for (const end of ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.250Z']) {
      const { voucher, shown, send } = await openForm(end);
      expect([(await send(shown)).status, await storedEnd(voucher)]).toEqual([303, end]);
    }
  });

  test('another time is the first that the clocks show', async () => {
    const { voucher, send } = await openForm();
    expect([(await send('2026-10-25T02:31:00')).status, await storedEnd(voucher)]).toEqual([
      303,
      '2026-10-25T00:31:00.000Z',
    ]);
  });

  test('a refused form keeps the later one', async () => {
    const { shown, send } = await openForm();
    const { status, text } = await send(shown, { name: '' });
    expect([status, keptIn(text)['_instant.end_date']]).toEqual([422, second]);
  });
});

test('a refused form keeps the time as it was entered', async () => {
  const voucher = await createVoucher(app, merchant);
  const page = `/console/vouchers/${voucher.id}`;
  const walker = await enter(adelaide);
  await walker.open(page);
  const end = { end_date: '2030-01-31T12:00:00', '_zone.end_date': adelaide };
  const { status, text } = await walker.submit(page, { ...termsOf(voucher), name: '', start_date: 'soon', ...end });
  expect(status).toBe(422);
  expect(text).toMatch(/name="end_date"[^>]*value="2030-01-31T12:00:00"/);
});

test.each(['2030-01-01T25:00:00Z', '2030-13-01T00:00:00Z', '2030-02-30T00:00:00.Z'])(
  'a refused form keeps a text that is no time: %s',
  async (end_date) => {
    const voucher = await createVoucher(app, merchant);
    const page = `/console/vouchers/${voucher.id}`;
    const walker = await enter(adelaide);
    await walker.open(page);
    const { status, text } = await walker.submit(page, { ...termsOf(voucher), end_date, '_zone.end_date': adelaide });
    expect(status).toBe(422);
    expect(text).toContain(`value="${end_date}"`);
  },
);

test('a day that a merchant enters starts at midnight of the merchant’s clock, and is shown as that day', async () => {
  const consumer = await createConsumer(app, merchant);
  const walker = await enter('America/New_York');
  const zone = { '_zone.expires_at': 'America/New_York' };
  const item = await createItem(app, merchant);
  await walker.open(`/console/customers/${consumer.id}`);
  const fields = { item_id: String(item.id), expires_at: '2030-07-01', ...zone };
  expect((await walker.submit(`/console/customers/${consumer.id}/grant`, fields)).status).toBe(303);
  const { rows } = await app.pool.query<{ at: Date }>('SELECT expires_at AS at FROM accesses WHERE account_id = $1', [
    consumer.id,
  ]);
  expect(rows.map(({ at }) => at.toISOString())).toEqual(['2030-07-01T04:00:00.000Z']);
  const { text } = await walker.open(`/console/customers/${consumer.id}`);
  expect(text.replaceAll('\u00a0', ' ')).toContain('Jul 1, 2030');
});

test.each([
  [adelaide, /Since 2 Jul 2026, 01:45(?! \(UTC\))\s/],
  ['Mars/Olympus', /Since 1 Jul 2026, 16:15 \(UTC\)/],
  [undefined, /Since 1 Jul 2026, 16:15 \(UTC\)/],
])('in the portal, with the zone %s', async (zone, shown) => {
  const consumer = await createConsumer(app, merchant);
  const portal = `/portal/${merchant.uuid}`;
  const walker = new PageWalker(app, { 'Accept-Language': 'en-GB' });
  if (zone !== undefined) walker.keep('time_zone', zone);
  await walker.open(`${portal}/sign-in`);
  await walker.submit(`${portal}/sign-in`, { username: consumer.email, password });
  await app.pool.query(`UPDATE sessions SET created_at = '2026-07-01T16:15:00Z' WHERE account_id = $1`, [consumer.id]);
  expect((await walker.open(`${portal}/security`)).text).toMatch(shown);
});

test('a date of birth is the same day in every zone', async () => {
  const consumer = await createConsumer(app, merchant);
  await app.pool.query(`UPDATE accounts SET date_of_birth = '1990-05-01' WHERE id = $1`, [consumer.id]);
  const walker = new PageWalker(app, { 'Accept-Language': 'en-GB' });
  walker.keep('time_zone', 'America/New_York');
  await walker.open(`/portal/${merchant.uuid}/sign-in`);
  await walker.submit(`/portal/${merchant.uuid}/sign-in`, { username: consumer.email, password });
  expect((await walker.open(`/portal/${merchant.uuid}/profile`)).text).toContain('1 May 1990');
});

describeInBrowser('a browser', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test('sends its zone, and shows times on its clock from the next page on', async () => {
    const voucher = await createVoucher(app, merchant);
    const { page, context, complaints } = await chromium.newVisitor({ zone: adelaide });
    await page.goto(`${app.address}/console/sign-in`);
    await page.getByLabel('Email').fill(merchant.email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(`${app.address}/console/vouchers/${voucher.id}`);
    await page.locator('#field-end_date').fill('2030-01-31T12:00:00');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Saved.').waitFor();
    expect(await storedEnd(voucher)).toBe('2030-01-31T01:30:00.000Z');
    expect(complaints).toEqual([]);
    await context.close();
  });
});
