import { randomUUID } from 'node:crypto';
import {
  accessesOf,
  countsOf,
  customersOf,
  fileOf,
  importFile,
  newAddresses,
  nextYear,
} from '../../support/customerFiles';
import { call } from '../../support/client';
import { createShop, registration, type Shop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

/** An import happens once, however often and in whatever company it is sent. */

let app: TestApp;
let shop: Shop;
let addresses: string[];

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  shop = await createShop(app);
  addresses = newAddresses(20);
});

const rowsFor = (emails: readonly string[]) => emails.map((email) => [email, shop.item.id, nextYear]);
const file = (emails: readonly string[] = addresses) =>
  fileOf(['email', 'item_id', 'access_until'], ...rowsFor(emails));
/** The accounts are the merchant, the customer of the shop and the imported ones. */
const imported = { accounts: 22, accesses: 20, mails: 22 };

test('200: repeated with the same key, it is one import with one answer', async () => {
  const key = randomUUID();
  const first = await importFile(app, shop.merchant, file(), { key });
  const again = await importFile(app, shop.merchant, file(), { key });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect(await countsOf(app, shop.merchant)).toMatchObject(imported);
});

test('200: repeated without a key, nobody is created again and no access is given again', async () => {
  await importFile(app, shop.merchant, file());
  const before = await countsOf(app, shop.merchant);
  for (const dry_run of ['true', 'false']) {
    const { body } = await importFile(app, shop.merchant, file(), { fields: { dry_run } });
    expect(body).toMatchObject({ new_customers: 0, new_accesses: 0, known_accesses: 20, mails: 0 });
    expect(body.known_customers.map(({ email }) => email)).toEqual(addresses);
  }
  expect(await countsOf(app, shop.merchant)).toEqual(before);
});

test('200: a later end is new access, an earlier one is not, and revoked access is not given again', async () => {
  const [email = ''] = addresses;
  const until = (day: string) => fileOf(['email', 'item_id', 'access_until'], [email, shop.item.id, day]);
  const givenBy = async (day: string) => (await importFile(app, shop.merchant, until(day))).body.new_accesses;
  const [earlier, later] = [nextYear.replace('-06-', '-05-'), nextYear.replace('-06-', '-07-')];
  expect([await givenBy(nextYear), await givenBy(earlier), await givenBy(later)]).toEqual([1, 0, 1]);
  const { rows } = await app.pool.query<{ id: number }>('SELECT id FROM accesses WHERE merchant_id = $1', [
    shop.merchant.id,
  ]);
  for (const { id } of rows) await call(app, 'DELETE', `/items/access/${id}`, undefined, shop.merchant);
  expect([await givenBy(later), await givenBy(earlier)]).toEqual([0, 1]);
});

test('200: two imports at once, in opposite orders, create each customer and access once', async () => {
  const answers = await Promise.all([
    importFile(app, shop.merchant, file()),
    importFile(app, shop.merchant, file(addresses.toReversed())),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const sum = (read: (body: (typeof answers)[0]['body']) => number) =>
    answers.reduce((total, { body }) => total + read(body), 0);
  expect(sum((body) => body.new_customers)).toBe(20);
  expect(sum((body) => body.known_customers.length)).toBe(20);
  expect([sum((body) => body.new_accesses), sum((body) => body.known_accesses)]).toEqual([20, 20]);
  expect(await countsOf(app, shop.merchant)).toMatchObject(imported);
});

test('200: a customer who registers at the same time is one account, with the access', async () => {
  const [username = ''] = addresses;
  const [registered, answer] = await Promise.all([
    call(app, 'POST', '/accounts', { ...registration('consumer', shop.merchant.uuid), username }),
    importFile(app, shop.merchant, file()),
  ]);
  expect([200, 409]).toContain(registered.status);
  expect(answer.status).toBe(200);
  expect((await customersOf(app, shop.merchant)).filter(({ email }) => email === username)).toHaveLength(1);
  expect(await accessesOf(app, shop.merchant)).toHaveLength(20);
});
