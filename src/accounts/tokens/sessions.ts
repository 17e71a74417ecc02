import { Op } from 'sequelize';
import { type z } from 'zod';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { audit } from '../../audit/audit';
import { type AccountRole, type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message, pageRange } from '../../kit/page';
import { Account } from '../accounts.model';
import { findIdleSince } from './idleTimes';
import { presentSession } from './sessions.presenter';
import { type SessionQuery } from './sessions.schemas';
import { endNamedSession, endSessions } from './tokens';
import { Session } from './tokens.model';

/**
 * The open sessions of an account. The owner lists and ends the account's sessions, and a merchant those of its
 * customers.
 */

type Query = z.output<typeof SessionQuery>;

export function listOwnSessions(caller: Caller, query: Query) {
  return listSessions(caller, { accountId: caller.accountId, role: caller.role }, query);
}

export async function endOwnSession(caller: Caller, sessionId: string) {
  const { accountId } = caller;
  await transaction((inTransaction) => end(inTransaction, accountId, sessionId, 'ended_by_owner'));
  return message('The session has ended');
}

export async function endOtherSessions(caller: Caller) {
  const { accountId, sessionId: exceptSessionId } = caller;
  await transaction((inTransaction) =>
    endSessions(inTransaction, { accountId, exceptSessionId, reason: 'ended_by_owner' }),
  );
  return message('All other sessions have ended');
}

export async function listCustomerSessions(caller: Caller, customerId: number, query: Query) {
  const { id: accountId, role } = await getCustomer(caller, customerId);
  return listSessions(caller, { accountId, role }, query);
}

export async function endCustomerSession(
  caller: Caller,
  { id, session_id: sessionId }: { id: number; session_id: string },
  { requestId }: RequestFacts,
) {
  const customer = await getCustomer(caller, id);
  await transaction(async (inTransaction) => {
    await audit(inTransaction, caller, { action: 'session.end', object: ['account', customer.id], requestId });
    await end(inTransaction, customer.id, sessionId, 'ended_by_merchant');
  });
  return message('The session has ended');
}

export async function endCustomerSessions(caller: Caller, customerId: number, { requestId }: RequestFacts) {
  const { id: accountId } = await getCustomer(caller, customerId);
  await transaction(async (inTransaction) => {
    await audit(inTransaction, caller, { action: 'session.end', object: ['account', accountId], requestId });
    await endSessions(inTransaction, { accountId, reason: 'ended_by_merchant' });
  });
  return message('All sessions of the customer have ended');
}

async function listSessions(
  { merchantId, sessionId }: Caller,
  { accountId, role }: { accountId: number; role: AccountRole },
  query: Query,
) {
  const { page, limit, offset } = pageRange(query);
  const idleSince = await findIdleSince({ merchantId, role });
  const isUsed = idleSince && {
    [Op.or]: { lastUsedAt: { [Op.gt]: idleSince }, grantType: 'client_credentials' as const },
  };
  const { count: total, rows } = await Session.findAndCountAll({
    where: { merchantId, accountId, revokedAt: null, expiresAt: { [Op.gt]: new Date() }, ...isUsed },
    order: [
      ['lastUsedAt', 'DESC'],
      ['id', 'ASC'],
    ],
    limit,
    offset,
  });
  return { total, page, offset, limit, collection: rows.map((row) => presentSession(row, sessionId)) };
}

async function end(inTransaction: Transaction, accountId: number, sessionId: string, reason: string): Promise<void> {
  if (!(await endNamedSession(inTransaction, { accountId, sessionId, reason })))
    throw new AppError('session_not_found');
}

async function getCustomer({ merchantId }: Caller, id: number): Promise<Account> {
  const customer = await Account.findOne({ where: { id, merchantId, role: 'consumer' } });
  if (!customer) throw new AppError('account_not_found');
  return customer;
}
