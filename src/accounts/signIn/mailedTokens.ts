import { createHmac } from 'node:crypto';
import { Op, type WhereOptions } from 'sequelize';
import { countHourly } from '../../adapters/hourlyCounts';
import { logger } from '../../adapters/logger';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';
import { baseUrl, mailsPerHour, platformClientId } from '../../adapters/settings';
import { normalizeEmail } from '../../kit/form';
import { hashOf, newSecret } from '../../kit/secrets';
import { queueMail } from '../../mail/mail';
import { Account } from '../accounts.model';
import { listHere } from '../merchants/states';
import { getTenant } from '../../oauthApps/clients';
import { entrantsOf } from './entrants';

/** The purpose of a mailed token, which is also the name of the mail's template. */
export type TokenPurpose =
  'activation' | 'password_reset' | 'sign_in_link' | 'export_confirmation' | 'second_factor_on';

interface Kind {
  lifetimeMinutes: number;
  /** The path of the page. The token is appended. */
  pathFor: (account: Account) => string;
}

const kinds: Record<TokenPurpose, Kind> = {
  activation: { lifetimeMinutes: 24 * 60, pathFor: () => '/accounts/activate' },
  password_reset: { lifetimeMinutes: 60, pathFor: () => '/accounts/forgot-password' },
  sign_in_link: { lifetimeMinutes: 15, pathFor: ({ merchantUuid }) => `/portal/${merchantUuid}/sign-in` },
  export_confirmation: { lifetimeMinutes: 60, pathFor: () => '/accounts/export' },
  second_factor_on: { lifetimeMinutes: 24 * 60, pathFor: () => '/accounts/second-factor' },
};
const requestsPerRound = 20;
const retrySeconds = 30;

const requestStatement = statement(
  'mail_request',
  `INSERT INTO mail_requests (merchant_id, email_normalized, purpose, branding_id, next_path)
   VALUES ($1, $2, $3, $4, $5)`,
);

interface RequestedMail {
  purpose: TokenPurpose;
  brandingId: number | undefined;
  /** The path of our page to which the link leads. Undefined: the default page. */
  nextPath?: string | undefined;
}

/**
 * Records that a mail is requested for an address. `answerMailRequests` later finds out whether the address has an
 * account, so the request takes the same time in both cases.
 */
export async function requestMail(
  merchantOrClient: string,
  email: string,
  { purpose, brandingId, nextPath }: RequestedMail,
): Promise<void> {
  const isPlatform = merchantOrClient === platformClientId;
  const merchantId = isPlatform ? null : (await getTenant(merchantOrClient)).merchantId;
  const emailNormalized = normalizeEmail(email);
  await countHourly([purpose, merchantId ?? platformClientId, emailNormalized], mailsPerHour);
  await requestStatement([merchantId, emailNormalized, purpose, brandingId ?? null, nextPath ?? null]);
}

interface MailRequest {
  id: number;
  merchant_id: number | null;
  email_normalized: string;
  purpose: TokenPurpose;
  branding_id: number | null;
  next_path: string | null;
}

const leaseStatement = statement<MailRequest>(
  'mail_requests_lease',
  `UPDATE mail_requests SET available_at = now() + make_interval(secs => $1)
   WHERE id IN (SELECT id FROM mail_requests WHERE available_at <= now() ORDER BY available_at, id LIMIT $2
     FOR UPDATE SKIP LOCKED)
   RETURNING id, merchant_id, email_normalized, purpose, branding_id, next_path`,
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
  // The same rule as at sign-in. The lock waits for a change of the address, so no link goes to a former address.
  const account = await lockAccount(inTransaction, {
    [Op.and]: [{ emailNormalized, isActive: true }, entrantsOf(merchantId === null ? 'platform' : { merchantId })],
  });
  if (taken.length === 0 || !account || !isFor(account, purpose)) return;
  // The other installation has to send the mail: a link of this one would change nothing there.
  if ((await listHere([account.merchantId], inTransaction)).length === 0) return;
  const { branding_id: brandingId, next_path: nextPath } = request;
  await mailToken(inTransaction, account, purpose, brandingId ?? undefined, nextPath ?? undefined);
}

async function lockAccount(inTransaction: Transaction, where: WhereOptions<Account>): Promise<Account | undefined> {
  const lock = inTransaction.LOCK.NO_KEY_UPDATE;
  return (await Account.findOne({ where, order: [['role', 'ASC']], transaction: inTransaction, lock })) ?? undefined;
}

function isFor({ activatedAt, role }: Account, purpose: TokenPurpose): boolean {
  if (purpose === 'activation') return activatedAt === null;
  // A merchant always enters its password.
  return purpose !== 'sign_in_link' || role === 'consumer';
}

/** Mails a new token to the account's stored address. */
export async function mailToken(
  inTransaction: Transaction,
  account: Account,
  purpose: TokenPurpose,
  brandingId?: number,
  nextPath?: string,
): Promise<void> {
  const token = await createToken(inTransaction, account, purpose);
  const nextQuery = nextPath === undefined ? '' : `?${new URLSearchParams({ next: nextPath }).toString()}`;
  await queueMail(inTransaction, {
    merchantId: account.merchantId,
    accountId: account.id,
    brandingId,
    to: account.email,
    template: purpose,
    values: { token, url: `${baseUrl}${kinds[purpose].pathFor(account)}/${token}${nextQuery}` },
  });
}

/** Creates a token and stores only its hash. An older token for the same purpose ends. */
export async function createToken(
  inTransaction: Transaction,
  account: Account,
  purpose: TokenPurpose,
  token = newSecret(),
): Promise<string> {
  await execute(
    inTransaction,
    `INSERT INTO mailed_tokens (merchant_id, account_id, purpose, token_hash, expires_at)
     VALUES ($1, $2, $3, $4, now() + make_interval(mins => $5))
     ON CONFLICT (account_id, purpose)
       DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at`,
    [account.merchantId, account.id, purpose, hashOf(token), kinds[purpose].lifetimeMinutes],
  );
  return token;
}

/**
 * The token for a new password that the button of a mailed link gives. The token is derived from that of the link, so
 * a second press of the button leads to the same form. The stored hash of the link does not reveal it.
 */
export const resetTokenOf = (linkToken: string): string =>
  createHmac('sha256', linkToken).update('password_reset').digest('base64url');

const renewStatement = statement<{ account_id: number }>(
  'mailed_token_renew',
  `INSERT INTO mailed_tokens AS t (merchant_id, account_id, purpose, token_hash, expires_at)
   SELECT merchant_id, id, 'activation', $2, now() + make_interval(mins => $3) FROM accounts
   WHERE id = $1 AND activated_at IS NULL AND is_active
   ON CONFLICT (account_id, purpose) DO UPDATE SET expires_at = excluded.expires_at
     WHERE t.token_hash = excluded.token_hash
   RETURNING account_id`,
);

/**
 * Renews the token of an activation mail that has waited, even if the token was deleted after its expiry. False if a
 * newer token has replaced it, or if the account is active.
 */
export async function renewActivation(accountId: number, token: string): Promise<boolean> {
  return (await renewStatement([accountId, hashOf(token), kinds.activation.lifetimeMinutes])).length > 0;
}

const holderStatement = statement<{ account_id: number }>(
  'mailed_token_holder',
  'SELECT account_id FROM mailed_tokens WHERE token_hash = $1 AND purpose = $2 AND expires_at > now()',
);

/** The account of a valid token. The token can still be used. */
export async function findTokenHolder(token: string, purpose: TokenPurpose): Promise<Account | undefined> {
  const [row] = await holderStatement([hashOf(token), purpose]);
  return (row && (await Account.findOne({ where: { id: row.account_id, isActive: true } }))) ?? undefined;
}

/** The merchant of a token's holder, for the links of a page. */
export interface TokenHome {
  /** Whether the token is valid now. */
  isAlive: boolean;
  /** The merchant of a customer; undefined for a merchant, who uses the console. */
  merchantUuid: string | undefined;
  /** The holder is an operator of the installation. */
  isOperator?: boolean;
}

const homeStatement = statement<{ isAlive: boolean; merchantUuid: string | null; isOperator: boolean }>(
  'mailed_token_home',
  `SELECT t.expires_at > now() AS "isAlive", CASE WHEN a.role = 'consumer' THEN a.merchant_uuid END AS "merchantUuid",
     a.role = 'operator' AS "isOperator"
   FROM mailed_tokens t JOIN accounts a ON a.id = t.account_id
   WHERE t.token_hash = $1 AND t.purpose = $2 AND a.is_active`,
);

/** The merchant of a token, even after its expiry. Undefined for a used or unknown token. */
export async function findTokenHome(token: string, purpose: TokenPurpose): Promise<TokenHome | undefined> {
  const [row] = await homeStatement([hashOf(token), purpose]);
  return row && { ...row, merchantUuid: row.merchantUuid ?? undefined };
}

/**
 * Uses a token. The account is locked first, as in all changes of an account. Of several concurrent requests with the
 * same token, only one succeeds.
 */
export async function redeemToken(
  inTransaction: Transaction,
  token: string,
  purpose: TokenPurpose,
): Promise<Account | undefined> {
  const [holder] = await holderStatement([hashOf(token), purpose], inTransaction);
  if (!holder) return undefined;
  const account = await lockAccount(inTransaction, { id: holder.account_id, isActive: true });
  const deleted = await execute(
    inTransaction,
    `DELETE FROM mailed_tokens WHERE token_hash = $1 AND purpose = $2 AND expires_at > now() RETURNING account_id`,
    [hashOf(token), purpose],
  );
  return deleted.length > 0 ? account : undefined;
}

/** The links in mails to people of merchants end. They can ask for another mail. */
export async function deleteTokens(inTransaction: Transaction, merchantIds: readonly number[]): Promise<void> {
  await execute(inTransaction, 'DELETE FROM mailed_tokens WHERE merchant_id = ANY($1::int[])', [merchantIds]);
}
