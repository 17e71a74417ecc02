import { ExportPath } from '../../../src/reports/exports/exports.schemas';
import { call } from '../../support/client';
import { consoleAddress, consolePaths, fillConsole, packageOf } from '../../support/consolePlaces';
import { createShop, type Shop } from '../../support/factories';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';

/** Every list of the console can be downloaded as a file. */

let app: TestApp;
let shop: Shop;
let walker: PageWalker;
let known: Record<string, string>;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  shop = await createShop(app);
  known = await fillConsole(app, shop);
  walker = await enterConsole(app, shop.merchant.email);
});

afterAll(() => app.stop());

/** Short lists whose page has the file, numbers of reports, whose rows have pages of their own, and samples of lists. */
const partsOfOthers = (path: string) =>
  ['/console', '/console/sign-in', '/console/sign-in/code', '/console/styleguide', '/console/styleguide/data'].includes(
    path,
  ) ||
  (path.startsWith('/console/reports') && !path.startsWith('/console/reports/schedules'));

const filesOn = (text: string) =>
  [...text.matchAll(/href="(\/console\/csv\/[^"]+)"/g)].map(([, address = '']) => address.replaceAll('&amp;', '&'));

const addresses = [...consolePaths.filter((path) => !partsOfOthers(path)), packageOf];
const addressOf = (path: string) =>
  path === packageOf ? `/console/items/${known[packageOf]}` : consoleAddress(path, known);
const seen = new Set<string>();

test.each(addresses)('%s: a file of each list, with its rows', async (path) => {
  const { status, text } = await walker.open(addressOf(path));
  expect(status).toBe(200);
  const files = filesOn(text);
  const lists = (text.match(/<table role="table"|<ol class="timeline/g) ?? []).length;
  const pagers = (text.match(/<nav class="pager/g) ?? []).length;
  expect(files.length).toBeGreaterThanOrEqual(Math.max(lists, pagers));
  for (const address of files) {
    const file = await walker.open(address);
    expect([address, file.status, file.headers.get('content-type')]).toEqual([address, 200, 'text/csv; charset=utf-8']);
    expect([address, file.text.trim().split('\r\n').length > 1]).toEqual([address, true]);
    seen.add(address.split('?')[0]?.slice('/console/csv/'.length) ?? '');
  }
});

test('there is no list as a file that no page leads to, but those behind the reports', () => {
  const unseen = ExportPath.shape.list.options.filter((name) => !seen.has(name));
  expect(unseen).toEqual([
    ...['movements', 'transitions', 'balances', 'journal'],
    ...['mrr-report', 'revenue-report', 'subscription-report', 'trial-report', 'dunning-report', 'cohort-report'],
  ]);
});

test('a file of what belongs to one thing holds what its page does, and nothing of another', async () => {
  const other = await call<{ id: number }>(
    app,
    'POST',
    '/v2/items',
    { title: 'Another', item_type: 'html_asset' },
    shop.merchant,
  );
  for (const list of ['access-codes', 'access-fees', 'domains']) {
    const rows = async (itemId: number) =>
      (await walker.open(`/console/csv/${list}?item_id=${itemId}`)).text.trim().split('\r\n').slice(1);
    expect([list, (await rows(shop.item.id)).length, await rows(other.body.id)]).toEqual([list, 1, []]);
  }
});

test('the file of the audit log holds what was looked for', async () => {
  const { text } = await walker.open('/console/audit?action=webhook.create');
  const [address = ''] = filesOn(text);
  const rows = (await walker.open(address)).text.trim().split('\r\n').slice(1);
  expect([rows.length, rows.every((row) => row.includes(',webhook.create,'))]).toEqual([1, true]);
});
