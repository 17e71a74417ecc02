import { now } from '../../adapters/clock';
import { verifyPassword } from '../../adapters/passwords';
import { type Transaction } from '../../adapters/postgres/connection';
import { throttleAttempts } from '../../adapters/postgres/throttling';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { type Area, readCookie, sessionCookie } from '../../kit/pages/session';
import { baseUrl } from '../../adapters/settings';
import { type Account } from '../accounts.model';
import { endWaitingChange } from '../emailChanges/emailChanges.model';
import { removeFactors } from '../secondFactors/secondFactors.model';
import { removePasskeys } from '../passkeys/passkeys.model';
import { getCaller } from '../tokens/callers';
import { hasSignedInHere } from '../tokens/devices';
import { endSessions } from '../tokens/tokens';
import { SocialIdentity } from './social.model';

/**
 * The owner of an account is the person who can read the mailbox of its address. Before the owner has proved that,
 * another person may have registered with the address. Such a person must lose all access to the account.
 */

/**
 * The owner of the mailbox takes the account over. Its password, sessions and identities end. The owner sets a new
 * password, or signs in at a provider that has verified the address.
 */
export async function takePossession(
  inTransaction: Transaction,
  account: Account,
  { passwordHash }: { passwordHash: string },
): Promise<void> {
  await SocialIdentity.destroy({ where: { accountId: account.id }, transaction: inTransaction });
  await endSessions(inTransaction, { accountId: account.id });
  await removeFactors(inTransaction, account.id);
  await removePasskeys(inTransaction, account.id);
  await endWaitingChange(inTransaction, account.id);
  const possession = { activatedAt: now(), passwordHash, socialAppsMetadata: [], updatedAt: now() };
  await account.update(possession, { transaction: inTransaction });
}

/**
 * The owner has activated an account that the owner also registered. Its identities therefore belong to the owner too.
 */
export async function confirmPossession(inTransaction: Transaction, account: Account): Promise<void> {
  const where = { accountId: account.id };
  await SocialIdentity.update({ isProven: true }, { where, transaction: inTransaction });
  await account.update({ activatedAt: now(), updatedAt: now() }, { transaction: inTransaction });
}

/** Removes the identities without a known owner after a proof of the mailbox. */
export async function removeForeignIdentities(inTransaction: Transaction, account: Account): Promise<void> {
  const where = { accountId: account.id };
  await SocialIdentity.destroy({ where: { ...where, isProven: false }, transaction: inTransaction });
  // Before the first proof of the mailbox, another person may have added a second factor or a passkey.
  if (account.activatedAt === null) {
    await removeFactors(inTransaction, account.id);
    await removePasskeys(inTransaction, account.id);
  }
  const socialAppsMetadata = await linkedProviders(inTransaction, account.id);
  const activatedAt = account.activatedAt ?? now();
  await account.update({ socialAppsMetadata, activatedAt }, { transaction: inTransaction });
}

/** The providers of an account's identities, in the form of the account's response. */
export async function linkedProviders(inTransaction: Transaction, accountId: number): Promise<{ name: string }[]> {
  const order = [['createdAt', 'ASC']] as [string, string][];
  const rows = await SocialIdentity.findAll({ where: { accountId }, order, transaction: inTransaction });
  return [...new Set(rows.map(({ provider }) => provider))].map((name) => ({ name }));
}

/**
 * Whether a request comes from the person who registered the account: it has a session of the account, or a browser in
 * which the account has signed in.
 */
export async function isFromOwner(
  inTransaction: Transaction,
  account: Account,
  request: RequestFacts,
): Promise<boolean> {
  return (await isSignedIn(account, request)) || hasSignedInHere(inTransaction, account.id, request);
}

/** Whether a request has an open session of the account, by its token or its cookie. */
export async function isSignedIn(account: Account, request: RequestFacts): Promise<boolean> {
  const callers = await Promise.all(tokensOf(account, request).map((token) => findCaller(token, request)));
  return callers.some((caller) => caller?.accountId === account.id && caller.actorUuid === undefined);
}

/** Checks the password. A wrong one counts like a failed sign-in. */
export async function knowsPassword(account: Account, password: string, request: RequestFacts): Promise<boolean> {
  const attempt = { kind: 'password', subject: account.uuid, address: request.clientAddress } as const;
  const check = async () => (await verifyPassword(account.passwordHash, password)) || undefined;
  return (await throttleAttempts(attempt, check)) === true;
}

const areaOfRole = { merchant: 'console', staff: 'console', operator: 'operator' } as const;

function tokensOf({ role, merchantUuid }: Account, { bearer, cookies }: RequestFacts): string[] {
  const area: Area = role === 'consumer' ? { kind: 'customer', merchantUuid } : { kind: areaOfRole[role] };
  const ofPage = readCookie(cookies, sessionCookie(area), baseUrl.startsWith('https:'));
  return [bearer, ofPage].filter((token) => token !== undefined);
}

async function findCaller(token: string, { clientAddress }: RequestFacts): Promise<Caller | undefined> {
  try {
    return await getCaller(token, clientAddress);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_auth_token') return undefined;
    throw error;
  }
}
