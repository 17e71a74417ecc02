import { call } from '../../support/client';
import { createPayShop, paid, refund } from '../../support/payments';
import {
  ageProof,
  codeOf,
  moveToPages,
  switchFactorOn,
  verifyFactor,
  verifyPassword,
} from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const limitTo = (above: number, merchant: { token: string }) =>
  call<{ error?: string }>(app, 'PUT', '/accounts/settings', { refund_confirmation_above: above }, merchant);

test('403 recent_factor_required: a refund above the limit, at which a part is still given without a code', async () => {
  const shop = await createPayShop(app);
  const { merchant } = shop;
  const token = await paid(app, shop);
  await limitTo(2, merchant);
  const { secret } = await switchFactorOn(app, merchant);
  await ageProof(app, merchant, '11 minutes');
  const refused = await refund(app, merchant, token);
  expect([refused.status, refused.body]).toMatchObject([403, { error: 'recent_factor_required' }]);
  expect((await refund(app, merchant, token, { amount: 2 })).status).toBe(200);
  // The parts of one payment count together.
  expect((await refund(app, merchant, token, { amount: 0.01 })).status).toBe(403);
  await verifyFactor(app, merchant, codeOf(secret));
  expect((await refund(app, merchant, token)).status).toBe(200);
});

test('403 recent_password_required: in an old session of the console', async () => {
  const shop = await createPayShop(app);
  const { merchant } = shop;
  const token = await paid(app, shop);
  await limitTo(4, merchant);
  await moveToPages(app, merchant, '11 minutes');
  const refused = await refund(app, merchant, token);
  expect([refused.status, refused.body]).toMatchObject([403, { error: 'recent_password_required' }]);
  await verifyPassword(app, merchant);
  expect((await refund(app, merchant, token)).status).toBe(200);
});

test('200: an account without a factor refunds any amount from its own client, as before', async () => {
  const shop = await createPayShop(app);
  await limitTo(0, shop.merchant);
  expect((await refund(app, shop.merchant, await paid(app, shop))).status).toBe(200);
});

test('403 recent_factor_required: the limit itself is not raised without a confirmation, and other settings are', async () => {
  const { merchant } = await createPayShop(app);
  await switchFactorOn(app, merchant);
  await ageProof(app, merchant, '11 minutes');
  expect(await limitTo(1_000_000, merchant)).toMatchObject({ status: 403, body: { error: 'recent_factor_required' } });
  expect((await limitTo(100, merchant)).status).toBe(200);
  expect((await call(app, 'PUT', '/accounts/settings', { grace_days: 7 }, merchant)).status).toBe(200);
});
