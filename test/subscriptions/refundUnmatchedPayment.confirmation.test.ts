import { call } from '../support/client';
import { createMerchant, type Person } from '../support/factories';
import { addUnmatched, listUnmatched } from '../support/payments';
import { ageProof, codeOf, moveToPages, switchFactorOn, verifyFactor, verifyPassword } from '../support/secondFactors';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
});

beforeEach(async () => {
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const find = async (amountMinor: number, currency = 'EUR') =>
  (await addUnmatched(app, merchant, { amountMinor, currency })).id;
const refund = (id: number) =>
  call<{ error?: string }>(app, 'POST', `/payments/unmatched/${id}/refund`, undefined, merchant);
const states = async () => (await listUnmatched(app, merchant)).collection.map(({ status }) => status);

test('403 recent_factor_required: above the limit, and nothing is refunded', async () => {
  const [atLimit, above] = [await find(100_00), await find(100_01)];
  const { secret } = await switchFactorOn(app, merchant);
  await ageProof(app, merchant, '11 minutes');
  expect(await refund(above)).toMatchObject({ status: 403, body: { error: 'recent_factor_required' } });
  expect(await states()).toEqual(['open', 'open']);
  expect((await refund(atLimit)).status).toBe(200);
  await verifyFactor(app, merchant, codeOf(secret));
  expect((await refund(above)).status).toBe(200);
});

test('403 recent_factor_required: the limit counts in the major unit of each currency', async () => {
  const [atLimit, above] = [await find(100, 'JPY'), await find(101, 'JPY')];
  await switchFactorOn(app, merchant);
  await ageProof(app, merchant, '11 minutes');
  expect((await refund(atLimit)).status).toBe(200);
  expect((await refund(above)).status).toBe(403);
});

test('403 recent_password_required: in an old session of the console', async () => {
  const id = await find(100_01);
  await moveToPages(app, merchant, '11 minutes');
  expect(await refund(id)).toMatchObject({ status: 403, body: { error: 'recent_password_required' } });
  await verifyPassword(app, merchant);
  expect((await refund(id)).status).toBe(200);
});

test('200: an account without a factor refunds any amount from its own client', async () => {
  expect((await refund(await find(5_000_00))).status).toBe(200);
});

test('404 payment_not_found: a payment of another merchant is not asked about', async () => {
  const { id } = await addUnmatched(app, await createMerchant(app), { amountMinor: 100_01 });
  await switchFactorOn(app, merchant);
  await ageProof(app, merchant, '11 minutes');
  expect(await refund(id)).toMatchObject({ status: 404, body: { error: 'payment_not_found' } });
});
