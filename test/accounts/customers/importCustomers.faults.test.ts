import {
  accessesOf,
  countsOf,
  fileOf,
  importFile,
  newAddress,
  newAddresses,
  nextYear,
} from '../../support/customerFiles';
import { call } from '../../support/client';
import { createItem, createMerchant, createShop, type Shop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

/** A file with a fault is refused as a whole. */

let app: TestApp;
let shop: Shop;
let foreignItem: number;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app);
  foreignItem = (await createItem(app, await createMerchant(app))).id;
});
afterAll(() => app.stop());

type Found = readonly [line: number, column: string | undefined, reason: string];

/** What both a dry run and an import find. */
async function faultsOf(csv: string): Promise<Found[]> {
  const before = await countsOf(app, shop.merchant);
  const checked = await importFile(app, shop.merchant, csv, { fields: { dry_run: 'true' } });
  expect(checked.status).toBe(200);
  const { faults } = checked.body;
  const refused = await importFile(app, shop.merchant, csv);
  expect([refused.status, refused.body.error]).toEqual([422, 'invalid_input']);
  const errors = faults.map(({ line, column, message }) => [
    `csv.${line}${column === undefined ? '' : `.${column}`}`,
    `Line ${line}${column === undefined ? '' : `, column ${column}`}: ${message}`,
  ]);
  expect(refused.body.errors).toEqual(Object.fromEntries(errors));
  expect(await countsOf(app, shop.merchant)).toEqual(before);
  return faults.map(({ line, column, reason }) => [line, column, reason]);
}

const good = newAddress();
const access = ['email', 'item_id', 'access_until'];
const manyFields = (count: number) => {
  const names = Array.from({ length: count }, (_, index) => `metadata.f${index}`);
  return fileOf(['email', ...names], [good, ...names.map(() => 'a')]);
};

test.each<[string, string, readonly Found[]]>([
  ['an empty file', ' \n', [[1, undefined, 'no_rows']]],
  ['no rows', 'email\n', [[2, undefined, 'no_rows']]],
  ['no column of addresses', 'full_name\nAna', [[1, 'email', 'column_missing']]],
  [
    'unknown and repeated columns',
    'email,password,EMAIL,Full_Name,full_name\na,b,c,d,e',
    [
      [1, 'password', 'column_unknown'],
      [1, 'email', 'column_repeated'],
      [1, 'full_name', 'column_repeated'],
    ],
  ],
  ['a cell too few', `email,full_name\n${good}`, [[2, undefined, 'cells']]],
  ['a cell too many', `email,full_name\n${good},Ana,B`, [[2, undefined, 'cells']]],
  ['no address', `email,full_name\n,Ana`, [[2, 'email', 'required']]],
  ['a wrong address', `email\n${good}\nana@example`, [[3, 'email', 'email_invalid']]],
  ['an address twice', `email\n${good}\n${good.toUpperCase()}`, [[3, 'email', 'repeated']]],
  ['a name too long', `email,full_name\n${good},${'a'.repeat(251)}`, [[2, 'full_name', 'too_long']]],
  ['a birthday to come', `email,date_of_birth\n${good},${nextYear}`, [[2, 'date_of_birth', 'date_future']]],
  ['a card number', `email,full_name\n${good},4242 4242 4242 4242`, [[2, 'full_name', 'card_number']]],
  ['a quote inside a text', `email,full_name\n${good},Ana "A"`, [[2, undefined, 'unreadable']]],
  ['a quote without its end', `email,full_name\n\n${good},"Ana\n${newAddress()},Ben`, [[3, undefined, 'unreadable']]],
  [
    'a fault below a text of three lines',
    `email,full_name\r\n${good},"A\r\nn\r\na"\r\n\r\nnobody,Ben\r\n`,
    [[6, 'email', 'email_invalid']],
  ],
  [
    'faults in several rows, in the order of the file',
    `email\nx\n${good}\n${good}\ny`,
    [
      [2, 'email', 'email_invalid'],
      [4, 'email', 'repeated'],
      [5, 'email', 'email_invalid'],
    ],
  ],
  ['a name of metadata that is forbidden', `email,metadata.a b\n${good},1`, [[2, 'metadata.a b', 'field_name']]],
  ['51 names of metadata', manyFields(51), [[2, 'metadata', 'too_many_fields']]],
  ['an address with an invisible character', 'email\nana\u200b@example.com', [[2, 'email', 'email_invisible']]],
  ['an address of 255 characters', `email\n${'a'.repeat(243)}@example.com`, [[2, 'email', 'too_long']]],
  ['a referrer too long', `email,referrer\n${good},${'a'.repeat(2001)}`, [[2, 'referrer', 'too_long']]],
  ['an answer too long', `email,metadata.a\n${good},${'a'.repeat(2001)}`, [[2, 'metadata.a', 'too_long']]],
  ['a birthday that is no date', `email,date_of_birth\n${good},May 1990`, [[2, 'date_of_birth', 'date_invalid']]],
  ['a birthday in 1899', `email,date_of_birth\n${good},1899-12-31`, [[2, 'date_of_birth', 'date_range']]],
])('422 invalid_input: %s', async (_what, csv, faults) => expect(await faultsOf(csv)).toEqual(faults));

test.each<[string, (itemId: number) => string, readonly Found[]]>([
  ['an item of nobody', () => fileOf(access, [good, 2_000_000_000, nextYear]), [[2, 'item_id', 'item_unknown']]],
  [
    'an item of another merchant',
    () => fileOf(access, [good, foreignItem, nextYear]),
    [[2, 'item_id', 'item_unknown']],
  ],
  ['an item that is no number', () => fileOf(access, [good, 'final', nextYear]), [[2, 'item_id', 'id_invalid']]],
  ['an item without an end', (item) => fileOf(access, [good, item, '']), [[2, 'access_until', 'required']]],
  [
    'an item without a column of ends',
    (item) => fileOf(['email', 'item_id'], [good, item]),
    [[2, 'access_until', 'required']],
  ],
  ['an end without an item', () => fileOf(access, [good, '', nextYear]), [[2, 'item_id', 'required']]],
  [
    'a day that does not exist',
    (item) => fileOf(access, [good, item, '2031-02-30']),
    [[2, 'access_until', 'date_invalid']],
  ],
  ['a day of another form', (item) => fileOf(access, [good, item, '30.6.2031']), [[2, 'access_until', 'date_invalid']]],
  ['a past day', (item) => fileOf(access, [good, item, '2020-01-31']), [[2, 'access_until', 'date_past']]],
  [
    'a day that clients cannot read',
    (item) => fileOf(access, [good, item, '2040-01-01']),
    [[2, 'access_until', 'date_past']],
  ],
  [
    'the same access twice',
    (item) => fileOf(access, [good, item, nextYear], [good, item, nextYear]),
    [[3, 'email', 'repeated']],
  ],
])('422 invalid_input: %s', async (_what, csv, faults) => expect(await faultsOf(csv(shop.item.id))).toEqual(faults));

test('422 invalid_input: rows of a customer that contradict each other', async () => {
  const second = await createItem(app, shop.merchant);
  const columns = ['email', 'full_name', 'metadata.city', 'item_id', 'access_until'];
  const csv = fileOf(
    columns,
    [good, 'Ana', 'Bitola', shop.item.id, nextYear],
    [good, 'Anna', 'Skopje', second.id, nextYear],
  );
  expect(await faultsOf(csv)).toEqual([
    [3, 'full_name', 'differs'],
    [3, 'metadata.city', 'differs'],
  ]);
});

test('422 invalid_input: an answer that a registration question does not offer', async () => {
  const question = { name: 'club', label: 'Your club', type: 'select', options: { a: 'A' } };
  expect((await call(app, 'POST', '/accounts/register-field', question, shop.merchant)).status).toBe(200);
  expect(await faultsOf(`email,metadata.club\n${good},b`)).toEqual([[2, 'metadata.club', 'option_unknown']]);
});

test('200: a fault has the limit or the answers that its sentence names', async () => {
  const question = { name: 'team', label: 'Your team', type: 'select', options: { red: 'Red', blue: 'Blue' } };
  expect((await call(app, 'POST', '/accounts/register-field', question, shop.merchant)).status).toBe(200);
  const csv = `email,full_name,metadata.team\n${good},${'a'.repeat(251)},red\n${newAddress()},Ben,green`;
  const { body } = await importFile(app, shop.merchant, csv, { fields: { dry_run: 'true' } });
  expect(body.faults).toMatchObject([
    { line: 2, reason: 'too_long', limit: 250 },
    { line: 3, reason: 'option_unknown', allowed: ['red', 'blue'] },
  ]);
});

test('422 invalid_input: access of a customer who is deactivated', async () => {
  const { merchant, consumer, item } = shop;
  await call(app, 'DELETE', '/accounts', { customerID: consumer.id }, merchant);
  expect(await faultsOf(fileOf(access, [consumer.email, item.id, nextYear]))).toEqual([[2, 'email', 'inactive']]);
  expect(await accessesOf(app, merchant)).toEqual([]);
});

test('422 invalid_input: 501 rows', async () => {
  const addresses = newAddresses(501).map((email) => [email]);
  expect(await faultsOf(fileOf(['email'], ...addresses))).toEqual([[502, undefined, 'too_many_rows']]);
});

test('413 body_too_large: a file of more than 100 kB', async () => {
  const { status } = await importFile(app, shop.merchant, `email\n${'a'.repeat(103_000)}`);
  expect(status).toBe(413);
});

test('an address that its former customer can still take back', async () => {
  const { consumer, merchant, item } = shop;
  const former = newAddress();
  await app.pool.query(
    `INSERT INTO email_changes (merchant_id, account_id, email, former_email, former_email_normalized, session_id, confirm_hash,
       expires_at, confirmed_at, undo_until)
     VALUES ($1, $2, $3, $4, $4, gen_random_uuid(), sha256(convert_to($4, 'UTF8')), now(), now(), now() + interval '7 days')`,
    [merchant.id, consumer.id, consumer.email, former],
  );
  expect(await faultsOf(fileOf(access, [former, item.id, nextYear]))).toEqual([[2, 'email', 'address_held']]);
  await app.pool.query('UPDATE email_changes SET undo_until = now() WHERE former_email = $1', [former]);
  const imported = await importFile(app, merchant, fileOf(access, [former, item.id, nextYear]));
  expect(imported.body).toMatchObject({ new_customers: 1, new_accesses: 1 });
});
