import { Op } from 'sequelize';
import { type z } from 'zod';
import { audit } from '../../audit/audit';
import { getOwned, transaction } from '../../adapters/postgres/connection';
import { findPage, olderThan } from '../../adapters/postgres/totals';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { byId, cursorRange, nextCursor } from '../../kit/page';
import { toMajor } from '../../billing/money';
import { BalanceDifference, countOpenDifferences, findCharges, type DifferentCharge } from './differences.model';
import { presentDifference } from './differences.presenter';
import { type DifferencesQuery, type Resolution } from './differences.schemas';
import { recordDifference, refundDifference } from './resolutions';

/** Differences between the books of a payment account and ours, and the actions that resolve them. */

export { countOpenDifferences };

/** Newest first. */
export async function listDifferences({ merchantId }: Caller, query: z.output<typeof DifferencesQuery>) {
  const { page, limit, offset, after } = cursorRange(query);
  const { status } = query;
  const where = { merchantId, ...(status !== undefined && { state: status }) };
  const options = { where, order: [['id', 'DESC']] as [string, string][], limit, offset };
  const key = `differences ${merchantId} ${status ?? ''}`;
  const { rows, total } = await findPage(BalanceDifference, key, { ...options, after: olderThan(after) });
  const next_cursor = nextCursor(rows, { limit }, byId);
  return { total, page, offset, limit, next_cursor, collection: await presentAll(rows) };
}

/** The same list in parts, for an export: the rows that follow an id. */
export async function readDifferencesAfter({ merchantId }: Caller, limit: number, after?: number) {
  const where = { merchantId, ...(after !== undefined && { id: { [Op.lt]: after } }) };
  const rows = await BalanceDifference.findAll({ where, order: [['id', 'DESC']], limit });
  const charges = await findCharges(rows);
  return rows.map((row) => ({
    ...present(row, charges),
    happened_at: row.happenedAt,
    found_at: row.foundAt,
    resolved_at: row.resolvedAt,
  }));
}

export async function getDifference({ merchantId }: Pick<Caller, 'merchantId'>, id: number) {
  const row = await getOwned(BalanceDifference, merchantId, id, 'difference_not_found');
  return present(row, await findCharges([row]));
}

const resolutionOf = { record: 'recorded', refund: 'refunded', accept: 'accepted' } as const;

/**
 * Resolves a difference by one of its actions. A repeated action has one effect. Throws `service_unavailable` while the
 * provider does not answer.
 */
export async function resolveDifference(
  caller: Caller,
  id: number,
  { action, note = '' }: Resolution,
  requestId: string,
) {
  const { merchantId, accountId: resolvedBy } = caller;
  if (action === 'accept' && note === '')
    throw new AppError('invalid_input', { errors: { note: 'A note is required to accept a difference.' } });
  const row = await getOwned(BalanceDifference, merchantId, id, 'difference_not_found');
  const charges = await findCharges([row]);
  if (row.state !== 'open' || !present(row, charges).actions.includes(action)) throw new AppError('difference_closed');
  const charge = charges.get(row.chargeId ?? 0);
  if (action === 'record') await recordDifference(row, charge);
  if (action === 'refund') await refundDifference(caller, row, charge);
  await transaction(async (inTransaction) => {
    const state = 'resolved' as const;
    const changes = { state, resolution: resolutionOf[action], note, resolvedBy, resolvedAt: new Date() };
    const where = { id, state: 'open' };
    const [changed] = await BalanceDifference.update(changes, { where, transaction: inTransaction });
    if (changed === 0) throw new AppError('difference_closed');
    const object = ['balance_difference', id] as const;
    await audit(inTransaction, caller, { action: `balance_difference.${action}`, object, requestId });
  });
  return getDifference(caller, id);
}

async function presentAll(rows: BalanceDifference[]) {
  const charges = await findCharges(rows);
  return rows.map((row) => present(row, charges));
}

function present(row: BalanceDifference, charges: Map<number, DifferentCharge>) {
  const { providerMinor, ledgerMinor, currency } = row;
  const amounts = { theirs: toMajor(providerMinor, currency), ours: toMajor(ledgerMinor, currency) };
  return presentDifference(row, charges.get(row.chargeId ?? 0), amounts);
}
