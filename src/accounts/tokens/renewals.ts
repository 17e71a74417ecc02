import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { audit } from '../../audit/audit';
import { AppError } from '../../kit/errors';
import { Account } from '../accounts.model';
import { getState } from '../merchants/states.model';
import { findIdleSince } from './idleTimes';
import { Session } from './tokens.model';
import { findRefreshToken, spendRefreshToken } from './refreshTokens';
import { readScopes } from './rights';
import { issueTokens, revokeSession, sessionEnd } from './tokens';

/** The client of the renewal. `isSecretProven`: the client has sent its correct secret. */
export interface RenewingClient {
  clientId: string;
  isSecretProven: boolean;
}

/**
 * Renews a session with a refresh token, which can be used once and is replaced. A used token ends all tokens of its
 * session, except within the grace time for clients that have lost the response.
 */
export async function renewSession(token: string, client: RenewingClient, clientAddress: string) {
  const renewed = await transaction(async (inTransaction) => {
    const found = await findRefreshToken(inTransaction, token);
    const session = found && (await Session.findByPk(found.session_id, { transaction: inTransaction }));
    if (!found || !session || !isRenewable(session, client)) return undefined;
    if ((await getState(session.merchantId, inTransaction)).state === 'suspended') return undefined;
    const account = await Account.findByPk(session.accountId, { transaction: inTransaction });
    if (!account?.isActive || (await isIdle(inTransaction, session, account))) return undefined;
    const refreshToken = await spendRefreshToken(inTransaction, token, found);
    if (refreshToken === undefined) {
      await recordReuse(inTransaction, session, clientAddress);
      await revokeSession(inTransaction, session.id);
      return undefined;
    }
    const expiresAt = sessionEnd(account.role, session.createdAt);
    await session.update({ expiresAt, lastUsedAt: new Date() }, { transaction: inTransaction });
    const granted = await readScopes(inTransaction, account, session.scopes);
    return { account, tokens: issueTokens(account, session, refreshToken, granted) };
  });
  if (!renewed) throw new AppError('invalid_refresh_token');
  return renewed;
}

/** Informs the merchant: the token was stolen, or a thief has used it first. */
async function recordReuse(inTransaction: Transaction, session: Session, clientAddress: string): Promise<void> {
  const { merchantId, accountId, id } = session;
  const actor = { merchantId, accountId, clientAddress };
  await audit(inTransaction, actor, { action: 'refresh_token.reuse', object: ['session', id] });
}

async function isIdle(inTransaction: Transaction, session: Session, account: Account): Promise<boolean> {
  if (session.grantType === 'client_credentials') return false;
  const since = await findIdleSince(account, inTransaction);
  return since !== undefined && session.lastUsedAt <= since;
}

/** A session that was opened with a secret can be renewed only with the secret (RFC 6749, section 6). */
function isRenewable(session: Session, client: RenewingClient): boolean {
  if (session.clientId !== client.clientId || session.revokedAt !== null || session.expiresAt < new Date())
    return false;
  return session.grantType !== 'client_credentials' || client.isSecretProven;
}
