import { call } from '../../support/client';
import { submitAndConfirm } from '../../support/confirmations';
import { addMissingPayment, listDifferences, resolve } from '../../support/differences';
import { type Person } from '../../support/factories';
import { enterConsole } from '../../support/pageWalker';
import { startAccountsApp, type AccountsApp } from '../../support/paymentAccounts';
import {
  ageProof,
  codeOf,
  moveToPages,
  switchFactorOn,
  verifyFactor,
  verifyPassword,
} from '../../support/secondFactors';

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const limitTo = (above: number, merchant: Person) =>
  call(app, 'PUT', '/accounts/settings', { refund_confirmation_above: above }, merchant);

test('403 recent_factor_required: a refund above the limit, and the provider is not asked', async () => {
  const { shop, account, paymentId, difference } = await addMissingPayment(app);
  const { merchant } = shop;
  await limitTo(9, merchant);
  const { secret } = await switchFactorOn(app, merchant);
  await ageProof(app, merchant, '11 minutes');
  const refund = () => resolve(app, merchant, difference?.id, { action: 'refund' });
  const refunds = () => account.refunds.filter(({ payment_intent: of }) => of === paymentId).length;
  expect(await refund()).toMatchObject({ status: 403, body: { error: 'recent_factor_required' } });
  expect([refunds(), await listDifferences(app, merchant)]).toMatchObject([0, [{ status: 'open' }]]);
  await verifyFactor(app, merchant, codeOf(secret));
  expect([(await refund()).status, refunds()]).toEqual([200, 1]);
});

test('403 recent_password_required: in an old session of the console', async () => {
  const { shop, difference } = await addMissingPayment(app);
  await limitTo(9, shop.merchant);
  await moveToPages(app, shop.merchant, '11 minutes');
  const refund = () => resolve(app, shop.merchant, difference?.id, { action: 'refund' });
  expect(await refund()).toMatchObject({ status: 403, body: { error: 'recent_password_required' } });
  await verifyPassword(app, shop.merchant);
  expect((await refund()).status).toBe(200);
});

test('200: a refund at the limit needs no code', async () => {
  const { shop, difference } = await addMissingPayment(app);
  await limitTo(10, shop.merchant);
  await switchFactorOn(app, shop.merchant);
  await ageProof(app, shop.merchant, '11 minutes');
  expect((await resolve(app, shop.merchant, difference?.id, { action: 'refund' })).status).toBe(200);
});

test('200: to record or to accept a difference moves no money, so no code is needed', async () => {
  const [recorded, accepted] = [await addMissingPayment(app), await addMissingPayment(app)];
  for (const { shop } of [recorded, accepted]) {
    await limitTo(0, shop.merchant);
    await switchFactorOn(app, shop.merchant);
    await ageProof(app, shop.merchant, '11 minutes');
  }
  const record = await resolve(app, recorded.shop.merchant, recorded.difference?.id, { action: 'record' });
  const note = 'The bank has explained it.';
  const accept = await resolve(app, accepted.shop.merchant, accepted.difference?.id, { action: 'accept', note });
  expect([record.status, accept.status]).toEqual([200, 200]);
});

test('200: an account without a factor refunds any amount from its own client', async () => {
  const { shop, difference } = await addMissingPayment(app);
  await limitTo(0, shop.merchant);
  expect((await resolve(app, shop.merchant, difference?.id, { action: 'refund' })).status).toBe(200);
});

test('403: the console asks, keeps the action, and refunds once', async () => {
  const { shop, account, paymentId, difference } = await addMissingPayment(app);
  const { merchant } = shop;
  await limitTo(9, merchant);
  const own = `/console/transactions/differences/${difference?.id}`;
  const walker = await enterConsole(app, merchant.email);
  await walker.open(own);
  await moveToPages(app, merchant, '11 minutes');
  const sent = { action: 'refund', _form: 'the-form' };
  expect((await submitAndConfirm(walker, `${own}/resolution`, sent)).status).toBe(303);
  expect(account.refunds.filter(({ payment_intent: of }) => of === paymentId)).toHaveLength(1);
});
