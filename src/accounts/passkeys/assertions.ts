import { type z } from 'zod';
import { transaction } from '../../adapters/postgres/connection';
import { passkeyDomain, passkeyOrigins } from '../../adapters/settings';
import { AppError } from '../../kit/errors';
import { answerChallenge, keepChallenge, lifetimeMinutes, type Use } from './challenges';
import { noteUse, type PasskeyRow } from './passkeys.model';
import { type UsedCredential } from './passkeys.schemas';
import { transportsOf } from './transports';
import { webauthn } from './webauthn';

/** The use of a passkey: the authenticator verifies the user, and signs a challenge. */

type Used = z.output<typeof UsedCredential>;

/** Starts the use of a passkey. Without a list of passkeys, the browser offers all of its passkeys for our domain. */
export async function startAssertion(use: Use, passkeys: readonly PasskeyRow[] = []) {
  const { generateAuthenticationOptions } = webauthn();
  const options = await generateAuthenticationOptions({
    rpID: passkeyDomain,
    timeout: lifetimeMinutes * 60_000,
    userVerification: 'required',
    allowCredentials: passkeys.map((row) => ({
      id: row.credential_id.toString('base64url'),
      transports: transportsOf(row.transports),
    })),
  });
  await keepChallenge(use, options.challenge);
  return { ...options };
}

/**
 * Accepts the answer of an authenticator, once. `findPasskey` returns the passkey that the caller may use. A refused
 * answer also uses the challenge up.
 */
export async function acceptAssertion<P extends PasskeyRow>(
  use: Use,
  credential: Used,
  findPasskey: (credentialId: Buffer) => Promise<P | undefined>,
): Promise<P> {
  return answerChallenge(use, credential.response.clientDataJSON, async (challenge) => {
    const passkey = await findPasskey(Buffer.from(credential.id, 'base64url'));
    if (!passkey) throw new AppError('passkey_invalid');
    const used = await verify(passkey, credential, challenge);
    const isNext = await transaction((inTransaction) => noteUse(inTransaction, passkey.id, used));
    if (!isNext) throw new AppError('passkey_invalid');
    return passkey;
  });
}

/**
 * The library throws for a wrong signature, origin or domain, for an authenticator that has not verified its user, and
 * for a counter that has not risen. A copied key would send such a counter.
 */
async function verify(row: PasskeyRow, { response, ...credential }: Used, expectedChallenge: string) {
  const { clientDataJSON, authenticatorData, signature } = response;
  const { verifyAuthenticationResponse } = webauthn();
  const verified = await verifyAuthenticationResponse({
    response: {
      ...{ id: credential.id, rawId: credential.rawId, type: credential.type },
      response: { clientDataJSON, authenticatorData, signature },
      clientExtensionResults: {},
    },
    expectedChallenge,
    expectedOrigin: passkeyOrigins,
    expectedRPID: passkeyDomain,
    requireUserVerification: true,
    credential: {
      id: row.credential_id.toString('base64url'),
      publicKey: new Uint8Array(row.public_key),
      counter: Number(row.sign_count),
    },
  }).catch(() => undefined);
  if (!verified?.verified) throw new AppError('passkey_invalid');
  const { newCounter, credentialBackedUp } = verified.authenticationInfo;
  return { signCount: newCounter, isBackedUp: credentialBackedUp };
}
