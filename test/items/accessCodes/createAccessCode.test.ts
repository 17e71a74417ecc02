import { createCode, enterCode, inSeconds } from '../../support/access';
import { createItem, createShop } from '../../support/factories';
import { type ErrorBody } from '../../support/raw';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const errorOf = ({ status, body }: { status: number; body: unknown }) => {
  const { error, errors = {} } = body as ErrorBody;
  return [status, error, ...Object.keys(errors)];
};

test('201: a code of the merchant’s choice, for a number of devices until a date', async () => {
  const shop = await createShop(app);
  const expires_at = inSeconds(3600);
  const { status, body } = await createCode(app, shop, { code: 'Summer-2030', device_limit: '3', expires_at });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: body.code_id,
    code_id: expect.any(Number) as number,
    item_id: shop.item.id,
    merchant_id: shop.merchant.id,
    code: 'Summer-2030',
    device_limit: 3,
    devices: 0,
    expires_at,
    created_at: expect.any(Number) as number,
  });
});

test('201: a random one without, for one device; ids that nobody can guess', async () => {
  const shop = await createShop(app);
  const made = await Promise.all(Array.from({ length: 50 }, () => createCode(app, shop)));
  for (const { body } of made) {
    expect(body.code).toMatch(/^([2-9A-HJKMNP-Z]{4}-){2}[2-9A-HJKMNP-Z]{4}$/);
    expect([body.device_limit, body.expires_at]).toEqual([1, 0]);
    expect(body.code_id).toBeGreaterThanOrEqual(2 ** 52);
    expect(Number.isSafeInteger(body.code_id)).toBe(true);
  }
  expect(new Set(made.map(({ body }) => body.code)).size).toBe(50);
  expect(new Set(made.map(({ body }) => Math.floor(body.code_id / 2 ** 44))).size).toBeGreaterThan(25);
});

test('201: another item may have the same code, which opens only its own', async () => {
  const shop = await createShop(app);
  const other = await createItem(app, shop.merchant, { content: 'other' });
  for (const item of [shop.item, other])
    expect((await createCode(app, { ...shop, item }, { code: 'SPRING30' })).status).toBe(201);
  expect((await enterCode(app, other.id, 'spring30')).body.content).toBe('other');
});

test('409 access_code_exists: the item has it, in another spelling', async () => {
  const shop = await createShop(app);
  await createCode(app, shop, { code: 'Spring 2030' });
  for (const code of ['Spring 2030', 'SPRING-2030', 'spring2030'])
    expect(errorOf(await createCode(app, shop, { code }))).toEqual([409, 'access_code_exists']);
});

test('404 item_not_found: another merchant’s item', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  expect(errorOf(await createCode(app, { ...shop, item: other.item }))).toEqual([404, 'item_not_found']);
});

test.each([
  ['code', { code: 'ab12' }],
  ['code', { code: '------' }],
  ['code', { code: 'x'.repeat(65) }],
  ['device_limit', { device_limit: 0 }],
  ['device_limit', { device_limit: 10_001 }],
  ['expires_at', { expires_at: '2020-01-01' }],
])('422 invalid_input: %s %j', async (field, fields) => {
  expect(errorOf(await createCode(app, await createShop(app), fields))).toEqual([422, 'invalid_input', field]);
});
