import { Op, type WhereOptions } from 'sequelize';
import { type z } from 'zod';
import { transaction } from '../../adapters/postgres/connection';
import { findPage } from '../../adapters/postgres/totals';
import { actorOf, writeAudit } from '../../audit/service';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { readId } from '../../kit/form';
import { message, pageRange } from '../../kit/page';
import { publish } from '../../notifications/publish';
import { Account } from '../model';
import { presentAccount } from '../presenter';
import { listRequiredFields } from '../registerFields/service';
import { endSessions } from '../tokens/service';
import { type UserQuery } from './schemas';

const activeOnly = ['active', 'true', '1'];

/** The merchant's consumers, newest first. Several search terms must all hold. */
export async function listRegisteredUsers(caller: Caller, query: z.output<typeof UserQuery>) {
  const { page, limit, offset } = pageRange(query);
  const isActiveOnly = activeOnly.includes(query.active ?? 'all');
  const key = `registered users ${JSON.stringify([caller.merchantId, isActiveOnly, query.search])}`;
  const where = wantedOf(caller, { search: query.search, isActive: isActiveOnly ? true : undefined });
  const { rows, total } = await findPage(Account, key, { where, order: [['id', 'DESC']], limit, offset });
  const required = await listRequiredFields(caller.merchantId);
  return { total, page, offset, limit, collection: rows.map((row) => presentAccount(row, required)) };
}

/** What a page calls an account of the merchant: a customer by its address, the merchant and its followers by their names. */
export interface NamedAccount {
  name: string;
  /** Empty where it is not known. */
  fullName: string;
  isCustomer: boolean;
  isActive: boolean;
}

/** By id; nothing for what is no account of the caller's merchant. */
export async function namesOf(caller: Caller, ids: readonly number[]): Promise<Map<number, NamedAccount>> {
  const rows = await Account.findAll({
    attributes: ['id', 'role', 'email', 'fullName', 'isActive'],
    where: { id: [...new Set(ids)], merchantId: caller.merchantId },
  });
  return new Map(
    rows.map(({ id, role, email, fullName, isActive }) => {
      const isCustomer = role === 'consumer';
      return [id, { name: isCustomer ? email : fullName || email, fullName, isCustomer, isActive }];
    }),
  );
}

interface UserFilter {
  search?: string[] | undefined;
  /** Absent: every one. */
  isActive?: boolean | undefined;
}

/** The same list from the one after an id on: for who reads all of it. */
export function readUsersAfter(caller: Caller, filter: UserFilter, limit: number, afterId: number | undefined) {
  const after = afterId === undefined ? [] : [{ id: { [Op.lt]: afterId } }];
  const where = { [Op.and]: [wantedOf(caller, filter), ...after] };
  return Account.findAll({ where, order: [['id', 'DESC']], limit });
}

function wantedOf({ merchantId }: Caller, { search = [], isActive }: UserFilter): WhereOptions<Account> {
  const own = { merchantId, role: 'consumer', erasingAt: null } as const;
  return { [Op.and]: [own, ...(isActive === undefined ? [] : [{ isActive }]), ...search.map(conditionOf)] };
}

/** One `key:value`. The caller's own merchant is a condition besides, so that naming another finds nothing. */
function conditionOf(term: string): WhereOptions<Account> {
  const key = term.slice(0, term.indexOf(':'));
  const value = term.slice(key.length + 1).trim();
  if (key === 'title') {
    const pattern = `%${value.replaceAll(/[\\%_]/g, '\\$&')}%`;
    return { [Op.or]: [{ fullName: { [Op.iLike]: pattern } }, { email: { [Op.iLike]: pattern } }] };
  }
  // No value at all where it cannot be one: finds nothing, as an unknown one does.
  if (key === 'merchant_uuid') return { merchantUuid: isUuid(value) ? [value] : [] };
  const ids = readId(value) ?? [];
  return key === 'id' ? { id: ids } : { merchantId: ids };
}

function isUuid(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}

/** The account can no longer sign in and is signed out everywhere; nothing of it is deleted. Again does no harm. */
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
    await endSessions(inTransaction, { accountId: customer.id });
    await writeAudit(inTransaction, {
      ...actorOf(caller),
      action: 'account.deactivate',
      objectType: 'account',
      objectId: customer.id,
      requestId,
    });
    const dedupeKey = `deactivated:${customer.id}:${updatedAt.getTime()}`;
    await publish(inTransaction, caller.merchantId, [
      { type: 'account.deactivated', accountId: customer.id, dedupeKey, resource: {} },
    ]);
  });
  return message('Account successfully deactivated');
}
