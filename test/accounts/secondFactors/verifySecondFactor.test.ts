import { call } from '../../support/client';
import { createMerchant, createShop, type Person } from '../../support/factories';
import { guessSevenTimes } from '../../support/guesses';
import { ageProof, codeOf, renewCodes, signInWith, switchFactorOn, verifyFactor } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';
import { createApp } from '../../support/world';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** A call that asks for a recent code. */
const addApp = async (person: Pick<Person, 'token'>) =>
  (await call(app, 'POST', '/accounts/apps', { name: 'Reader' }, person)).status;

test('200: a code opens the calls that ask for a recent one, in this session', async () => {
  const merchant = await createMerchant(app);
  const { secret, recoveryCodes } = await switchFactorOn(app, merchant);
  const { body } = await signInWith(app, merchant, { second_factor_code: recoveryCodes[0] });
  await ageProof(app, merchant, '11 minutes');
  expect(await addApp(merchant)).toBe(403);
  expect((await verifyFactor(app, merchant, codeOf(secret))).status).toBe(200);
  expect(await addApp(merchant)).toBe(200);
  expect(await addApp({ token: body.access_token })).toBe(403);
});

test('200: for ten minutes after a sign-in with a code, and after the factor was switched on, no call asks', async () => {
  const merchant = await createMerchant(app);
  const { secret } = await switchFactorOn(app, merchant);
  expect(await addApp(merchant)).toBe(200);
  const { body } = await signInWith(app, merchant, { second_factor_code: codeOf(secret) });
  expect(await addApp({ token: body.access_token })).toBe(200);
});

test('200: a session of an app’s secret and an account without a factor are not asked', async () => {
  const shop = await createShop(app);
  const { merchant } = shop;
  const { client_id, secret: client_secret } = await createApp({ app, ...shop });
  expect(await addApp(merchant)).toBe(200);
  await switchFactorOn(app, merchant);
  const bySecret = { client_id, client_secret, grant_type: 'client_credentials' };
  const { body } = await call<{ access_token: string }>(app, 'POST', '/accounts/authenticate', bySecret);
  await ageProof(app, merchant, '11 minutes');
  expect(await addApp(merchant)).toBe(403);
  expect(await addApp({ token: body.access_token })).toBe(200);
});

test('422 second_factor_code_invalid: a wrong code, and one that was used', async () => {
  const merchant = await createMerchant(app);
  const { secret } = await switchFactorOn(app, merchant);
  const used = codeOf(secret);
  await renewCodes(app, merchant, used);
  await ageProof(app, merchant, '11 minutes');
  for (const code of [used, codeOf(secret, 20)])
    expect(await verifyFactor(app, merchant, code)).toMatchObject({
      status: 422,
      body: { error: 'second_factor_code_invalid' },
    });
  expect(await addApp(merchant)).toBe(403);
});

test('404 second_factor_not_found: an account without a second factor', async () => {
  expect(await verifyFactor(app, await createMerchant(app), '123456')).toMatchObject({
    status: 404,
    body: { error: 'second_factor_not_found' },
  });
});

test('429 too_many_requests: after five wrong codes', async () => {
  const merchant = await createMerchant(app);
  const { secret } = await switchFactorOn(app, merchant);
  const statuses = await guessSevenTimes(app, (count) => verifyFactor(app, merchant, codeOf(secret, 20 + count)));
  expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 429]);
});
