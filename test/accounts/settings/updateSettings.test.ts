import { call } from '../../support/client';
import { createConsumer, createMerchant } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: a merchant sets, reads and lifts its limit of sessions, which is its own', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  const read = async () => (await call(app, 'GET', '/accounts/settings', undefined, merchant)).body;
  expect(await read()).toMatchObject({ session_limit: null });
  const set = await call(app, 'PUT', '/accounts/settings', { session_limit: 3 }, merchant);
  expect(set).toMatchObject({ status: 200, body: { session_limit: 3 } });
  expect(await read()).toMatchObject({ session_limit: 3 });
  expect((await call(app, 'GET', '/accounts/settings', undefined, other)).body).toMatchObject({ session_limit: null });
  expect((await call(app, 'PUT', '/accounts/settings', { session_limit: 0 }, merchant)).body).toMatchObject({
    session_limit: null,
  });
});

test.each([-1, 1001, 'three', 1.5])('422 invalid_input: session_limit %s', async (session_limit) => {
  const merchant = await createMerchant(app);
  expect((await call(app, 'PUT', '/accounts/settings', { session_limit }, merchant)).status).toBe(422);
});

test('200: what follows a failed or a fraudulent payment, each by itself', async () => {
  const merchant = await createMerchant(app);
  const put = (fields: object) => call(app, 'PUT', '/accounts/settings', { ...fields }, merchant);
  expect((await put({})).status).toBe(400);
  expect((await put({ grace_days: 0 })).body).toEqual({
    session_limit: null,
    session_idle_minutes: null,
    grace_days: 0,
    retry_days: [1, 3, 7, 14, 21],
    refund_fraud_warnings: false,
    retry_timing: 'fixed',
    card_expiry_reminders: true,
    renewal_reminder_days: 0,
    payment_methods: ['card'],
    debit_access: 'with_payment',
    refund_confirmation_above: 100,
    second_factor_policy: 'optional',
    setup_checklist: true,
  });
  expect((await put({ retry_days: [2, 5] })).body).toMatchObject({ grace_days: 0, retry_days: [2, 5] });
  expect((await put({ refund_fraud_warnings: 'true' })).body).toMatchObject({
    retry_days: [2, 5],
    refund_fraud_warnings: true,
  });
  expect((await put({ refund_fraud_warnings: 'false' })).body).toMatchObject({ refund_fraud_warnings: false });
  const reminders = { retry_timing: 'best', card_expiry_reminders: false, renewal_reminder_days: 14 };
  expect((await put(reminders)).body).toMatchObject({ ...reminders, grace_days: 0 });
});

test('200: the checklist of the console is hidden and shown again', async () => {
  const merchant = await createMerchant(app);
  for (const setup_checklist of [false, true]) {
    const { status, body } = await call(app, 'PUT', '/accounts/settings', { setup_checklist }, merchant);
    expect([status, body]).toMatchObject([200, { setup_checklist }]);
  }
});

test('200: the payment methods, and when a direct debit opens access', async () => {
  const merchant = await createMerchant(app);
  const debits = { payment_methods: ['card', 'direct_debit'], debit_access: 'at_submission' };
  expect((await call(app, 'PUT', '/accounts/settings', debits, merchant)).body).toMatchObject(debits);
  expect((await call(app, 'GET', '/accounts/settings', undefined, merchant)).body).toMatchObject(debits);
  const cards = { payment_methods: ['card'] };
  expect((await call(app, 'PUT', '/accounts/settings', cards, merchant)).body).toMatchObject({ ...debits, ...cards });
});

test('422 invalid_input: days of grace that are none, retries that do not rise, no yes or no', async () => {
  const merchant = await createMerchant(app);
  for (const fields of [
    { grace_days: 5 },
    { retry_days: [3, 3] },
    { retry_days: [0] },
    { retry_days: [61] },
    { refund_fraud_warnings: 'maybe' },
    { retry_timing: 'soon' },
    { card_expiry_reminders: 'maybe' },
    { renewal_reminder_days: 61 },
    { payment_methods: ['cheque'] },
    { debit_access: 'never' },
    { second_factor_policy: 'sometimes' },
    { setup_checklist: 'later' },
  ])
    expect((await call(app, 'PUT', '/accounts/settings', fields, merchant)).status).toBe(422);
});

test('400 missing_parameter: nothing to set', async () => {
  expect((await call(app, 'PUT', '/accounts/settings', {}, await createMerchant(app))).status).toBe(400);
});

test('403 forbidden: a consumer', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  expect((await call(app, 'PUT', '/accounts/settings', { session_limit: 3 }, consumer)).status).toBe(403);
});
