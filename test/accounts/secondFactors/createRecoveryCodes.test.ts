import { createMerchant } from '../../support/factories';
import { guessSevenTimes } from '../../support/guesses';
import { codeOf, forgetSteps, renewCodes, signInWith, switchFactorOn } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('200: ten new codes, and the earlier ones no longer work', async () => {
  const merchant = await createMerchant(app);
  const { secret, recoveryCodes } = await switchFactorOn(app, merchant);
  const { status, body } = await renewCodes(app, merchant, codeOf(secret));
  expect([status, body.recovery_codes.length]).toEqual([200, 10]);
  expect((await signInWith(app, merchant, { second_factor_code: recoveryCodes[0] })).status).toBe(422);
  expect((await signInWith(app, merchant, { second_factor_code: body.recovery_codes[0] })).status).toBe(200);
});

test('422 second_factor_code_invalid: a wrong code, and one that was used', async () => {
  const merchant = await createMerchant(app);
  const { secret } = await switchFactorOn(app, merchant);
  const used = codeOf(secret);
  await renewCodes(app, merchant, used);
  for (const code of [used, codeOf(secret, 20)])
    expect(await renewCodes(app, merchant, code)).toMatchObject({
      status: 422,
      body: { error: 'second_factor_code_invalid' },
    });
});

test('404 second_factor_not_found: an account without a second factor', async () => {
  expect(await renewCodes(app, await createMerchant(app), '123456')).toMatchObject({
    status: 404,
    body: { error: 'second_factor_not_found' },
  });
});

test('429 too_many_requests: after five wrong codes', async () => {
  const merchant = await createMerchant(app);
  const { secret } = await switchFactorOn(app, merchant);
  const statuses = await guessSevenTimes(app, (count) => renewCodes(app, merchant, codeOf(secret, 20 + count)));
  expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 429]);
  await forgetSteps(app, merchant);
  expect((await renewCodes(app, merchant, codeOf(secret))).status).toBe(429);
});
