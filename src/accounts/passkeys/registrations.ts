import { type z } from 'zod';
import { transaction } from '../../adapters/postgres/connection';
import { passkeyDomain, passkeyOrigins } from '../../adapters/settings';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { Account } from '../accounts.model';
import { issuerOf } from '../secondFactors/enrolments';
import { lockHolder, noteProof } from '../secondFactors/secondFactors.model';
import { forgetWithCommit } from '../tokens/callers';
import { requireOpenSession } from '../tokens/openSessions';
import { answerChallenge, keepChallenge, lifetimeMinutes } from './challenges';
import { mailChange } from './mails';
import { requireOwner } from './owners';
import { transportsOf } from './transports';
import { webauthn } from './webauthn';
import { insertPasskey, readPasskeys } from './passkeys.model';
import { holderOf, presentPasskey } from './passkeys';
import { type CreatePasskeyBody, type NewCredential } from './passkeys.schemas';

/** A new passkey: the authenticator creates a pair of keys and verifies its user by a fingerprint, a face or a PIN. */

const passkeysMax = 20;

/**
 * The options for a new passkey. They exclude the account's passkeys, so that an authenticator does not create a second
 * one for it.
 */
export async function startRegistration(caller: Caller, password: string | undefined) {
  await requireOwner(caller, password);
  const { accountId: id, merchantId, sessionId } = caller;
  const account = await Account.findOne({ where: { id, merchantId } });
  if (!account) throw new AppError('account_not_found');
  const known = await readPasskeys(account);
  if (known.length >= passkeysMax) throw new AppError('passkey_limit');
  const { generateRegistrationOptions } = webauthn();
  const options = await generateRegistrationOptions({
    rpName: await issuerOf(account),
    rpID: passkeyDomain,
    userID: new Uint8Array(Buffer.from(account.uuid.replaceAll('-', ''), 'hex')),
    userName: account.email,
    userDisplayName: account.fullName || account.email,
    attestationType: 'none',
    timeout: lifetimeMinutes * 60_000,
    excludeCredentials: known.map((row) => ({
      id: row.credential_id.toString('base64url'),
      transports: transportsOf(row.transports),
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  await keepChallenge({ purpose: 'create', sessionId }, options.challenge);
  return { ...options };
}

export async function createPasskey(
  caller: Caller,
  { credential, name = 'Passkey' }: z.output<typeof CreatePasskeyBody>,
  { requestId }: RequestFacts,
) {
  const { sessionId, accountId } = caller;
  const made = await answerChallenge(
    { purpose: 'create', sessionId },
    credential.response.clientDataJSON,
    (challenge) => verify(credential, challenge),
  );
  const holder = holderOf(caller);
  const row = await transaction(async (inTransaction) => {
    await lockHolder(inTransaction, holder);
    await requireOpenSession(inTransaction, caller);
    if ((await readPasskeys(holder, inTransaction)).length >= passkeysMax) throw new AppError('passkey_limit');
    const inserted = await insertPasskey(inTransaction, holder, {
      credentialId: Buffer.from(made.credential.id, 'base64url'),
      publicKey: made.credential.publicKey,
      signCount: made.credential.counter,
      isSyncedKind: made.credentialDeviceType === 'multiDevice',
      isBackedUp: made.credentialBackedUp,
      transports: transportsOf(credential.response.transports),
      name,
    });
    if (!inserted) throw new AppError('passkey_exists');
    forgetWithCommit(inTransaction, accountId);
    await noteProof(inTransaction, sessionId);
    await mailChange(inTransaction, holder, { template: 'passkey_added', name });
    await audit(inTransaction, caller, { action: 'passkey.create', object: ['account', accountId], requestId });
    return inserted;
  });
  return presentPasskey(row);
}

/** The library throws for a wrong origin, domain or format, and for an authenticator that has not verified its user. */
async function verify({ response, ...credential }: z.output<typeof NewCredential>, expectedChallenge: string) {
  const { clientDataJSON, attestationObject } = response;
  const { verifyRegistrationResponse } = webauthn();
  const verified = await verifyRegistrationResponse({
    response: {
      ...{ id: credential.id, rawId: credential.rawId, type: credential.type },
      response: { clientDataJSON, attestationObject },
      clientExtensionResults: {},
    },
    expectedChallenge,
    expectedOrigin: passkeyOrigins,
    expectedRPID: passkeyDomain,
    requireUserVerification: true,
  }).catch(() => undefined);
  if (!verified?.verified) throw new AppError('passkey_invalid');
  return verified.registrationInfo;
}
