import { createHash, randomBytes } from 'node:crypto';
import { call } from '../client';
import { createConsumer, password, type Person, registration } from '../factories';
import { answerPairing, startPairing } from '../pairings';
import { addPasskey, Authenticator, challengeAt, startConfirmation, startPasskey } from '../passkeys';
import { codeOf, startFactor, switchFactorOn } from '../secondFactors';
import { changeable, cloneConsumer, createApp, customerFor, openSession, type World } from '../world';
import { type Example, type Examples } from './example';

const userCodeOf = async ({ app, merchant }: World) => (await startPairing(app, merchant.uuid)).body.user_code;
const namesTheTenant = { 'body.client_id': 'names the tenant, which everyone knows' };
const mailedTo = { 'params.token': 'unguessable: mailed to its owner' };
const anyTheme = { 'body.branding_id': 'whatever names no theme means the default one' };

const registering: Example = {
  request: ({ merchant }) => ({
    body: { ...registration('consumer', merchant.uuid), date_of_birth: '1999-03-05', metadata: { surname: 'Petrova' } },
  }),
  unowned: { ...namesTheTenant, ...anyTheme },
  roomy: ['branding_id'],
};

const signingIn: Example = {
  request: ({ merchant, consumer }) => ({
    body: { client_id: merchant.uuid, grant_type: 'password', username: consumer.email, password },
  }),
  unowned: namesTheTenant,
};

/** A token as a mail to the account contains it. */
async function mailedToken({ app }: World, account: Person, purpose: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await app.pool.query('DELETE FROM mailed_tokens WHERE account_id = $1 AND purpose = $2', [account.id, purpose]);
  await app.pool.query(
    `INSERT INTO mailed_tokens SELECT merchant_id, id, $2, $3, now() + interval '1 hour' FROM accounts WHERE id = $1`,
    [account.id, purpose, createHash('sha256').update(token).digest()],
  );
  return token;
}

const confirmingExport: Example = {
  request: async (world) => ({
    params: { token: await mailedToken(world, await cloneConsumer(world), 'export_confirmation') },
  }),
  unowned: mailedTo,
};

const rejectingFactor: Example = {
  request: async (world) => {
    const consumer = await cloneConsumer(world);
    await switchFactorOn(world.app, consumer);
    return { params: { token: await mailedToken(world, consumer, 'second_factor_on') } };
  },
  unowned: mailedTo,
};

const activating: Example = {
  request: async (world) => ({
    params: { token: await mailedToken(world, await cloneConsumer(world), 'activation') },
  }),
  unowned: mailedTo,
};

/** Another session of the caller. */
async function createSession(caller: Person): Promise<string> {
  const { token } = await openSession(caller);
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sid: string };
  return claims.sid;
}

/** An identity with which the caller also signs in. */
async function linkIdentity({ app }: World, { id }: Person): Promise<string> {
  const provider = `service-${randomBytes(4).toString('hex')}`;
  await app.pool.query(
    `INSERT INTO social_identities (merchant_id, account_id, provider, subject, is_proven)
     SELECT merchant_id, id, $2, $3, true FROM accounts WHERE id = $1`,
    [id, provider, `subject-${id}`],
  );
  return provider;
}

/** Asks for a pin code in the caller's session, and reads the mail. */
async function mailedPinCode({ app, merchant }: World, caller: Person): Promise<string> {
  await call(app, 'POST', '/v2/accounts/pin-codes/send', {}, caller);
  const { rows } = await app.pool.query<{ sealed_values: Buffer }>(
    `SELECT sealed_values FROM mails WHERE recipient = $1 AND template = 'pin_code' ORDER BY id DESC LIMIT 1`,
    [caller.email],
  );
  const { readMail } = await import('../../../src/mail/mail.js');
  const { getMailBrands } = await import('../../../src/branding/branding.js');
  const brandOf = await getMailBrands(merchant.id, []);
  const sealedValues = rows[0]?.sealed_values ?? null;
  const mail = readMail({ template: 'pin_code', sealedValues }, { brand: brandOf(null), language: 'en' });
  return /\b\d{6}\b/.exec(mail?.text ?? '')?.[0] ?? '';
}

export const accountExamples: Examples = {
  createAccount: registering,
  createAccountV2: registering,
  authenticate: [
    { ...signingIn, unowned: { ...namesTheTenant, 'body.refresh_token': 'unguessable: it is the proof itself' } },
    {
      request: async (world) => ({
        body: {
          client_id: world.merchant.uuid,
          grant_type: 'refresh_token',
          refresh_token: (await cloneConsumer(world)).refreshToken,
        },
      }),
    },
    {
      request: async (world) => {
        const { client_id, secret } = await createApp(world);
        return { body: { client_id, grant_type: 'client_credentials', client_secret: secret } };
      },
    },
  ],
  authenticateV2: signingIn,
  login: {
    request: ({ merchant, consumer }) => ({
      body: { merchant_uuid: merchant.uuid, email: consumer.email, password },
    }),
    unowned: { 'body.merchant_uuid': 'names the tenant, which everyone knows' },
  },
  getAccount: { request: () => ({}) },
  getAccountV2: { request: () => ({}) },
  getAccountV3: { request: () => ({}) },
  logout: { request: () => ({}), spends: true },
  updateAccount: [
    {
      request: () => ({
        body: {
          full_name: 'Ana P.',
          referrer: 'https://a.example',
          // The current date of birth: a consumer can set it only once.
          date_of_birth: '1980-02-29',
          metadata: { city: 'Bitola' },
        },
      }),
      spends: true,
    },
    {
      request: async (world, caller) => ({
        body: {
          id: (await customerFor(world, caller)).id,
          full_name: 'Ana',
        },
      }),
      owned: { 'body.id': 'account' },
      spends: true,
    },
  ],
  sendActivation: {
    request: ({ merchant, consumer }) => ({ body: { merchant_uuid: merchant.uuid, email: consumer.email } }),
    unowned: { 'body.merchant_uuid': 'names the tenant, which everyone knows', ...anyTheme },
    roomy: ['branding_id'],
  },
  resendActivation: {
    request: async (world) => ({ params: { id: (await cloneConsumer(world)).id } }),
    owned: { 'params.id': 'merchant' },
  },
  listSessions: { request: () => ({ query: { limit: 3 } }) },
  endOtherSessions: { request: () => ({}), spends: true },
  endSession: {
    request: async (_world, caller) => ({ params: { session_id: await createSession(caller) } }),
    owned: { 'params.session_id': 'account' },
  },
  listCustomerSessions: {
    request: ({ consumer }) => ({ params: { id: consumer.id }, query: { limit: 3 } }),
    owned: { 'params.id': 'merchant' },
  },
  endCustomerSessions: {
    request: async (world) => ({ params: { id: (await cloneConsumer(world)).id } }),
    owned: { 'params.id': 'merchant' },
  },
  endCustomerSession: {
    request: async (world) => {
      const customer = await cloneConsumer(world);
      return { params: { id: customer.id, session_id: await createSession(customer) } };
    },
    owned: { 'params.id': 'merchant', 'params.session_id': 'merchant' },
  },
  listIdentities: { request: () => ({}) },
  unlinkIdentity: {
    request: async (world, caller) => ({ params: { provider: await linkIdentity(world, caller) } }),
    owned: { 'params.provider': 'account' },
    spends: true,
  },
  listSecondFactors: { request: () => ({}) },
  startSecondFactor: { request: () => ({ body: { password } }) },
  confirmSecondFactor: {
    request: async (world, caller) => {
      const { body } = await startFactor(world.app, await changeable(world, caller));
      return { params: { factor_id: body.id }, body: { code: codeOf(body.secret) } };
    },
    owned: { 'params.factor_id': 'account' },
    spends: true,
  },
  deleteSecondFactor: {
    request: async (world, caller) => {
      const { id, recoveryCodes } = await switchFactorOn(world.app, await changeable(world, caller));
      return { params: { factor_id: id }, body: { code: recoveryCodes[0] } };
    },
    owned: { 'params.factor_id': 'account' },
    spends: true,
  },
  removeCustomerFactor: {
    request: async (world) => {
      const customer = await createConsumer(world.app, world.merchant);
      await switchFactorOn(world.app, customer);
      return { params: { id: customer.id } };
    },
    owned: { 'params.id': 'merchant' },
  },
  verifyPassword: { request: () => ({ body: { password } }) },
  verifySecondFactor: {
    request: async (world, caller) => {
      const { recoveryCodes } = await switchFactorOn(world.app, await changeable(world, caller));
      return { body: { code: recoveryCodes[0] } };
    },
    spends: true,
  },
  createRecoveryCodes: {
    request: async (world, caller) => {
      const { recoveryCodes } = await switchFactorOn(world.app, await changeable(world, caller));
      return { body: { code: recoveryCodes[0] } };
    },
    spends: true,
  },
  startPairing: {
    request: ({ merchant }) => ({ body: { client_id: merchant.uuid, device_name: 'Living room' } }),
    unowned: namesTheTenant,
  },
  signInPaired: {
    request: async (world) => {
      const customer = await cloneConsumer(world);
      const { body } = await startPairing(world.app, world.merchant.uuid);
      await answerPairing(world.app, body.user_code, await openSession(customer));
      return { body: { client_id: world.merchant.uuid, device_code: body.device_code } };
    },
    unowned: { ...namesTheTenant, 'body.device_code': 'a secret that the answer to one device holds' },
  },
  getPairing: {
    request: async (world) => ({ params: { user_code: await userCodeOf(world) } }),
    owned: { 'params.user_code': 'merchant' },
  },
  answerPairing: {
    request: async (world) => ({ params: { user_code: await userCodeOf(world) }, body: { is_approved: true } }),
    owned: { 'params.user_code': 'merchant' },
    spends: true,
  },
  listPasskeys: { request: () => ({}) },
  startPasskey: { request: () => ({ body: { password } }) },
  createPasskey: {
    request: async (world, caller) => {
      const { body } = await startPasskey(world.app, caller);
      return { body: { name: 'Telephone', credential: new Authenticator().create(body.challenge) } };
    },
    spends: true,
  },
  renamePasskey: {
    request: async (world, caller) => ({
      params: { passkey_id: (await addPasskey(world.app, await changeable(world, caller))).id },
      body: { name: 'Laptop' },
    }),
    owned: { 'params.passkey_id': 'account' },
    spends: true,
  },
  deletePasskey: {
    request: async (world, caller) => ({
      params: { passkey_id: (await addPasskey(world.app, await changeable(world, caller))).id },
      body: { password },
    }),
    owned: { 'params.passkey_id': 'account' },
    spends: true,
  },
  startPasskeySignIn: { request: ({ merchant }) => ({ body: { client_id: merchant.uuid } }), unowned: namesTheTenant },
  signInByPasskey: {
    request: async (world) => {
      const customer = await cloneConsumer(world);
      const { authenticator } = await addPasskey(world.app, await openSession(customer));
      const challenge = await challengeAt(world.app, world.merchant.uuid);
      return { body: { client_id: world.merchant.uuid, credential: authenticator.use(challenge, customer) } };
    },
    unowned: namesTheTenant,
  },
  startPasskeyConfirmation: {
    request: async (world, caller) => {
      await addPasskey(world.app, await changeable(world, caller));
      return {};
    },
    spends: true,
  },
  confirmByPasskey: {
    request: async (world, caller) => {
      const { authenticator } = await addPasskey(world.app, await changeable(world, caller));
      const { body } = await startConfirmation(world.app, caller);
      return { body: { credential: authenticator.use(body.challenge, caller) } };
    },
    spends: true,
  },
  activateAccount: activating,
  showActivation: activating,
  submitActivation: activating,
  confirmExport: confirmingExport,
  showFactorRejection: rejectingFactor,
  submitFactorRejection: rejectingFactor,
  showExportConfirmation: confirmingExport,
  submitExportConfirmation: confirmingExport,
  forgotPassword: {
    request: ({ merchant, consumer }) => ({
      body: { merchant_uuid: merchant.uuid, email: consumer.email, branding_id: 'undefined' },
    }),
    unowned: { 'body.merchant_uuid': 'names the tenant, which everyone knows', ...anyTheme },
    roomy: ['branding_id'],
  },
  sendSignInLink: {
    request: ({ merchant, consumer, item }) => ({
      body: {
        merchant_uuid: merchant.uuid,
        email: consumer.email,
        branding_id: 'undefined',
        next: `/paywall/${merchant.uuid}/${item.id}`,
      },
    }),
    unowned: {
      'body.merchant_uuid': 'names the tenant, which everyone knows',
      'body.next': 'a path of a page, which everyone can open',
      ...anyTheme,
    },
    roomy: ['branding_id'],
  },
  signInByLink: {
    request: async (world) => {
      const customer = await cloneConsumer(world);
      return {
        params: { token: await mailedToken(world, customer, 'sign_in_link') },
        body: { client_id: customer.merchantUuid, second_factor_code: '' },
      };
    },
    unowned: { ...mailedTo, 'body.client_id': 'names the tenant, which everyone knows' },
  },
  resetPassword: {
    request: async (world) => ({
      params: { token: await mailedToken(world, await cloneConsumer(world), 'password_reset') },
      body: { password: 'another-horse-battery', password_confirmation: 'another-horse-battery' },
    }),
    unowned: { ...mailedTo, ...anyTheme },
    roomy: ['branding_id'],
  },
  showNewPassword: {
    request: async (world) => ({
      params: { token: await mailedToken(world, await cloneConsumer(world), 'password_reset') },
    }),
    unowned: mailedTo,
  },
  submitNewPassword: {
    request: async (world) => ({
      params: { token: await mailedToken(world, await cloneConsumer(world), 'password_reset') },
      body: { password: 'another-horse-battery', password_confirmation: 'another-horse-battery' },
    }),
    unowned: mailedTo,
    roomy: ['password', 'password_confirmation'],
  },
  changePassword: {
    request: () => ({
      body: {
        old_password: password,
        password: 'another-horse-battery',
        password_confirmation: 'another-horse-battery',
      },
    }),
    unowned: anyTheme,
    roomy: ['branding_id'],
    spends: true,
  },
  sendPinCode: { request: () => ({ body: { branding_id: 0 } }), unowned: anyTheme, roomy: ['branding_id'] },
  validatePinCode: { request: async (world, caller) => ({ body: { pin_code: await mailedPinCode(world, caller) } }) },
};
