import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import {
  accessesOf,
  countsOf,
  customersOf,
  fileOf,
  newAddress,
  newAddresses,
  nextYear,
} from '../../support/customerFiles';
import { createShop, type Shop } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** The import of customers in the console. */

const address = '/console/customers/import';

let app: TestApp;
let shop: Shop;
let walker: PageWalker;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  shop = await createShop(app);
  walker = await enterConsole(app, shop.merchant.email);
  await walker.open(address);
});

const columns = ['email', 'full_name', 'item_id', 'access_until'];
const formIn = (text: string, name: string) =>
  new RegExp(`<form[^>]*name="${name}"[^]*?name="_form" value="([^"]+)"`).exec(text)?.[1];
const numbersIn = (text: string) => [...text.matchAll(/<dd>(\d+)<\/dd>/g)].map(([, number]) => Number(number));

test('200: a file is checked without any change, and imported once for each form', async () => {
  const rows = newAddresses(2).map((email) => [email, 'Ana <Petrova>', shop.item.id, nextYear]);
  const csv = fileOf(columns, ...rows, [shop.consumer.email, '', '', '']);
  const before = await countsOf(app, shop.merchant);
  const checked = await walker.submit(address, { csv, send_mails: 'true' });
  expect([checked.status, numbersIn(checked.text)]).toEqual([200, [3, 2, 1, 2, 0, 2]]);
  expect(checked.text).toContain('Import 2 customers');
  expect(checked.text).toContain('Ana &lt;Petrova&gt;');
  expect(checked.text).toContain(`<span>${shop.consumer.email}</span>`);
  expect(await countsOf(app, shop.merchant)).toEqual(before);
  const sent = { csv, send_mails: 'true', step: 'import', _form: formIn(checked.text, 'import') ?? '' };
  const answers = [...(await Promise.all([walker.submit(address, sent), walker.submit(address, sent)]))];
  for (const { status, text } of [...answers, await walker.submit(address, sent)])
    expect([status, numbersIn(text), text.includes('The import is complete.')]).toEqual([
      200,
      [3, 2, 1, 2, 0, 2],
      true,
    ]);
  expect(await accessesOf(app, shop.merchant)).toHaveLength(2);
  expect(await customersOf(app, shop.merchant)).toHaveLength(3);
});

test('200: a file with faults shows each with its line and column, and cannot be imported', async () => {
  const csv = fileOf(columns, ['nobody', '', '', ''], [newAddress(), '', 2_000_000_000, nextYear]);
  const { status, text } = await walker.submit(address, { csv });
  expect(status).toBe(200);
  expect(text).toContain('The file has 2 faults.');
  const rows = [...text.matchAll(/<tr role="row">\s*<th scope="row"[^>]*>Line (\d+)<\/th>\s*<td[^>]*>(.*?)<\/td>/g)];
  expect(rows.map(([, line, column]) => [line, column])).toEqual([
    ['2', 'email'],
    ['3', 'item_id'],
  ]);
  expect(text).toContain('You have no item with this ID.');
  expect(formIn(text, 'import')).toBeUndefined();
  expect(text).toContain('nobody');
});

/** A file with every refusal of a value, and the lines with it. */
const refusedValues = () => {
  const day = '2030-01-01';
  const lines = [
    ['nobody', '', '', ''],
    ['ana\u200b@example.com', '', '', ''],
    [newAddress(), 'a'.repeat(251), '', ''],
    [newAddress(), '', 'final', nextYear],
    [newAddress(), '', shop.item.id, '30.6.2031'],
    [newAddress(), '', shop.item.id, '1899-12-31'],
  ];
  const others = lines.map((cells) => [...cells, '', '']);
  const born = [newAddress(), '', '', '', '2100-01-01', ''];
  return fileOf([...columns, 'date_of_birth', 'metadata.a b'], ...others, born, [newAddress(), '', '', '', '', day]);
};

test.each([
  [
    'en',
    [
      'This is not an email address.',
      'This email address contains invisible characters.',
      'This cell has more than 250 characters.',
      'This is not an ID.',
      'This is not a date.',
      'This year cannot be right.',
      'This date is in the future.',
      'The name of this column has characters that are not allowed.',
    ],
  ],
  [
    'ar',
    [
      'هذا ليس عنوان بريد إلكتروني.',
      'يحتوي عنوان البريد الإلكتروني على أحرف غير مرئية.',
      'في هذه الخلية أكثر من 250 حرفًا.',
      'هذا ليس معرّفًا.',
      'هذا ليس تاريخًا.',
      'لا يمكن أن تكون هذه السنة صحيحة.',
      'هذا التاريخ في المستقبل.',
      'في اسم هذا العمود أحرف غير مسموح بها.',
    ],
  ],
])('200: each refused value has its own sentence, in %s', async (language, sentences) => {
  await walker.open(`${address}?lang=${language}`);
  const { text } = await walker.submit(address, { csv: refusedValues() });
  expect(sentences.filter((sentence) => !text.includes(sentence))).toEqual([]);
  expect(text).not.toContain('تحقق من هذه القيمة');
});

test('200: a file that has got a fault since it was checked changes nothing, and shows the fault', async () => {
  const before = await countsOf(app, shop.merchant);
  const { text } = await walker.submit(address, { csv: 'email\nnobody', step: 'import' });
  expect(text).toContain('The file has 1 fault.');
  expect(await countsOf(app, shop.merchant)).toEqual(before);
});

test('200: nothing to import, and no mails', async () => {
  const csv = fileOf(['email'], [shop.consumer.email]);
  const { text } = await walker.submit(address, { csv });
  expect(text).toContain('There is nothing to import');
  expect(formIn(text, 'import')).toBeUndefined();
  const other = fileOf(['email'], [newAddress()]);
  expect(numbersIn((await walker.submit(address, { csv: other })).text)).toEqual([1, 1, 0, 0, 0, 0]);
});

test('422: no rows; the field says so', async () => {
  const { status, text } = await walker.submit(address, { csv: '', send_mails: 'true' });
  expect(status).toBe(422);
  expect(text).toContain('id="field-csv-error"');
});

test('200: the example can be imported as it is', async () => {
  const example = await walker.open(`${address}/example`);
  expect([example.headers.get('content-type'), example.headers.get('content-disposition')]).toEqual([
    'text/csv; charset=utf-8',
    'attachment; filename="customers.csv"',
  ]);
  await walker.open(address);
  const { text } = await walker.submit(address, { csv: example.text });
  expect(numbersIn(text)).toEqual([1, 1, 0, 1, 0, 0]);
});

test('403: who may not add customers has no import; who may not give access imports customers only', async () => {
  const reader = await enterConsole(app, (await createFollower(app, shop.merchant, ['accounts:read'])).email);
  expect((await reader.open('/console/customers')).text).not.toContain(`href="${address}"`);
  expect((await reader.open(address)).status).toBe(403);
  expect((await walker.open('/console/customers')).text).toContain(`href="${address}"`);
  const { email } = await createFollower(app, shop.merchant, ['accounts:read', 'accounts:write']);
  const writer = await enterConsole(app, email);
  expect((await writer.open(address)).text).toContain('you do not have permission to give them access');
  expect((await writer.open(`${address}/example`)).text.trim()).not.toContain('item_id');
  await writer.open(address);
  const csv = fileOf(columns, [newAddress(), '', shop.item.id, nextYear]);
  expect((await writer.submit(address, { csv })).status).toBe(422);
  expect((await writer.submit(address, { csv: fileOf(['email'], [newAddress()]) })).text).toContain(
    'Import 1 customer',
  );
});

describeInBrowser('the import', () => {
  let chromium: Chromium;
  let folder: string;
  beforeAll(async () => {
    chromium = await startChromium();
    folder = mkdtempSync(path.join(tmpdir(), 'import-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await chromium.close();
  });

  const stored = (name: string, bytes: string | Buffer) => {
    const file = path.join(folder, name);
    writeFileSync(file, bytes);
    return file;
  };

  /** Waits until the script has copied the file. */
  const choose = async ({ page }: Visitor, file: string, text: string) => {
    await page.getByLabel('CSV file').setInputFiles(file);
    await until(async () => (await page.getByLabel('Rows of the file').inputValue()) === text);
  };

  test('200: a file is chosen, checked, corrected and imported, accessible and fit for a phone', async () => {
    const visitor = await chromium.newVisitor();
    const { page } = visitor;
    const { open, enter } = consoleVisitor(
      () => app,
      () => visitor,
    );
    await enter(shop.merchant.email);
    await open('/console/customers');
    await page.getByRole('link', { name: 'Import' }).press('Enter');
    expect(await faultsOf(visitor, 'import')).toEqual([]);
    const wrong = fileOf(columns, [newAddress(), 'Müller', shop.item.id, '2020-01-01'], ['nobody', 'Ben', '', '']);
    await choose(visitor, stored('wrong.csv', Buffer.from(wrong, 'latin1')), wrong);
    await page.getByRole('button', { name: 'Check' }).press('Enter');
    await page.getByText('The file has 2 faults.').waitFor();
    expect(await faultsOf(visitor, 'import-faults')).toEqual([]);
    await choose(visitor, stored('large.csv', 'x'.repeat(100_001)), '');
    await page.getByText('The file is larger than 100 kB.').waitFor();
    const right = fileOf(columns, [newAddress(), 'Ana', shop.item.id, nextYear], [shop.consumer.email, '', '', '']);
    await choose(visitor, stored('right.csv', right), right);
    await page.getByText('The file is larger than 100 kB.').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Check' }).press('Enter');
    await page.getByText('The file can be imported.').waitFor();
    expect(await faultsOf(visitor, 'import-checked')).toEqual([]);
    await page.getByRole('button', { name: 'Import 1 customer' }).press('Enter');
    await page.getByText('The import is complete.').waitFor();
    expect(await faultsOf(visitor, 'import-done')).toEqual([]);
    expect(await accessesOf(app, shop.merchant)).toHaveLength(1);
    await visitor.context.close();
  });

  test('200: in Arabic', async () => {
    const visitor = await chromium.newVisitor({ language: 'ar' });
    const { page } = visitor;
    const cookie = walker.cookies.split('; ').find((each) => each.startsWith('console='));
    await visitor.context.addCookies([{ name: 'console', value: cookie?.slice(8) ?? '', url: app.address }]);
    await page.goto(`${app.address}${address}`);
    expect(await faultsOf(visitor, 'import-ar')).toEqual([]);
    await page.locator('#field-csv').fill('email\nnobody');
    await page.locator('form[name="check"] button[type="submit"]').press('Enter');
    await page.getByText('في الملف خطأ واحد').waitFor();
    expect(await faultsOf(visitor, 'import-faults-ar')).toEqual([]);
    await page.locator('#field-csv').fill(fileOf(['email'], ...newAddresses(3).map((email) => [email])));
    await page.locator('form[name="check"] button[type="submit"]').press('Enter');
    await page.locator('form[name="import"] button[type="submit"]').press('Enter');
    await page.getByText('اكتمل الاستيراد.').waitFor();
    expect(await faultsOf(visitor, 'import-done-ar')).toEqual([]);
    await visitor.context.close();
  });
});
