import { call } from '../../support/client';
import { waitForLocks } from '../../support/locks';
import { createPayShop, paid, refund, refunded } from '../../support/payments';
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

test('403 recent_factor_required: two parts at once, each below the limit, and together above it', async () => {
  const shop = await createPayShop(app);
  const { merchant } = shop;
  const token = await paid(app, shop);
  await limitTo(2, merchant);
  await switchFactorOn(app, merchant);
  await ageProof(app, merchant, '11 minutes');
  // Both requests begin before either reserves its part.
  const holder = await app.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM charges WHERE trx_token = $1 FOR UPDATE', [token]);
  const replies = Promise.all([1, 2].map(() => refund(app, merchant, token, { amount: 2 })));
  await waitForLocks(app.pool, 2);
  await holder.query('COMMIT');
  holder.release();
  expect((await replies).map(({ status }) => status).sort()).toEqual([200, 403]);
  expect(await refunded(app, token)).toMatchObject([{ amount: 200 }]);
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

test('200: an unchanged limit in an old session does not replace one that is saved at the same moment', async () => {
  const { merchant } = await createPayShop(app);
  await limitTo(100, merchant);
  await switchFactorOn(app, merchant);
  await ageProof(app, merchant, '11 minutes');
  const holder = await app.pool.connect();
  await holder.query('BEGIN');
  await holder.query('UPDATE merchant_settings SET refund_confirmation_above = 10 WHERE merchant_id = $1', [
    merchant.id,
  ]);
  const unchanged = limitTo(100, merchant);
  await waitForLocks(app.pool, 1);
  await holder.query('COMMIT');
  holder.release();
  expect(await unchanged).toMatchObject({ status: 200, body: { refund_confirmation_above: 10 } });
});

test('403 recent_factor_required: the limit itself is not raised without a confirmation, and other settings are', async () => {
  const { merchant } = await createPayShop(app);
  await switchFactorOn(app, merchant);
  await ageProof(app, merchant, '11 minutes');
  expect(await limitTo(1_000_000, merchant)).toMatchObject({ status: 403, body: { error: 'recent_factor_required' } });
  expect((await limitTo(100, merchant)).status).toBe(200);
  expect((await call(app, 'PUT', '/accounts/settings', { grace_days: 7 }, merchant)).status).toBe(200);
});
