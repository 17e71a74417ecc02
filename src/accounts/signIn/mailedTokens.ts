import { createHash, randomBytes } from 'node:crypto';
import { countHourly } from '../../adapters/hourlyCounts';
import { logger } from '../../adapters/logger';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';
import { baseUrl, mailsPerHour, platformClientId } from '../../adapters/settings';
import { normalizeEmail } from '../../kit/form';
import { queueMail } from '../../mail/mail';
import { Account } from '../accounts.model';
import { getTenant } from '../../oauthApps/clients';

/** The purpose of a mailed token, which is also the name of the mail's template. */
export type TokenPurpose = 'activation' | 'password_reset' | 'export_confirmation';

const kinds: Record<TokenPurpose, { lifetimeHours: number; path: string }> = {
  activation: { lifetimeHours: 24, path: '/accounts/activate' },
  password_reset: { lifetimeHours: 1, path: '/accounts/forgot-password' },
  export_confirmation: { lifetimeHours: 1, path: '/accounts/export' },
};
const requestsPerRound = 20;
const retrySeconds = 30;

const requestStatement = statement(
  'mail_request',
  'INSERT INTO mail_requests (merchant_id, email_normalized, purpose, branding_id) VALUES ($1, $2, $3, $4)',
);

/**
 * Records that a mail is requested for an address. `answerMailRequests` later looks up whether the address has an
 * account, so that the request does the same work in the same time either way.
 */
export async function requestMail(
  merchantOrClient: string,
  email: string,
  { purpose, brandingId }: { purpose: TokenPurpose; brandingId?: number | undefined },
): Promise<void> {
  const isPlatform = merchantOrClient === platformClientId;
  const merchantId = isPlatform ? null : (await getTenant(merchantOrClient)).merchantId;
  const emailNormalized = normalizeEmail(email);
  await countHourly([purpose, merchantId ?? platformClientId, emailNormalized], mailsPerHour);
  await requestStatement([merchantId, emailNormalized, purpose, brandingId ?? null]);
}

interface MailRequest {
  id: number;
  merchant_id: number | null;
  email_normalized: string;
  purpose: TokenPurpose;
  branding_id: number | null;
}

const leaseStatement = statement<MailRequest>(
  'mail_requests_lease',
  `UPDATE mail_requests SET available_at = now() + make_interval(secs => $1)
   WHERE id IN (SELECT id FROM mail_requests WHERE available_at <= now() ORDER BY available_at, id LIMIT $2
     FOR UPDATE SKIP LOCKED)
   RETURNING id, merchant_id, email_normalized, purpose, branding_id`,
);

/**
 * Sends the requested mails to addresses that have an account. A request that fails is tried again later and does not
 * delay the others.
 */
export async function answerMailRequests(): Promise<void> {
  for (const request of await leaseStatement([retrySeconds, requestsPerRound])) {
    try {
      await transaction((inTransaction) => answer(inTransaction, request));
    } catch (error) {
      logger.warn({ mailRequestId: request.id, err: error }, 'a requested mail could not be queued; it is tried again');
    }
  }
}

async function answer(inTransaction: Transaction, request: MailRequest): Promise<void> {
  const { id, merchant_id: merchantId, email_normalized: emailNormalized, purpose } = request;
  const taken = await execute(inTransaction, 'DELETE FROM mail_requests WHERE id = $1 RETURNING id', [id]);
  const account = await Account.findOne({
    // The same rule as at sign-in: the platform knows merchants, and a merchant knows its consumers and itself.
    where: { emailNormalized, isActive: true, ...(merchantId === null ? { role: 'merchant' } : { merchantId }) },
    order: [['role', 'ASC']],
    transaction: inTransaction,
  });
  const isWanted = taken.length > 0 && !(purpose === 'activation' && account?.activatedAt);
  if (isWanted && account) await mailToken(inTransaction, account, purpose, request.branding_id ?? undefined);
}

/** Mails a new token to the account's stored address. */
export async function mailToken(
  inTransaction: Transaction,
  account: Account,
  purpose: TokenPurpose,
  brandingId?: number,
): Promise<void> {
  const token = await createToken(inTransaction, account, purpose);
  await queueMail(inTransaction, {
    merchantId: account.merchantId,
    accountId: account.id,
    brandingId,
    to: account.email,
    template: purpose,
    values: { token, url: `${baseUrl}${kinds[purpose].path}/${token}` },
  });
}

/** A token of which only the hash is stored. An older token for the same purpose ends. */
export async function createToken(
  inTransaction: Transaction,
  account: Account,
  purpose: TokenPurpose,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await execute(
    inTransaction,
    `INSERT INTO mailed_tokens (merchant_id, account_id, purpose, token_hash, expires_at)
     VALUES ($1, $2, $3, $4, now() + make_interval(hours => $5))
     ON CONFLICT (account_id, purpose)
       DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at`,
    [account.merchantId, account.id, purpose, hashOf(token), kinds[purpose].lifetimeHours],
  );
  return token;
}

const holderStatement = statement<{ account_id: number }>(
  'mailed_token_holder',
  'SELECT account_id FROM mailed_tokens WHERE token_hash = $1 AND purpose = $2 AND expires_at > now()',
);

/** The account of a valid token. The token stays valid. */
export async function findTokenHolder(token: string, purpose: TokenPurpose): Promise<Account | undefined> {
  const [row] = await holderStatement([hashOf(token), purpose]);
  return (row && (await Account.findOne({ where: { id: row.account_id, isActive: true } }))) ?? undefined;
}

/** The merchant of a token's holder, for the links of a page. */
export interface TokenHome {
  /** Whether the token can be redeemed now. */
  isAlive: boolean;
  /** The merchant of a customer; undefined for a merchant, who uses the console. */
  merchantUuid: string | undefined;
}

const homeStatement = statement<{ isAlive: boolean; merchantUuid: string | null }>(
  'mailed_token_home',
  `SELECT t.expires_at > now() AS "isAlive", CASE WHEN a.role = 'consumer' THEN a.merchant_uuid END AS "merchantUuid"
   FROM mailed_tokens t JOIN accounts a ON a.id = t.account_id
   WHERE t.token_hash = $1 AND t.purpose = $2 AND a.is_active`,
);

/** The merchant of a token, even if it has expired; undefined for a used or unknown token. */
export async function findTokenHome(token: string, purpose: TokenPurpose): Promise<TokenHome | undefined> {
  const [row] = await homeStatement([hashOf(token), purpose]);
  return row && { isAlive: row.isAlive, merchantUuid: row.merchantUuid ?? undefined };
}

/** Uses a token. Of several concurrent requests with the same token, one gets the account. */
export async function redeemToken(
  inTransaction: Transaction,
  token: string,
  purpose: TokenPurpose,
): Promise<Account | undefined> {
  const [row] = await execute<{ account_id: number }>(
    inTransaction,
    `DELETE FROM mailed_tokens WHERE token_hash = $1 AND purpose = $2 AND expires_at > now() RETURNING account_id`,
    [hashOf(token), purpose],
  );
  if (!row) return undefined;
  const where = { id: row.account_id, isActive: true };
  return (await Account.findOne({ where, transaction: inTransaction })) ?? undefined;
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
