import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import {
  addPasskey,
  ageSessions,
  Authenticator,
  challengeAt,
  sendConfirmation,
  startConfirmation,
} from '../../support/passkeys';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const refused = { status: 422, body: { error: 'passkey_invalid' } };

const createAppOf = (merchant: Person) =>
  call<{ error?: string }>(app, 'POST', '/accounts/apps', { name: 'Shop' }, merchant);

async function createHolder() {
  const merchant = await createMerchant(app);
  return { merchant, ...(await addPasskey(app, merchant)) };
}

test('200: a passkey opens the calls that ask for a recent factor, for ten minutes', async () => {
  const { merchant, authenticator } = await createHolder();
  await ageSessions(app, merchant, '11 minutes');
  expect((await createAppOf(merchant)).body.error).toBe('recent_factor_required');
  const { body } = await startConfirmation(app, merchant);
  expect(body.allowCredentials).toMatchObject([{ id: authenticator.id.toString('base64url') }]);
  expect((await sendConfirmation(app, merchant, authenticator.use(body.challenge, merchant))).status).toBe(200);
  expect((await createAppOf(merchant)).body.error).not.toBe('recent_factor_required');
});

test('422 passkey_invalid: the passkey of another account', async () => {
  const { merchant } = await createHolder();
  const other = await createConsumer(app, merchant);
  const { authenticator } = await addPasskey(app, other);
  const { body } = await startConfirmation(app, merchant);
  expect(await sendConfirmation(app, merchant, authenticator.use(body.challenge, other))).toMatchObject(refused);
});

test('422 passkey_invalid: the challenge of a sign-in, of another session, or a used one', async () => {
  const { merchant, authenticator } = await createHolder();
  const ofSignIn = await challengeAt(app, merchant.merchantUuid);
  expect(await sendConfirmation(app, merchant, authenticator.use(ofSignIn, merchant))).toMatchObject(refused);
  const { body } = await startConfirmation(app, merchant);
  const credential = authenticator.use(body.challenge, merchant);
  const stranger = await createHolder();
  expect(await sendConfirmation(app, stranger.merchant, credential)).toMatchObject(refused);
  expect(await sendConfirmation(app, merchant, credential)).toMatchObject(refused);
});

test('422 passkey_invalid: a signature of another key', async () => {
  const { merchant, authenticator } = await createHolder();
  const { body } = await startConfirmation(app, merchant);
  const forged = { ...new Authenticator().use(body.challenge, merchant), id: authenticator.id.toString('base64url') };
  expect(await sendConfirmation(app, merchant, { ...forged, rawId: forged.id })).toMatchObject(refused);
});
