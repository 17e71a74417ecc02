import { transaction, type Transaction } from '../../../adapters/postgres/connection';
import { writeAudit } from '../../../audit/service';
import { AppError } from '../../../kit/errors';
import { Account } from '../../model';
import { readScopes } from '../callers/service';
import { Session } from '../model';
import { findRefreshToken, spendRefreshToken } from '../refreshTokens/service';
import { issueTokens, revokeSession, sessionSeconds } from '../service';

/** However often it is renewed, a session ends (reliability 2.3). */
const longestSessionSeconds = 90 * 86_400;

/** Who renews: `isSecretProven` says that the client has shown its secret. */
export interface RenewingClient {
  clientId: string;
  isSecretProven: boolean;
}

/**
 * A refresh token serves once and gives its successor. A spent one that comes back ends its whole family, but for the
 * grace of whoever lost the answer.
 */
export async function renewSession(token: string, client: RenewingClient, clientAddress: string) {
  const renewed = await transaction(async (inTransaction) => {
    const found = await findRefreshToken(inTransaction, token);
    const session = found && (await Session.findByPk(found.session_id, { transaction: inTransaction }));
    if (!found || !session || !isRenewable(session, client)) return undefined;
    const account = await Account.findByPk(session.accountId, { transaction: inTransaction });
    if (!account?.isActive) return undefined;
    const refreshToken = await spendRefreshToken(inTransaction, token, found);
    if (refreshToken === undefined) {
      await revokeSession(inTransaction, session.id);
      await recordReuse(inTransaction, session, clientAddress);
      return undefined;
    }
    const latest = session.createdAt.getTime() + longestSessionSeconds * 1000;
    const expiresAt = new Date(Math.min(Date.now() + sessionSeconds * 1000, latest));
    await session.update({ expiresAt }, { transaction: inTransaction });
    const granted = await readScopes(inTransaction, account, session.scopes);
    return { account, tokens: issueTokens(account, session, refreshToken, granted) };
  });
  if (!renewed) throw new AppError('invalid_refresh_token');
  return renewed;
}

/** The token was stolen, or its thief was first: the merchant learns of it. */
async function recordReuse(inTransaction: Transaction, session: Session, address: string): Promise<void> {
  const { merchantId, accountId: actorAccountId, id: objectId } = session;
  const deed = { action: 'refresh_token.reuse', objectType: 'session', objectId } as const;
  await writeAudit(inTransaction, { merchantId, actorAccountId, address, ...deed });
}

/** A session that a secret opened is renewed with the secret only (RFC 6749, section 6). */
function isRenewable(session: Session, client: RenewingClient): boolean {
  if (session.clientId !== client.clientId || session.revokedAt !== null || session.expiresAt < new Date())
    return false;
  return session.grantType !== 'client_credentials' || client.isSecretProven;
}
