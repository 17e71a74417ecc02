import { type z } from 'zod';
import { locationOf } from '../../adapters/geoip';
import { transaction } from '../../adapters/postgres/connection';
import { throttleAttempts } from '../../adapters/postgres/throttling';
import { baseUrl } from '../../adapters/settings';
import { type Caller } from '../../kit/auth';
import { deviceOf } from '../../kit/devices';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { hashOf, newSecret } from '../../kit/secrets';
import { unixSeconds } from '../../kit/time';
import { getClient } from '../../oauthApps/clients';
import { Account } from '../accounts.model';
import { getMerchantUuid } from '../merchants/merchantUuids';
import { enter } from '../signIn/authentication';
import { requireOpenSession } from '../tokens/openSessions';
import * as model from './pairings.model';
import {
  type AnswerBody,
  type PairingResponse,
  type StartBody,
  type StartedPairing,
  type TokenBody,
} from './pairings.schemas';
import { createUserCode, qrCodePicture, readUserCode, showUserCode } from './userCodes';

/**
 * The sign-in of a device without a keyboard, such as a television (RFC 8628). The device shows a code. A signed-in
 * customer enters it in the portal or in an app and confirms. The device polls, and gets a session of that customer.
 */

const lifetimeSeconds = 600;
const pollSeconds = 5;
/** A poll is too early only if it is clearly too early: devices and networks have jitter. */
const toleranceSeconds = 1;

export async function startPairing(
  { client_id: clientId, device_name: deviceName = '' }: z.output<typeof StartBody>,
  request: RequestFacts,
): Promise<z.output<typeof StartedPairing>> {
  const { merchantId } = await getClient(clientId, 'password');
  const deviceCode = newSecret();
  const { type: deviceType, os: deviceOs, model: deviceModel } = deviceOf(request.userAgent);
  const { country = '', city = '' } = locationOf(request.clientAddress);
  const pairing = {
    deviceCodeHash: hashOf(deviceCode),
    merchantId,
    clientId: clientId.toLowerCase(),
    deviceName: deviceName === '' ? deviceModel : deviceName,
    ...{ deviceType, deviceOs, country, city, lifetimeSeconds },
  };
  let userCode = createUserCode();
  while (!(await model.insertPairing({ ...pairing, userCodeHash: hashOf(userCode) }))) userCode = createUserCode();
  const address = `${baseUrl}/portal/${await getMerchantUuid(merchantId)}/tv`;
  const whole = `${address}?code=${showUserCode(userCode)}`;
  return {
    device_code: deviceCode,
    user_code: showUserCode(userCode),
    verification_uri: address,
    verification_uri_complete: whole,
    qr_code: qrCodePicture(whole),
    expires_in: lifetimeSeconds,
    interval: pollSeconds,
  };
}

/** Answers a poll of the device. It gets its session once. */
export async function signInPaired(
  { client_id: clientId, device_code: code }: z.output<typeof TokenBody>,
  request: RequestFacts,
) {
  await getClient(clientId, 'password');
  const hash = hashOf(code);
  const polled = await model.pollPairing(hash, clientId.toLowerCase(), pollSeconds - toleranceSeconds);
  if (!polled?.is_alive) throw new AppError('expired_token');
  if (polled.state === 'denied') throw new AppError('access_denied');
  if (polled.state === 'waiting') throw new AppError(polled.is_early ? 'slow_down' : 'authorization_pending');
  // Read before the pairing is taken: a password that changes afterwards refuses the session.
  const account = await Account.findOne({ where: { id: polled.account_id ?? 0, isActive: true } });
  const taken = account && (await model.takePairing(hash));
  if (!taken) throw new AppError('expired_token');
  const { factor_proven_at: factorProvenAt } = taken;
  const factor = { isFactorProven: factorProvenAt !== null, ...(factorProvenAt && { factorProvenAt }) };
  return enter(account, clientId, { ...factor, request }).catch(refuseExpired);
}

/** The account was deactivated, or its password has changed, since the pairing was taken. */
function refuseExpired(error: unknown): never {
  throw error instanceof AppError && error.code === 'invalid_credentials' ? new AppError('expired_token') : error;
}

export async function getPairing(caller: Caller, typed: string): Promise<z.output<typeof PairingResponse>> {
  const { found, code } = await guess(caller, typed, (hash) => model.findPairing(caller.merchantId, hash));
  return {
    user_code: showUserCode(code),
    ...{ device_name: found.device_name, device_type: found.device_type, device_os: found.device_os },
    ...{ country: found.country, city: found.city },
    created_at: unixSeconds(found.created_at),
    expires_at: unixSeconds(found.expires_at),
  };
}

export async function answerPairing(
  caller: Caller,
  typed: string,
  { is_approved: isApproved }: z.output<typeof AnswerBody>,
) {
  const { merchantId, accountId, sessionId } = caller;
  const state = isApproved ? 'approved' : 'denied';
  await guess(caller, typed, (userCodeHash) =>
    transaction(async (inTransaction) => {
      await requireOpenSession(inTransaction, caller);
      const answer = { merchantId, accountId, sessionId, userCodeHash, state } as const;
      return (await model.answerPairing(answer, inTransaction)) || undefined;
    }),
  );
  return message(isApproved ? 'The device is signed in' : 'The device is not signed in');
}

/** A wrong code counts as a guess at the code of another person's device. A text that cannot be a code does not. */
async function guess<T>(
  { accountUuid, clientAddress }: Caller,
  typed: string,
  find: (userCodeHash: Buffer) => Promise<T | undefined>,
): Promise<{ found: T; code: string }> {
  const code = readUserCode(typed);
  if (code === undefined) throw new AppError('pairing_not_found');
  const attempt = { kind: 'pairing-code', subject: accountUuid, address: clientAddress } as const;
  const found = await throttleAttempts(attempt, () => find(hashOf(code)));
  if (found === undefined) throw new AppError('pairing_not_found');
  return { found, code };
}
