import { randomInt } from 'node:crypto';
import { countHourly } from '../../adapters/hourlyCounts';
import { hashPassword, verifyPassword } from '../../adapters/passwords';
import { transaction } from '../../adapters/postgres/connection';
import { throttleAttempts } from '../../adapters/postgres/throttling';
import { execute, statement } from '../../adapters/postgres/statement';
import { mailsPerHour } from '../../adapters/settings';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { queueMail } from '../../mail/mail';
import { Account } from '../accounts.model';

const lifetimeMinutes = 10;
const triesMax = 5;

/** Mails a code that proves access to the account's mailbox for this session. An earlier code becomes invalid. */
export async function sendPinCode(caller: Caller, brandingId?: number) {
  await countHourly(['pin_code', caller.accountId], mailsPerHour);
  const account = await Account.findByPk(caller.accountId);
  if (!account) throw new AppError('invalid_auth_token');
  // Six digits without a leading zero, because clients may send the code as a number.
  const code = String(randomInt(100_000, 1_000_000));
  const codeHash = await hashPassword(code);
  await transaction(async (inTransaction) => {
    await execute(
      inTransaction,
      `INSERT INTO pin_codes (session_id, merchant_id, account_id, code_hash, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(mins => $5))
       ON CONFLICT (session_id) DO UPDATE
         SET code_hash = excluded.code_hash, expires_at = excluded.expires_at, tries = 0, validated_at = NULL`,
      [caller.sessionId, account.merchantId, account.id, codeHash, lifetimeMinutes],
    );
    const { merchantId, id: accountId, email: to } = account;
    await queueMail(inTransaction, { merchantId, accountId, brandingId, to, template: 'pin_code', values: { code } });
  });
  return message('Pin code successfully sent');
}

/** An attempt is counted before the code is compared, so that five concurrent guesses count as five. */
const tryStatement = statement<{ code_hash: string }>(
  'pin_try',
  `UPDATE pin_codes SET tries = tries + 1
   WHERE session_id = $1 AND validated_at IS NULL AND expires_at > now() AND tries < $2 RETURNING code_hash`,
);
/** The hash is also a condition, because a new code may have been sent after the check. */
const validatedStatement = statement<{ session_id: string }>(
  'pin_validated',
  `UPDATE pin_codes SET validated_at = now()
   WHERE session_id = $1 AND code_hash = $2 AND validated_at IS NULL RETURNING session_id`,
);

/** Wrong, expired, used and unknown codes get the same response. */
export async function validatePinCode(caller: Caller, code: string) {
  const attempt = { kind: 'pin-code', subject: caller.accountUuid, address: caller.clientAddress } as const;
  const codeHash = await throttleAttempts(attempt, () => checkCode(caller.sessionId, code));
  const [validated] = codeHash === undefined ? [] : await validatedStatement([caller.sessionId, codeHash]);
  if (!validated) throw new AppError('pin_code_invalid', { errors: { pin_code: 'The pin_code is not valid.' } });
  return message('Pin code is valid');
}

/** The hash of the code, if the code is correct. */
async function checkCode(sessionId: string, code: string): Promise<string | undefined> {
  const [tried] = await tryStatement([sessionId, triesMax]);
  const isRight = await verifyPassword(tried?.code_hash, code);
  return isRight ? tried?.code_hash : undefined;
}
