import { createMerchant, password } from '../../support/factories';
import { guessSevenTimes } from '../../support/guesses';
import { addPasskey, ageSessions, fillPasskeys, startPasskey } from '../../support/passkeys';
import { switchFactorOn } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('200: the options name the account, ask for a verified user, and exclude the passkeys it has', async () => {
  const merchant = await createMerchant(app);
  const { authenticator } = await addPasskey(app, merchant);
  const { body } = await startPasskey(app, merchant);
  expect(body).toMatchObject({
    rp: { id: 'paywall.test' },
    user: { name: merchant.email },
    excludeCredentials: [{ id: authenticator.id.toString('base64url'), transports: ['internal', 'hybrid'] }],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
});

test('400 missing_parameter: an old session needs the password', async () => {
  const merchant = await createMerchant(app);
  await ageSessions(app, merchant, '11 minutes');
  expect(await startPasskey(app, merchant)).toMatchObject({ status: 400, body: { error: 'missing_parameter' } });
  expect(await startPasskey(app, merchant, { password: 'another-horse' })).toMatchObject({
    status: 422,
    body: { error: 'wrong_password' },
  });
  expect((await startPasskey(app, merchant, { password })).status).toBe(200);
});

test('422 wrong_password: an old session with another password', async () => {
  const merchant = await createMerchant(app);
  await ageSessions(app, merchant, '11 minutes');
  const refused = { status: 422, body: { error: 'wrong_password' } };
  expect(await startPasskey(app, merchant, { password: 'another-horse' })).toMatchObject(refused);
});

test('429 too_many_requests: after five wrong passwords', async () => {
  const merchant = await createMerchant(app);
  await ageSessions(app, merchant, '11 minutes');
  const statuses = await guessSevenTimes(app, (count) =>
    startPasskey(app, merchant, { password: `wrong-${count}-horse` }),
  );
  expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 429]);
});

test('409 passkey_limit: an account with twenty passkeys', async () => {
  const merchant = await createMerchant(app);
  await fillPasskeys(app, merchant, 20);
  expect(await startPasskey(app, merchant)).toMatchObject({ status: 409, body: { error: 'passkey_limit' } });
});

test('403 recent_factor_required: the password does not replace the code of an authenticator app', async () => {
  const merchant = await createMerchant(app);
  await switchFactorOn(app, merchant);
  expect((await startPasskey(app, merchant)).status).toBe(200);
  await ageSessions(app, merchant, '11 minutes');
  expect(await startPasskey(app, merchant, { password })).toMatchObject({
    status: 403,
    body: { error: 'recent_factor_required' },
  });
});
