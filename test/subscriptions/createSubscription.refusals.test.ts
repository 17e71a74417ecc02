import { call } from '../support/client';
import {
  cards,
  createConsumer,
  createFee,
  createItem,
  createShop,
  purchase,
  type Person,
  type Shop,
  type Submitted,
} from '../support/factories';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';
import { tablesHolding } from '../support/stored';

/** The answers before any workflow runs. No worker runs here. */

let app: TestApp;
let shop: Shop;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());
beforeEach(async () => (shop = await createShop(app)));

const paths = ['/subscriptions', '/v2/subscriptions'] as const;

describe.each(paths)('POST %s', (path) => {
  const submit = <Body = ErrorBody>(fields: object, person: Pick<Person, 'token'> = shop.consumer) =>
    call<Body>(app, 'POST', path, { ...fields }, person);

  async function expectRefused(fields: object, status: number, body: object, person?: Person): Promise<void> {
    expect(await submit(fields, person)).toMatchObject({ status, body });
    const { rows } = await app.pool.query('SELECT 1 FROM subscriptions WHERE merchant_id = $1', [shop.merchant.id]);
    expect(rows).toEqual([]);
  }

  test('202: submitted, with the address of what became of it', async () => {
    const { status, headers, body } = await submit<Submitted>(purchase(shop));
    expect({ status, body }).toEqual({
      status: 202,
      body: {
        code: 202,
        message: 'Submitted for payment',
        explain: 'Submitted for payment',
        subscription_id: expect.stringMatching(/^S-[A-Za-z0-9]{22}-SB$/) as string,
        status: 'incomplete',
      },
    });
    const location = headers.get('location') ?? '';
    const row = await call(app, 'GET', location, undefined, shop.consumer);
    expect(row).toMatchObject({ status: 200, body: { subscription_id: body.subscription_id, status: 'incomplete' } });
  });

  test('202: the names that other clients use, blanks in the number, a year of two digits', async () => {
    const { access_fee, ...rest } = purchase(shop, '4242 4242-4242 4242');
    const fields = { ...rest, access_fee_id: access_fee, payment_method: 'Card', exp_year: '40', exp_month: '02' };
    expect((await submit(fields)).status).toBe(202);
  });

  test('202: the card used last pays when none is named', async () => {
    await submit(purchase(shop));
    const item = await createItem(app, shop.merchant);
    const fee = await createFee(app, shop.merchant, item.id);
    expect((await submit({ access_fee: fee.id, payment_method: 1 })).status).toBe(202);
  });

  test('202: neither number nor code of the card is stored; its last four digits are', async () => {
    await submit({ ...purchase(shop), cvv: '9876' });
    expect(await tablesHolding(app.pool, cards.success)).toEqual([]);
    const { rows } = await app.pool.query<{ card: string }>(
      // The token and the time are left out: they can contain the digits of the code by chance.
      "SELECT (to_jsonb(cards) - ARRAY['token', 'created_at'])::text AS card FROM cards WHERE account_id = $1",
      [shop.consumer.id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.card).toContain('4242');
    expect(rows[0]?.card).not.toContain('9876');
  });

  test('400 missing_parameter: the fee, the rest of a card, or a card at all', async () => {
    const { access_fee, ...card } = purchase(shop);
    const missing = (...names: string[]) => ({
      error: 'missing_parameter',
      errors: Object.fromEntries(names.map((name) => [name, `The ${name} must not be empty.`])),
    });
    await expectRefused(card, 400, missing('access_fee'));
    await expectRefused({ access_fee }, 400, missing('number', 'card_name', 'exp_month', 'exp_year', 'cvv'));
    await expectRefused(
      { access_fee, number: cards.success, cvv: '123' },
      400,
      missing('card_name', 'exp_month', 'exp_year'),
    );
  });

  test('400 card_number_refused: the number in another field', () =>
    expectRefused({ ...purchase(shop), card_name: cards.success }, 400, { error: 'card_number_refused' }));

  test('401 invalid_auth_token: nobody', async () => {
    expect((await submit(purchase(shop), { token: 'x' })).status).toBe(401);
  });

  test('409 price_changed: more is due than the payer was told', async () => {
    const told = (expected_amount: string) => ({ ...purchase(shop), expected_amount });
    const total = { amount: 9.99, currency: 'EUR' };
    await expectRefused(told('9.98'), 409, { code: 409, error: 'price_changed', total });
    expect((await submit(told('9.99'))).status).toBe(202);
  });

  test('409 price_changed: the payer was told another currency', async () => {
    const told = (expected_currency: string) => ({ ...purchase(shop), expected_amount: '99', expected_currency });
    const total = { amount: 9.99, currency: 'EUR' };
    await expectRefused(told('jpy'), 409, { error: 'price_changed', explain: 'The total is €9.99 now.', total });
    expect((await submit(told('eur'), await createConsumer(app, shop.merchant))).status).toBe(202);
  });

  test('404 access_fee_not_found: no such fee, and one of another merchant', async () => {
    const other = await createShop(app);
    for (const access_fee of [2_147_483_647, other.fee.id])
      await expectRefused({ ...purchase(shop), access_fee }, 404, {
        code: 404,
        message: 'Fee not found',
        error: 'access_fee_not_found',
      });
    expect((await submit(purchase(shop), other.consumer)).status).toBe(404);
  });

  test('404 access_fee_not_found: a fee outside its dates, or of an item that is no longer sold', async () => {
    const inDays = (days: number) => Math.floor(Date.now() / 1000) + days * 86_400;
    for (const dates of [{ starts_at: inDays(1) }, { expires_at: inDays(-1) }]) {
      const fee = await createFee(app, shop.merchant, shop.item.id, dates);
      await expectRefused({ ...purchase(shop), access_fee: fee.id }, 404, { error: 'access_fee_not_found' });
    }
    await app.pool.query('UPDATE items SET is_active = false WHERE id = $1', [shop.item.id]);
    await expectRefused(purchase(shop), 404, { error: 'access_fee_not_found' });
  });

  test('404 voucher_not_found: an unknown code', () =>
    expectRefused({ ...purchase(shop), voucher_code: 'SPRING25' }, 404, {
      message: 'Voucher not found',
      error: 'voucher_not_found',
    }));

  test('404 payment_not_found: an authentication of nobody', () =>
    expectRefused({ pi_id: 'pi_unknown' }, 404, { message: 'Payment not found', error: 'payment_not_found' }));

  test('409 already_has_access: a second subscription to the item, by whatever fee', async () => {
    const yearly = await createFee(app, shop.merchant, shop.item.id, { period: 'year', amount: '99' });
    await submit(purchase(shop));
    for (const access_fee of [shop.fee.id, yearly.id])
      expect(await submit({ ...purchase(shop), access_fee })).toMatchObject({
        status: 409,
        body: { code: 409, message: 'You already have access for this asset', error: 'already_has_access' },
      });
    const neighbour = await createConsumer(app, shop.merchant);
    expect((await submit(purchase(shop), neighbour)).status).toBe(202);
  });

  test('409 already_has_access: of eight requests at once one is submitted', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => submit(purchase(shop))));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array<number>(7).fill(409)]);
    const { rows } = await app.pool.query('SELECT 1 FROM subscriptions WHERE account_id = $1', [shop.consumer.id]);
    expect(rows).toHaveLength(1);
  });

  test.each([
    ['number', { number: '4242424242424241' }],
    ['number', { number: '42424242' }],
    ['number', { number: '5555555555554444' }],
    ['exp_month', { exp_month: '13' }],
    ['exp_month', { exp_month: '0' }],
    ['exp_year', { exp_year: '2020' }],
    ['exp_year', { exp_year: '030' }],
    ['cvv', { cvv: '12' }],
    ['cvv', { cvv: 'abc' }],
    ['card_name', { card_name: 'x'.repeat(101) }],
    ['payment_method', { payment_method: 'Bitcoin' }],
    ['payment_method', { payment_method: 'constructor' }],
    ['payment_method', { payment_method: '__proto__' }],
    ['return_url', { return_url: 'javascript:alert(1)' }],
    ['return_url', { return_url: '/relative' }],
    ['access_fee', { access_fee: 'x' }],
  ])('422 invalid_input: %s in %j', async (name, change) => {
    const { status, body } = await submit({ ...purchase(shop), ...change });
    expect({ status, error: body.error, fields: Object.keys(body.errors ?? {}) }).toEqual({
      status: 422,
      error: 'invalid_input',
      fields: [name],
    });
    expect(JSON.stringify(body)).not.toContain(cards.success);
  });

  test('422 invalid_input: a fee that is no subscription', async () => {
    const fee = await createFee(app, shop.merchant, shop.item.id, { access_type: 'ppv', quantity: 2, period: 'day' });
    await expectRefused({ ...purchase(shop), access_fee: fee.id }, 422, {
      errors: { access_fee: 'The access_fee must be of the type subscription.' },
    });
  });
});
