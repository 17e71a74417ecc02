import { Client } from 'pg';
import { call, type Method } from '../../support/client';
import { createItem, createMerchant, createShop, type Person } from '../../support/factories';
import { auditOf } from '../../support/followers';
import { confirmWithFactor, confirmWithPassword, moveToPages } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';
import { createVoucher, voucherFields } from '../../support/vouchers';

/** An edit that weakens a rule or opens an item counts as a deletion. Another edit asks for nothing. */

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
});
beforeEach(async () => {
  merchant = await createMerchant(app);
});
afterAll(() => app.stop());

type Send = () => Promise<{ status: number; body: object }>;
type Sent = readonly [method: Method, path: string, body?: Record<string, unknown>];

const send =
  (...[method, path, body]: Sent): Send =>
  () =>
    call(app, method, path, body, merchant);

async function after(first: Sent, ...[method, path, body]: Sent): Promise<Send> {
  const { status, body: made } = await send(...first)();
  expect(status).toBeLessThan(300);
  return send(method, path.replace('{id}', String((made as { id?: number }).id)), body);
}

const itemPath = async (path: string) => `${path}/item/${(await createItem(app, merchant)).id}`;
const domain = (name: string, id = 0) => ({ domains: [{ id, domain: name }] });
const set = (type: string, countries: string[], global = true) => ({ name: 'Home', type, global, countries });
const places = (type: string, countries: string[]) => ({ ...set(type, countries), regions: [], cities: [] });
const settings = (isEnabled: boolean, type = 'basic') => ({
  age_verification_enabled: isEnabled,
  age_verification_type: type,
  merchant_uuid: merchant.uuid,
});
const sets = '/restrictions/geo/country-set';
const geoSets = '/restrictions/geo/set';

/** An item of the first kind of access is changed to the second one. */
async function opened(from: number, to: number, method: Method = 'PATCH') {
  const { id } = await createItem(app, merchant, { access_control_type_id: from });
  const body = { item_type: 'html_asset', title: 'Film', access_control_type_id: to };
  return send(method, `/v2/items/${id}`, body);
}
const [paid, code, free, forAddress] = [1, 2, 3, 4] as const;

async function ruled(...count: number[]) {
  const items = await Promise.all([1, 2].map(() => createItem(app, merchant)));
  const rules = items.map(({ id }) => ({ rule_type: 'assets', value: id }));
  const { id } = await createVoucher(app, merchant, { rules });
  return send('PUT', `/vouchers/${id}`, { ...voucherFields, rules: count.map((index) => rules[index]) });
}

/** Prepares the edit. The session is fresh while it does. */
const weakening: [name: string, prepare: () => Promise<Send>][] = [
  [
    'a lower common age',
    () => after(['POST', '/restrictions/age', { min_age: 18 }], 'POST', '/restrictions/age', { min_age: 17 }),
  ],
  [
    'a lower age of an item',
    async () => {
      const path = await itemPath('/restrictions/age');
      return after(['POST', path, { min_age: 18 }], 'POST', path, { min_age: 1 });
    },
  ],
  [
    'a first age of an item, below the common one',
    async () =>
      after(['POST', '/restrictions/age', { min_age: 18 }], 'POST', await itemPath('/restrictions/age'), {
        min_age: 12,
      }),
  ],
  [
    'a blocked domain that becomes an allowed one',
    () =>
      after(
        ['POST', '/restrictions/domain/blacklist', domain('a.example')],
        'POST',
        '/restrictions/domain/whitelist',
        domain('a.example'),
      ),
  ],
  [
    'a second allowed domain of an item',
    async () => {
      const path = await itemPath('/restrictions/domain/whitelist');
      return after(['POST', path, domain('a.example')], 'POST', path, domain('b.example'));
    },
  ],
  [
    'another list of an item',
    async () => {
      const path = await itemPath('/restrictions/domain/blacklist');
      return after(['POST', path, domain('a.example')], 'PUT', path, domain('b.example'));
    },
  ],
  [
    'a country set with a country less',
    () => after(['POST', sets, set('blacklist', ['MK', 'DE'])], 'PUT', `${sets}/{id}`, set('blacklist', ['MK'])),
  ],
  [
    'a country set that is not global any more',
    () => after(['POST', sets, set('whitelist', ['MK'])], 'PUT', `${sets}/{id}`, set('whitelist', ['MK'], false)),
  ],
  ['a second whitelist', () => after(['POST', sets, set('whitelist', ['MK'])], 'POST', sets, set('whitelist', ['DE']))],
  [
    'a looser country set of an item',
    async () => {
      await send('POST', sets, set('whitelist', ['MK']))();
      return after(['POST', sets, set('blacklist', ['DE'], false)], 'POST', await itemPath(`${sets}/{id}`));
    },
  ],
  [
    'a geo set with a place less',
    () =>
      after(
        ['POST', geoSets, places('blacklist', ['MK', 'DE'])],
        'PUT',
        `${geoSets}/{id}`,
        places('blacklist', ['DE']),
      ),
  ],
  [
    'a second geo set',
    () => after(['POST', geoSets, places('whitelist', ['MK'])], 'POST', geoSets, places('whitelist', ['DE'])),
  ],
  [
    'no verification of ages',
    () =>
      after(['PATCH', '/restrictions/settings', settings(true)], 'PATCH', '/restrictions/settings', settings(false)),
  ],
  ['a voucher with a rule less', () => ruled(1)],
  ['a paid item that becomes free after sign-in', () => opened(paid, free)],
  ['a paid item that becomes free for an address, as a whole item', () => opened(paid, forAddress, 'PUT')],
  ['an item with codes that becomes free after sign-in', () => opened(code, free)],
  ['an item for accounts that becomes free for an address', () => opened(free, forAddress)],
];

test.each(weakening)('403 recent_factor_required: %s', async (_name, prepare) => {
  const answers = await confirmWithFactor(app, merchant, await prepare());
  expect(answers.before).toMatchObject({ status: 403, body: { error: 'recent_factor_required' } });
  expect(answers.after.status).toBeLessThan(300);
});

test.each(weakening)('403 recent_password_required: %s, and nothing changes', async (_name, prepare) => {
  const edit = await prepare();
  const logged: number[] = [];
  const answers = await confirmWithPassword(app, merchant, async () => {
    const before = (await auditOf(app, merchant)).length;
    const answer = await edit();
    logged.push((await auditOf(app, merchant)).length - before);
    return answer;
  });
  expect(answers.before).toMatchObject({ status: 403, body: { error: 'recent_password_required' } });
  expect(answers.after.status).toBeLessThan(300);
  expect(logged[0]).toBe(0);
});

const harmless: [name: string, prepare: () => Promise<Send>][] = [
  ['a first age', () => Promise.resolve(send('POST', '/restrictions/age', { min_age: 1 }))],
  [
    'the same age',
    () => after(['POST', '/restrictions/age', { min_age: 18 }], 'POST', '/restrictions/age', { min_age: 18 }),
  ],
  [
    'a higher age',
    () => after(['POST', '/restrictions/age', { min_age: 18 }], 'POST', '/restrictions/age', { min_age: 19 }),
  ],
  [
    'a first allowed domain',
    () => Promise.resolve(send('POST', '/restrictions/domain/whitelist', domain('a.example'))),
  ],
  [
    'another name of a country set',
    () =>
      after(['POST', sets, set('whitelist', ['MK'])], 'PUT', `${sets}/{id}`, {
        ...set('whitelist', ['MK']),
        name: 'Away',
      }),
  ],
  [
    'a smaller whitelist',
    () => after(['POST', sets, set('whitelist', ['MK', 'DE'])], 'PUT', `${sets}/{id}`, set('whitelist', ['MK'])),
  ],
  ['a voucher with the same rules', () => ruled(1, 0)],
  ['a paid item for which codes are enough', () => opened(paid, code)],
  ['an item with codes that is sold', () => opened(code, paid)],
  ['a free item that stays free', () => opened(free, free, 'PUT')],
  ['an item for an address that asks for an account', () => opened(forAddress, free)],
  ['a free item that is sold', () => opened(free, paid)],
  [
    'other terms of a voucher',
    async () => send('PUT', `/vouchers/${(await createVoucher(app, merchant)).id}`, { ...voucherFields, discount: 50 }),
  ],
];

test.each(harmless)('2xx: %s, in an old session of our pages', async (_name, prepare) => {
  const edit = await prepare();
  await moveToPages(app, merchant, '11 minutes');
  expect((await edit()).status).toBeLessThan(300);
});

test.each([
  ['1 minute', 'does not read all rules', false],
  ['11 minutes', 'reads all rules', true],
])('200: an edit %s after the password was entered %s', async (age, _does, isRead) => {
  await moveToPages(app, merchant, age);
  const queries = jest.spyOn(Client.prototype, 'query');
  expect((await send('POST', '/restrictions/age', { min_age: 18 })()).status).toBe(200);
  const sent = queries.mock.calls.map(([query]) => query as { name?: string; values?: unknown[] });
  queries.mockRestore();
  // Other work of the process can read the rules of other merchants.
  const reads = sent.filter(({ name, values }) => name === 'restriction_rows' && values?.[0] === merchant.id);
  expect(reads.length > 0).toBe(isRead);
});

test('200: of two first ages at once, the lower one is refused or replaced', async () => {
  await moveToPages(app, merchant, '11 minutes');
  const [raised] = await Promise.all([21, 6].map((age) => send('POST', '/restrictions/age', { min_age: age })()));
  expect(raised?.status).toBe(200);
  expect((await send('GET', '/restrictions/age')()).body).toMatchObject({ min_age: 21 });
});

test('200: a voucher with a rule more, in an old session of our pages', async () => {
  const shop = await createShop(app);
  merchant = shop.merchant;
  const { id } = await createVoucher(app, merchant, { rules: [{ rule_type: 'access_fees', value: shop.fee.id }] });
  const rules = [
    { rule_type: 'access_fees', value: shop.fee.id },
    { rule_type: 'assets', value: shop.item.id },
  ];
  await moveToPages(app, merchant, '11 minutes');
  expect((await send('PUT', `/vouchers/${id}`, { ...voucherFields, rules })()).status).toBe(200);
});
