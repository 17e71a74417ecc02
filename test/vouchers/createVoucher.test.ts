import { call } from '../support/client';
import { createConsumer, createMerchant, createShop, type Shop } from '../support/factories';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';
import { createPackage, createVoucher, giveGift, type Voucher, voucherFields } from '../support/vouchers';

let app: TestApp;
let shop: Shop;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());
beforeEach(async () => (shop = await createShop(app)));

const create = <Body = Voucher>(fields: Record<string, unknown> = {}) =>
  call<Body>(app, 'POST', '/vouchers', { ...voucherFields, ...fields }, shop.merchant);

const storedCount = async () => {
  const { rows } = await app.pool.query('SELECT FROM vouchers WHERE merchant_id = $1', [shop.merchant.id]);
  return rows.length;
};

const alphabet = '[A-HJ-NP-Z2-9]';

test('201: with nothing but what is required, a code of 8 that nobody mistakes', async () => {
  const { status, body } = await create();
  expect({ status, body }).toEqual({
    status: 201,
    body: {
      id: expect.any(Number) as number,
      name: 'Spring',
      discount: 25,
      rebill_discount: null,
      discount_amount: null,
      rebill_discount_amount: null,
      discount_currency: null,
      start_date: '2020-01-01T00:00:00.000Z',
      end_date: null,
      code: expect.stringMatching(new RegExp(`^${alphabet}{8}$`)) as string,
      length: 8,
      prefix: '',
      suffix: '',
      usage_limit: null,
      usage_limit_per_customer: null,
      new_customers_only: false,
      usage_counter: 0,
      batch_id: null,
      discount_period: 'once',
      discount_duration: 1,
      rules: [],
    },
  });
});

test('201: with everything, as it was sent', async () => {
  const { body } = await create({
    name: ' Summer ',
    discount: '100',
    rebill_discount: '0',
    start_date: 1_770_000_000,
    end_date: '2030-06-01',
    prefix: 'NEWS-',
    suffix: '-24',
    length: '12',
    usage_limit: '500',
    discount_period: 'repeating',
    discount_duration: '3',
  });
  expect(body).toMatchObject({
    name: 'Summer',
    discount: 100,
    rebill_discount: 0,
    start_date: '2026-02-02T02:40:00.000Z',
    end_date: '2030-06-01T00:00:00.000Z',
    code: expect.stringMatching(new RegExp(`^NEWS-${alphabet}{12}-24$`)) as string,
    length: 12,
    prefix: 'NEWS-',
    suffix: '-24',
    usage_limit: 500,
    discount_period: 'repeating',
    discount_duration: 3,
  });
});

test('201: the merchant’s own code stays as it was written', async () => {
  expect((await create({ code: 'Ete-25' })).body.code).toBe('Ete-25');
});

test('201: forever discounts every charge, told as 0, and asks for no duration', async () => {
  expect((await create({ discount_period: 'forever', discount_duration: 4 })).body).toMatchObject({
    discount_period: 'forever',
    discount_duration: 0,
  });
});

test('201: rules show what they name', async () => {
  const { merchant, item, fee, consumer } = shop;
  const season = await createPackage(app, shop);
  const { body } = await create({
    rules: [
      { rule_type: 'assets', value: item.id },
      { rule_type: 'packages', value: season.id },
      { rule_type: 'access_fees', value: fee.id },
      { rule_type: 'emails', value: consumer.id },
    ],
  });
  expect(body.rules).toMatchObject([
    {
      rule_type: 'assets',
      value: item.id,
      assets: { id: item.id, title: 'Cup final', content: '' },
      access_fees: null,
    },
    { rule_type: 'packages', value: season.id, assets: { id: season.id, item_type: { name: 'package' }, content: '' } },
    {
      rule_type: 'access_fees',
      value: fee.id,
      assets: null,
      access_fees: {
        id: fee.id,
        merchant_id: merchant.id,
        amount: 9.99,
        currency: 'EUR',
        description: 'Monthly pass',
        item_id: item.id,
        item_type: 'html_asset',
        access_type: { id: fee.access_type.id, name: 'subscription', quantity: 1, period: 'month' },
      },
    },
    { rule_type: 'emails', value: consumer.id, assets: null, access_fees: null },
  ]);
  expect(JSON.stringify(body)).not.toContain('The final.');
});

test('201: two merchants may have one code, and a deleted voucher’s code is free again', async () => {
  const { id } = await createVoucher(app, shop.merchant, { code: 'SPRING' });
  expect((await createVoucher(app, await createMerchant(app), { code: 'SPRING' })).code).toBe('SPRING');
  await call(app, 'DELETE', `/vouchers/${id}`, undefined, shop.merchant);
  expect((await create({ code: 'spring' })).status).toBe(201);
});

test('201: a generated code that is taken is generated again', async () => {
  // 32 codes of one letter: with half of them taken, the first try fails every other time.
  const codes = new Set<string>();
  for (let time = 0; time < 16; time += 1) codes.add((await create({ length: 1 })).body.code);
  expect(codes.size).toBe(16);
});

test.each([
  ['spring', 'SPRING'],
  ['SPRING-É', 'spring-é'],
  ['ＳＰＲＩＮＧ', 'spring'],
])('409 voucher_code_taken: %s after %s', async (second, first) => {
  await create({ code: first });
  expect(await create<ErrorBody>({ code: second })).toMatchObject({
    status: 409,
    body: { message: 'Voucher code already exists', error: 'voucher_code_taken' },
  });
  expect(await storedCount()).toBe(1);
});

test('409 voucher_code_taken: one of many that come at once gets the code', async () => {
  const replies = await Promise.all(Array.from({ length: 8 }, () => create({ code: 'FIRST' })));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
});

test('409 voucher_code_taken: when every code of the length is taken', async () => {
  await app.pool.query(
    `INSERT INTO vouchers (merchant_id, name, code, canonical_code, code_length, discount, discount_period, starts_at)
     SELECT $1, 'Taken', code, code, 1, 10, 'once', now() FROM regexp_split_to_table($2, '') AS code`,
    [shop.merchant.id, 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'],
  );
  expect(await create<ErrorBody>({ length: 1 })).toMatchObject({ status: 409, body: { error: 'voucher_code_taken' } });
});

test.each([
  ['discount', { discount: 0 }],
  ['discount', { discount: 101 }],
  ['discount', { discount: 12.5 }],
  ['rebill_discount', { rebill_discount: 101 }],
  ['code', { code: 'ABCD' }],
  ['code', { code: 'AB CD EF' }],
  ['code', { code: 'ABC\u200bDEF' }],
  ['length', { length: 0 }],
  ['length', { length: 51 }],
  ['prefix', { prefix: 'x'.repeat(26) }],
  ['usage_limit', { usage_limit: 0 }],
  ['start_date', { start_date: 'tomorrow' }],
  ['end_date', { end_date: '2019-12-31' }],
  ['end_date', { end_date: voucherFields.start_date }],
  ['discount_period', { discount_period: 'sometimes' }],
  ['discount_duration', { discount_period: 'repeating' }],
  ['discount_duration', { discount_period: 'repeating', discount_duration: 0 }],
  ['rules.0.rule_type', { rules: [{ rule_type: 'colours', value: 1 }] }],
  ['rules.0.value', { rules: [{ rule_type: 'assets', value: 'x' }] }],
])('422 invalid_input: %s of %j', async (field, fields) => {
  const { status, body } = await create<ErrorBody>(fields);
  expect({ status, error: body.error, fields: Object.keys(body.errors ?? {}) }).toEqual({
    status: 422,
    error: 'invalid_input',
    fields: [field],
  });
  expect(await storedCount()).toBe(0);
});

test('400 missing_parameter: all that is missing', async () => {
  const { body } = await call<ErrorBody>(app, 'POST', '/vouchers', { code: 'SPRING' }, shop.merchant);
  expect(Object.keys(body.errors ?? {})).toEqual(['name', 'discount', 'start_date']);
});

describe('a rule that names nothing of the merchant’s', () => {
  const refused = async (rule_type: string, value: number) => {
    const reply = await create<ErrorBody>({ rules: [{ rule_type, value }] });
    expect(await storedCount()).toBe(0);
    return `${reply.status} ${reply.body.error}`;
  };

  test('404 item_not_found: another merchant’s item, and one that is no package or is one', async () => {
    const other = await createShop(app);
    const season = await createPackage(app, shop);
    for (const [type, id] of [
      ['assets', other.item.id],
      ['packages', (await createPackage(app, other)).id],
      ['packages', shop.item.id],
      ['assets', season.id],
      ['assets', 2_147_483_647],
    ] as const)
      expect(await refused(type, id)).toBe('404 item_not_found');
  });

  test('404 access_fee_not_found: another merchant’s fee', async () => {
    expect(await refused('access_fees', (await createShop(app)).fee.id)).toBe('404 access_fee_not_found');
  });

  test('400 account_does_not_exist: another merchant’s consumer, and nobody', async () => {
    const stranger = await createConsumer(app, await createMerchant(app));
    expect(await refused('emails', stranger.id)).toBe('400 account_does_not_exist');
    expect(await refused('emails', 2_147_483_647)).toBe('400 account_does_not_exist');
  });
});

test('409 voucher_code_taken: the code of a gift of the same merchant, however it is written', async () => {
  const { code } = await giveGift(shop);
  const before = await storedCount();
  for (const taken of [code, code.toLowerCase()])
    expect(await create<ErrorBody>({ code: taken })).toMatchObject({
      status: 409,
      body: { error: 'voucher_code_taken' },
    });
  expect(await storedCount()).toBe(before);
  expect((await createVoucher(app, await createMerchant(app), { code })).code).toBe(code);
});
