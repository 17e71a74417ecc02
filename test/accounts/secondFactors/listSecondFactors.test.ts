import { createConsumer, createMerchant } from '../../support/factories';
import { codeOf, listFactors, signInWith, startFactor, switchFactorOn } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('200: nothing at first, and nothing while the first code is missing', async () => {
  const merchant = await createMerchant(app);
  expect(await listFactors(app, merchant)).toEqual({ collection: [], recovery_codes_left: 0 });
  await startFactor(app, merchant);
  expect(await listFactors(app, merchant)).toEqual({ collection: [], recovery_codes_left: 0 });
});

test('200: the own factor without its secret, and how many recovery codes are left', async () => {
  const merchant = await createMerchant(app);
  const [owner, other] = [await createConsumer(app, merchant), await createConsumer(app, merchant)];
  const factor = await switchFactorOn(app, owner);
  const listed = { id: factor.id, kind: 'totp', confirmed_at: expect.any(Number) as number };
  expect(await listFactors(app, owner)).toEqual({ collection: [listed], recovery_codes_left: 10 });
  await signInWith(app, owner, { second_factor_code: factor.recoveryCodes[0] });
  await signInWith(app, owner, { second_factor_code: codeOf(factor.secret) });
  expect((await listFactors(app, owner)).recovery_codes_left).toBe(9);
  expect((await listFactors(app, other)).collection).toEqual([]);
});
