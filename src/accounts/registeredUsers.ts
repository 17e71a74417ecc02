import { Op, type WhereOptions } from 'sequelize';
import { type z } from 'zod';
import { transaction } from '../adapters/postgres/connection';
import { nameOrder } from '../adapters/postgres/nameOrder';
import { findSortedPage, readSorted } from '../adapters/postgres/sorting';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { readId } from '../kit/form';
import { cursorRange, message } from '../kit/page';
import { rowOrder, type Sort } from '../kit/sorting';
import { publish } from '../notifications/publish';
import { Account } from './accounts.model';
import { presentAccount } from './accounts.presenter';
import { listRequiredFields } from './registerFields';
import { endSessions } from './tokens/tokens';
import { type UserQuery, type userSorts } from './registeredUsers.schemas';

const activeOnly = ['active', 'true', '1'];

/** Each has an index. */
const sortColumns = {
  created: { type: 'id' },
  email: { type: 'text', sql: 'email_normalized' },
  name: { type: 'text', sql: nameOrder('full_name') },
} as const;

type UserSort = Sort<(typeof userSorts)[number]>;

const orderOf = (sort: UserSort) => rowOrder(sortColumns, sort, 'created');

/** Lists the merchant's consumers, by default newest first. An account must match all search terms. */
export async function listRegisteredUsers(caller: Caller, query: z.output<typeof UserQuery>) {
  const { page, limit, offset, after } = cursorRange(query);
  const isActiveOnly = activeOnly.includes(query.active ?? 'all');
  const { search, total_up_to: countUpTo } = query;
  const key = `registered users ${JSON.stringify([caller.merchantId, isActiveOnly, search, countUpTo])}`;
  const where = wantedOf(caller, { search, isActive: isActiveOnly ? true : undefined });
  const order = orderOf(query);
  const { rows, ...found } = await findSortedPage(Account, key, { where, order, limit, offset, after, countUpTo });
  const required = await listRequiredFields(caller.merchantId);
  return { ...found, page, offset, limit, collection: rows.map((row) => presentAccount(row, required)) };
}

/**
 * An account of the merchant with its displayed name: a customer's address, or the name of the merchant or follower.
 */
export interface NamedAccount {
  name: string;
  /** Empty if unknown. */
  fullName: string;
  isCustomer: boolean;
  isActive: boolean;
  /** The customer has opened the link of the activation mail. */
  isActivated: boolean;
}

/** Names by id. The map has no entry for an account of another merchant. */
export async function namesOf(caller: Caller, ids: readonly number[]): Promise<Map<number, NamedAccount>> {
  const rows = await Account.findAll({
    attributes: ['id', 'role', 'email', 'fullName', 'isActive', 'activatedAt'],
    where: { id: [...new Set(ids)], merchantId: caller.merchantId },
  });
  return new Map(
    rows.map(({ id, role, email, fullName, isActive, activatedAt }) => {
      const isCustomer = role === 'consumer';
      return [
        id,
        {
          name: isCustomer ? email : fullName || email,
          fullName,
          isCustomer,
          isActive,
          isActivated: activatedAt !== null,
        },
      ];
    }),
  );
}

interface UserFilter {
  search?: string[] | undefined;
  /** Absent: all accounts. */
  isActive?: boolean | undefined;
  /** Absent: all accounts. */
  ids?: number[] | undefined;
}

/** The same list in parts, for an export. */
export function readUsers(caller: Caller, { sort, order, ...filter }: UserFilter & UserSort) {
  return readSorted(Account, { where: wantedOf(caller, filter), order: orderOf({ sort, order }) });
}

function wantedOf({ merchantId }: Caller, { search = [], isActive, ids }: UserFilter): WhereOptions<Account> {
  const own = { merchantId, role: 'consumer', erasingAt: null } as const;
  const state = isActive === undefined ? [] : [{ isActive }];
  return { [Op.and]: [own, ...state, ...(ids === undefined ? [] : [{ id: ids }]), ...search.map(conditionOf)] };
}

/**
 * The condition of one `key:value` term. The caller's merchant is an additional condition, so that the uuid of another
 * merchant finds nothing.
 */
function conditionOf(term: string): WhereOptions<Account> {
  const key = term.slice(0, term.indexOf(':'));
  const value = term.slice(key.length + 1).trim();
  if (key === 'title') {
    const pattern = `%${value.replaceAll(/[\\%_]/g, '\\$&')}%`;
    return { [Op.or]: [{ fullName: { [Op.iLike]: pattern } }, { email: { [Op.iLike]: pattern } }] };
  }
  // An invalid uuid matches no account, like an unknown one.
  if (key === 'merchant_uuid') return { merchantUuid: isUuid(value) ? [value] : [] };
  const ids = readId(value) ?? [];
  return key === 'id' ? { id: ids } : { merchantId: ids };
}

function isUuid(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}

/**
 * Deactivates an account: it can no longer sign in, and its sessions end. No data is deleted. A repeated request is
 * harmless.
 */
export async function deactivateAccount(caller: Caller, customerId: number, requestId: string) {
  await transaction(async (inTransaction) => {
    const customer = await Account.findOne({
      where: { id: customerId, merchantId: caller.merchantId, role: 'consumer' },
      transaction: inTransaction,
    });
    if (!customer) throw new AppError('account_does_not_exist');
    if (!customer.isActive) return;
    const updatedAt = new Date();
    await customer.update({ isActive: false, updatedAt }, { transaction: inTransaction });
    // Before the events of the ended sessions: other changes also take their place in the audit log first.
    await audit(inTransaction, caller, { action: 'account.deactivate', object: ['account', customer.id], requestId });
    await endSessions(inTransaction, { accountId: customer.id });
    const dedupeKey = `deactivated:${customer.id}:${updatedAt.getTime()}`;
    await publish(inTransaction, caller.merchantId, [
      { type: 'account.deactivated', accountId: customer.id, dedupeKey, resource: {} },
    ]);
  });
  return message('Account successfully deactivated');
}
