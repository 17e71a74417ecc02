import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { hashOf, newSecret } from '../../kit/secrets';
import { statement, statementApart } from '../../adapters/postgres/statement';
import { Account } from '../accounts.model';
import { type GrantType } from '../tokens/tokens.schemas';
import { proveFactor } from './proofs';
import { findFactor } from './secondFactors.model';

/**
 * The second step of a sign-in. After the first step, the client receives a challenge that replaces it for five minutes.
 * The same client can use it once. A change of the password ends it.
 */

const lifetimeMinutes = 5;

// A separate transaction: the request fails, and the challenge stays.
const createStatement = statementApart(
  'sign_in_challenge_create',
  `INSERT INTO sign_in_challenges (token_hash, merchant_id, account_id, client_id, grant_type, expires_at)
   VALUES ($1, $2, $3, $4, $5, now() + make_interval(mins => $6))`,
);

const findStatement = statement<{ account_id: number }>(
  'sign_in_challenge',
  'SELECT account_id FROM sign_in_challenges WHERE token_hash = $1 AND client_id = $2 AND expires_at > now()',
);

const takeStatement = statement<{ grant_type: GrantType }>(
  'sign_in_challenge_take',
  `DELETE FROM sign_in_challenges WHERE token_hash = $1 AND client_id = $2 AND expires_at > now() RETURNING grant_type`,
);

interface Step {
  clientId: string;
  code: string | undefined;
  /** The first step; a password by default. */
  grantType?: GrantType;
}

/**
 * Requires the second factor of an account that has completed the first step. Returns whether the account has one.
 * Without a code it throws `second_factor_required` with a challenge.
 */
export async function proveAtSignIn(
  account: Account,
  { clientId, code, grantType = 'password' }: Step,
  { clientAddress }: RequestFacts,
): Promise<boolean> {
  const factor = await findFactor(account);
  if (!factor) return false;
  if (code === undefined)
    throw new AppError('second_factor_required', { challenge: await create(account, clientId, grantType) });
  const { id, uuid, merchantId } = account;
  await proveFactor({ id, uuid, merchantId, clientAddress }, factor, code);
  return true;
}

/** The account of a sign-in that waits for the second factor. */
export async function getChallenged(challenge: string, clientId: string): Promise<Account> {
  const [found] = await findStatement([hashOf(challenge), clientId.toLowerCase()]);
  const account = found && (await Account.findOne({ where: { id: found.account_id, isActive: true } }));
  if (!account) throw new AppError('second_factor_challenge_invalid');
  return account;
}

/** Accepts the code for a challenge. A correct code uses the challenge up. Returns the first step. */
export async function answerChallenge(
  account: Account,
  challenge: string,
  { clientId, code }: Step & { code: string },
  request: RequestFacts,
): Promise<GrantType> {
  await proveAtSignIn(account, { clientId, code }, request);
  const [taken] = await takeStatement([hashOf(challenge), clientId.toLowerCase()]);
  if (!taken) throw new AppError('second_factor_challenge_invalid');
  return taken.grant_type;
}

async function create({ id, merchantId }: Account, clientId: string, grantType: GrantType): Promise<string> {
  const token = newSecret();
  await createStatement([hashOf(token), merchantId, id, clientId.toLowerCase(), grantType, lifetimeMinutes]);
  return token;
}
