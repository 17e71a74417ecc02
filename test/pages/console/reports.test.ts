import { call } from '../../support/client';
import { type Chromium, describeInBrowser, startChromium, type Visitor } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createConsumer, createShop, type Shop } from '../../support/factories';
import { dayAhead, live, startStory } from '../../support/reporting';
import { startApp, type TestApp } from '../../support/startApp';
import { tell } from '../../support/visits';
import { definitionIn } from '../../../src/reports/definitions';

let app: TestApp;
let chromium: Chromium;

beforeAll(async () => void (app = await startApp()));
afterAll(() => app.stop());

/** Two subscribe for 10.00 a month; one renews, the other does not pay and is put on hold. */
async function twoLives(): Promise<Shop> {
  const shop = await createShop(app, { amount: '10.00' });
  const other = { ...shop, consumer: await createConsumer(app, shop.merchant) };
  await live(await startStory(app, shop), [
    ['begin', 0],
    ['rebill', 31],
  ]);
  await live(await startStory(app, other), [
    ['begin', 0],
    ['nextPeriod', 31],
    ['fail', 31],
    ['hold', 38],
  ]);
  return shop;
}

describeInBrowser('reports in the console', () => {
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const { open, look, enter } = consoleVisitor(
    () => app,
    () => visitor,
  );
  const tile = (name: string) =>
    visitor.page
      .locator('.stat', { has: visitor.page.getByText(name, { exact: true }) })
      .locator('dd')
      .innerText();

  test('the numbers are those of the rows behind them', async () => {
    const shop = await twoLives();
    visitor = await chromium.newVisitor();
    const { page } = visitor;
    await enter(shop.merchant.email);
    // From the day before, because midnight can pass after the story.
    await open(`/console/reports?from=${dayAhead(-1)}&to=${dayAhead(39)}&interval=week`);
    const shown = Object.fromEntries(
      await Promise.all(
        [
          'Monthly recurring revenue',
          'Annual recurring revenue',
          'Revenue',
          'Net revenue',
          'Active subscriptions',
          'New',
          'Churned',
          'Churn rate',
          'Paying customers',
        ].map(async (name) => [name, await tile(name)] as const),
      ),
    );
    expect(shown).toEqual({
      'Monthly recurring revenue': '€10.00',
      'Annual recurring revenue': '€120.00',
      Revenue: '€30.00',
      'Net revenue': '€30.00',
      'Active subscriptions': '1',
      New: '2',
      Churned: '1',
      'Churn rate': '–',
      'Paying customers': '1',
    });
    await look('console-reports');
    await page.locator('.stat').getByRole('link', { name: 'Revenue', exact: true }).click();
    await page.getByText('Total: €30.00').waitFor();
    await page.waitForLoadState();
    expect(await page.locator('tbody tr').count()).toBe(3);
    expect(await page.locator('tbody tr', { hasText: shop.consumer.email }).count()).toBe(2);
    await look('console-report-transactions');
    await open(`/console/reports/movements?to=${dayAhead(39)}&currency=EUR`);
    await page.getByText('Total: €10.00').waitFor();
    expect(await page.locator('tbody td.amount').allInnerTexts()).toEqual(
      expect.arrayContaining(['€10.00', '-€10.00']) as string[],
    );
    await look('console-report-movements');
    await open(`/console/reports/transitions?to=${dayAhead(39)}&state=active`);
    // Those who became active, less those who are no longer active.
    const active = (column: number) => page.locator(`tbody td:nth-child(${column})`, { hasText: 'Active' }).count();
    expect((await active(5)) - (await active(4))).toBe(1);
    await look('console-report-transitions');
  });

  test('a range that is none is said beside its field', async () => {
    const shop = await createShop(app);
    visitor = await chromium.newVisitor();
    await enter(shop.merchant.email);
    await open('/console/reports');
    await look('console-reports-empty');
    await open('/console/reports?from=2026-02-01&to=2026-01-01');
    await visitor.page.getByRole('alert').waitFor();
    visitor.complaints.length = 0;
    await look('console-reports-refused');
  });

  test('the audience: who looked, on what, and how many of them paid', async () => {
    const shop = await createShop(app, { amount: '10.00' });
    await live(await startStory(app, shop), [['begin', 0]]);
    const desktop = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36';
    const item_id = shop.item.id;
    for (const session_id of ['a', 'b', 'c'])
      await tell(app, shop.consumer, { type: 'paywall_view', session_id, item_id });
    await tell(app, shop.consumer, { type: 'checkout_start', session_id: 'a', item_id });
    await tell(app, shop.consumer, { type: 'preview_view', session_id: 'd', item_id }, desktop);
    visitor = await chromium.newVisitor();
    const { page } = visitor;
    await enter(shop.merchant.email);
    await open('/console/reports');
    await page.getByRole('link', { name: 'Audience' }).click();
    await page.waitForLoadState();
    expect([
      await tile('Visited'),
      await tile('Registered'),
      await tile('Started checkout'),
      await tile('Purchased'),
    ]).toEqual(['4', '1', '1', '1']);
    await page.getByText('25% of the previous step').waitFor();
    await page.getByRole('row', { name: 'Mobile' }).getByText('75%').waitFor();
    await page.getByRole('row', { name: 'Desktop' }).getByText('25%').waitFor();
    const seen = page.getByRole('region', { name: 'Activity by item' }).locator('tbody td');
    expect(await seen.allInnerTexts()).toEqual(['1', '3', '1', '0', '0']);
    await look('console-audience');
    await open('/console/reports/audience?from=soon');
    await page.getByRole('alert').waitFor();
  });

  test('in Arabic, with what the numbers mean', async () => {
    const shop = await twoLives();
    visitor = await chromium.newVisitor();
    const { page } = visitor;
    await enter(shop.merchant.email);
    await open(`/console/reports?lang=ar&from=${dayAhead(0)}&to=${dayAhead(39)}`);
    await page.locator('summary', { hasText: 'التعريفات: الملخص' }).press('Enter');
    await page.getByText('اثنا عشر ضعف الإيراد الشهري المتكرر.').waitFor();
    await look('console-reports-ar');
    await open('/console/reports/audience');
    await look('console-audience-ar');
  });
});

test('what every number means is said in Arabic, too', async () => {
  const { merchant } = await createShop(app);
  const { body } = await call<{ collection: { name: string }[] }>(
    app,
    'GET',
    '/reporting/definitions',
    undefined,
    merchant,
  );
  const untold = body.collection.filter(({ name }) => definitionIn('ar', name) === undefined);
  expect([body.collection.length > 20, untold]).toEqual([true, []]);
});
