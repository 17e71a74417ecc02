import { check } from '../../support/access';
import {
  accessesOf,
  countsOf,
  customersOf,
  fileOf,
  importFile,
  newAddress,
  newAddresses,
  nextYear,
} from '../../support/customerFiles';
import { createConsumer, createItem, createMerchant, createShop, password } from '../../support/factories';
import { auditOf, createFollower, signIn } from '../../support/followers';
import { mailsTo, receives, tokenIn } from '../../support/mailbox';
import { call } from '../../support/client';
import { createRole, createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';
import { createWebhook } from '../../support/webhooks';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('200: customers with their data and access until its end, each with a mail, entries in the log and events', async () => {
  const { merchant, item, consumer } = await createShop(app);
  await createWebhook(app, merchant);
  const [ana, ben] = newAddresses(2).sort();
  const columns = ['access_until', 'Email', 'full_name', 'item_id', 'referrer', 'date_of_birth', 'metadata.City'];
  const csv = fileOf(
    columns,
    [nextYear, String(ana), 'Ana Petrova', item.id, 'https://old.example', '1990-12-31', 'Bitola'],
    ['', String(ben), '', '', '', '', ''],
  );
  const { status, body } = await importFile(app, merchant, csv);
  expect([status, body]).toEqual([
    200,
    {
      dry_run: false,
      rows: 2,
      new_customers: 2,
      known_customers: [],
      new_accesses: 1,
      known_accesses: 0,
      mails: 2,
      faults: [],
    },
  ]);
  expect((await customersOf(app, merchant)).filter(({ email }) => email !== consumer.email)).toEqual([
    {
      email: ana,
      name: 'Ana Petrova',
      referrer: 'https://old.example',
      born: '1990-12-31',
      metadata: { City: 'Bitola' },
    },
    { email: ben, name: ben, referrer: '', born: null, metadata: {} },
  ]);
  expect(await accessesOf(app, merchant)).toEqual([{ email: ana, item: item.id, until: nextYear }]);
  for (const to of [String(ana), String(ben)])
    expect((await mailsTo(app, merchant, to)).map(({ template }) => template)).toEqual(['activation']);
  const logged = (await auditOf(app, merchant)).slice(0, 3).map(({ action }) => action);
  expect(logged).toEqual(['access.grant', 'account.create', 'account.create']);
  const { findBrokenLink } = await import('../../../src/audit/audit.js');
  expect(await findBrokenLink(merchant.id)).toBeUndefined();
  const text = 'SELECT type FROM events WHERE merchant_id = $1 ORDER BY sequence';
  const events = (await app.pool.query<{ type: string }>(text, [merchant.id])).rows.map(({ type }) => type);
  expect(events).toEqual(['customer.registered', 'customer.registered', 'access.granted']);
});

test('200: nobody knows the password; the mail of a new password opens the account and its access', async () => {
  const { merchant, item } = await createShop(app);
  const email = newAddress();
  await importFile(app, merchant, fileOf(['email', 'item_id', 'access_until'], [email, item.id, nextYear]));
  await expect(signIn(app, email, merchant.uuid)).rejects.toThrow('answered 401');
  await call(app, 'POST', '/accounts/forgot-password', { email, merchant_uuid: merchant.uuid });
  const token = tokenIn(await receives(app, merchant, email, 'password_reset'));
  await call(app, 'PUT', `/accounts/forgot-password/${token}`, { password, password_confirmation: password });
  const customer = await signIn(app, email, merchant.uuid);
  expect((await check(app, item.id, customer)).status).toBe(200);
});

test('200: a dry run tells what an import would do, and writes nothing', async () => {
  const { merchant, item, consumer } = await createShop(app);
  const before = await countsOf(app, merchant);
  const csv = fileOf(
    ['email', 'item_id', 'access_until'],
    [newAddress(), item.id, nextYear],
    [consumer.email.toUpperCase(), item.id, nextYear],
    [newAddress(), '', ''],
    ['nobody', '', ''],
  );
  const { status, body } = await importFile(app, merchant, csv, { fields: { dry_run: 'true' } });
  expect([status, body]).toMatchObject([
    200,
    {
      dry_run: true,
      rows: 4,
      new_customers: 2,
      known_customers: [{ line: 3, email: consumer.email.toUpperCase() }],
      new_accesses: 2,
      known_accesses: 0,
      mails: 2,
      faults: [{ line: 5, column: 'email', reason: 'email_invalid' }],
    },
  ]);
  expect(await countsOf(app, merchant)).toEqual(before);
});

test('200: known customers are not changed, and get the access of their rows', async () => {
  const { merchant, item, consumer } = await createShop(app);
  const known = await customersOf(app, merchant);
  const columns = ['email', 'full_name', 'item_id', 'access_until'];
  const csv = fileOf(columns, [consumer.email, 'Another Name', item.id, nextYear]);
  const { body } = await importFile(app, merchant, csv);
  const { email } = consumer;
  expect(body).toMatchObject({ new_customers: 0, known_customers: [{ line: 2, email }], new_accesses: 1, mails: 0 });
  expect(await customersOf(app, merchant)).toEqual(known);
  expect((await check(app, item.id, consumer)).status).toBe(200);
});

test('200: the merchant’s own address and a customer of another merchant are no known customers', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  const { email } = await createConsumer(app, other);
  const { body } = await importFile(app, merchant, fileOf(['email'], [email], [merchant.email]));
  expect(body).toMatchObject({ new_customers: 2, known_customers: [] });
});

test('200: a customer with several rows gets access to each item, and one mail', async () => {
  const { merchant, item } = await createShop(app);
  const second = await createItem(app, merchant);
  const email = newAddress();
  const csv = fileOf(
    ['email', 'full_name', 'item_id', 'access_until'],
    [email, 'Ana', item.id, nextYear],
    [email, '', second.id, nextYear],
  );
  const { body } = await importFile(app, merchant, csv);
  expect(body).toMatchObject({ rows: 2, new_customers: 1, new_accesses: 2, mails: 1 });
  expect((await accessesOf(app, merchant)).map((access) => access.item)).toEqual([item.id, second.id]);
});

test('200: no mails if send_mails is false', async () => {
  const merchant = await createMerchant(app);
  const email = newAddress();
  const { body } = await importFile(app, merchant, fileOf(['email'], [email]), { fields: { send_mails: 'false' } });
  expect(body).toMatchObject({ new_customers: 1, mails: 0 });
  expect(await mailsTo(app, merchant, email)).toEqual([]);
});

test.each([
  ['semicolons and a byte order mark', '\uFEFFemail;full_name\r\n$;"Petrova; Ana"\r\n', 'Petrova; Ana'],
  ['tabs', 'email\tfull_name\n$\tAna\n', 'Ana'],
  ['the line ends of old programs', 'email,full_name\r$,Ana\r', 'Ana'],
  ['empty lines and columns', 'email,full_name,,\r\n\r\n$,Ana,,\r\n,,,\r\n', 'Ana'],
  ['a quoted text with quotes', 'email,full_name\r\n$,"Ana ""A"" Petrova"\r\n', 'Ana "A" Petrova'],
  ['a text that our own files protect', `email,full_name\r\n$,'=Ana\r\n`, '=Ana'],
  ['letters of other alphabets', 'email,full_name\r\n$,آنا\r\n', 'آنا'],
])('200: a file with %s', async (_what, csv, name) => {
  const merchant = await createMerchant(app);
  const email = newAddress();
  const { body } = await importFile(app, merchant, csv.replace('$', email));
  expect(body).toMatchObject({ rows: 1, new_customers: 1, faults: [] });
  expect(await customersOf(app, merchant)).toMatchObject([{ email, name }]);
});

test('200: cells whose numbers would only together be a card number', async () => {
  const merchant = await createMerchant(app);
  const csv = fileOf(['email', 'full_name', 'referrer'], [newAddress(), '4242 4242', '4242 4242']);
  expect((await importFile(app, merchant, csv)).body).toMatchObject({ new_customers: 1 });
});

test('200: 500 customers with access, in one transaction', async () => {
  const { merchant, item } = await createShop(app);
  const rows = newAddresses(500).map((email) => [email, item.id, nextYear]);
  const { status, body } = await importFile(app, merchant, fileOf(['email', 'item_id', 'access_until'], ...rows));
  expect([status, body]).toMatchObject([200, { new_customers: 500, new_accesses: 500, mails: 500 }]);
  const { findBrokenLink } = await import('../../../src/audit/audit.js');
  expect(await findBrokenLink(merchant.id)).toBeUndefined();
  expect(await countsOf(app, merchant)).toMatchObject({ accounts: 502, accesses: 500 });
});

test('403 forbidden: a file with access needs items:write, and says so; a file without does not', async () => {
  const { merchant, item } = await createShop(app);
  const follower = await createFollower(app, merchant, ['accounts:write']);
  const role_id = await createRole(app, merchant, ['accounts:write']);
  const member = await createStaff(app, merchant, { role_id });
  for (const caller of [follower, member]) {
    const csv = fileOf(['email', 'item_id', 'access_until'], [newAddress(), item.id, nextYear]);
    for (const dry_run of ['true', 'false']) {
      const { status, body } = await importFile(app, caller, csv, { fields: { dry_run } });
      expect([status, body.error, body.explain]).toEqual([403, 'forbidden', expect.stringContaining('items:write')]);
    }
    expect((await importFile(app, caller, fileOf(['email'], [newAddress()]))).body.new_customers).toBe(1);
  }
  expect(await accessesOf(app, merchant)).toEqual([]);
  const reader = await createFollower(app, merchant, ['accounts:read', 'items:write']);
  expect((await importFile(app, reader, fileOf(['email'], [newAddress()]))).status).toBe(403);
});
