import { call } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { ageProof, codeOf, moveToPages, switchFactorOn, verifyFactor } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const erase = (caller: Person, fields: object = {}) =>
  call<{ error?: string }>(app, 'DELETE', '/accounts/erase', { password, ...fields }, caller);

test('403 recent_factor_required: a merchant and a consumer with a factor enter a code besides the password', async () => {
  const merchant = await createMerchant(app);
  const [customer, consumer] = [await createConsumer(app, merchant), await createConsumer(app, merchant)];
  for (const [caller, fields] of [
    [merchant, { customer_id: customer.id }],
    [consumer, {}],
  ] as const) {
    const { secret } = await switchFactorOn(app, caller);
    await ageProof(app, caller, '11 minutes');
    expect(await erase(caller, fields)).toMatchObject({ status: 403, body: { error: 'recent_factor_required' } });
    await verifyFactor(app, caller, codeOf(secret));
    expect((await erase(caller, fields)).status).toBe(202);
  }
});

test('202: the password of the request is enough in an old session of our pages', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  await moveToPages(app, consumer, '11 minutes');
  expect((await erase(consumer)).status).toBe(202);
});
