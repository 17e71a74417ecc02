import { Op } from 'sequelize';
import { type z } from 'zod';
import { audit } from '../../audit/audit';
import { type RefundRequest, type ReportedRefund } from '../../adapters/cardProviders/refunds';
import { logger } from '../../adapters/logger';
import { getOwned, transaction, type Transaction } from '../../adapters/postgres/connection';
import { afterCommit } from '../../adapters/postgres/requestWork';
import { findPage, olderThan } from '../../adapters/postgres/totals';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { byId, cursorRange, message, nextCursor } from '../../kit/page';
import { publicToken } from '../../kit/publicTokens';
import { toMajor } from '../../billing/money';
import { confirmLargeRefund } from '../refunds/largeRefunds';
import { getProviderOf } from './providers';
import { countOpenUnmatched, insertFound, UnmatchedPayment, type FoundPayment } from './unmatched.model';
import { presentUnmatched } from './unmatched.presenter';
import { type UnmatchedQuery } from './unmatched.schemas';

/**
 * Payments whose purchases were lost when a backup was restored. They have no workflow: a refund is sent after the
 * commit, and the reconciliation repeats it under the same key until its outcome is known.
 */

/** Saves a payment without a purchase for its merchant. False if it is known. */
export function keepUnmatched(inTransaction: Transaction, found: FoundPayment): Promise<boolean> {
  return insertFound(inTransaction, found);
}

export { countOpenUnmatched };

/** Newest first. */
export async function listUnmatched({ merchantId }: Caller, query: z.output<typeof UnmatchedQuery>) {
  const { page, limit, offset, after } = cursorRange(query);
  const options = { where: { merchantId }, order: [['id', 'DESC']] as [string, string][], limit, offset };
  const key = `unmatched ${merchantId}`;
  const { rows, total } = await findPage(UnmatchedPayment, key, { ...options, after: olderThan(after) });
  return { total, page, offset, limit, next_cursor: nextCursor(rows, { limit }, byId), collection: rows.map(present) };
}

/** The same list in parts, for an export: the rows that follow an id. */
export async function readUnmatchedAfter({ merchantId }: Caller, limit: number, after?: number) {
  const where = { merchantId, ...(after !== undefined && { id: { [Op.lt]: after } }) };
  const rows = await UnmatchedPayment.findAll({ where, order: [['id', 'DESC']], limit });
  return rows.map((row) => ({
    ...present(row),
    paid_at: row.paidAt,
    found_at: row.foundAt,
    settled_at: row.settledAt,
  }));
}

function present(row: UnmatchedPayment) {
  return presentUnmatched(row, toMajor(row.amountMinor, row.currency));
}

/** Refunds a payment in full. After the provider refused a refund, it can be requested again, under another key. */
export async function refundUnmatched(caller: Caller, id: number, requestId: string) {
  await transaction(async (inTransaction) => {
    const { merchantId, accountId: requestedBy } = caller;
    const locked = { transaction: inTransaction, lock: true };
    const row = await getOwned(UnmatchedPayment, merchantId, id, 'payment_not_found', locked);
    if (row.state === 'refunding' || row.state === 'refunded') throw new AppError('nothing_to_refund');
    await confirmLargeRefund(caller, row, inTransaction);
    const { suffix } = await getProviderOf({ merchantId, provider: row.provider }, inTransaction);
    const refundToken = publicToken('R', suffix);
    await row.update(
      { state: 'refunding', refundToken, requestedBy, failureMessage: null },
      { transaction: inTransaction },
    );
    const object = ['unmatched_payment', id] as const;
    await audit(inTransaction, caller, { action: 'unmatched_payment.refund', object, requestId });
  });
  await afterCommit(() => trySend(id, false));
  return message('Submitted for refund');
}

/** Repeats the refunds whose outcome is not known. */
export async function continueRefunds(): Promise<void> {
  const rows = await UnmatchedPayment.findAll({
    where: { state: 'refunding' },
    attributes: ['id'],
    order: [['id', 'ASC']],
  });
  for (const { id } of rows) await trySend(id, true);
}

/** Records a refund that was made at the provider, or before the backup was restored. */
export async function noteRefunded(reference: string, reported: readonly ReportedRefund[]): Promise<void> {
  const made = reported.filter(({ failure }) => failure === undefined);
  const givenMinor = made.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  const where = { reference, state: ['open', 'failed'], amountMinor: { [Op.lte]: givenMinor } };
  const refunded = {
    state: 'refunded',
    refundReference: made.at(-1)?.reference ?? null,
    settledAt: new Date(),
  } as const;
  await UnmatchedPayment.update(refunded, { where });
}

/** Never throws. The next reconciliation repeats a refund that was not sent or whose answer was lost. */
async function trySend(id: number, mayBeSent: boolean): Promise<void> {
  try {
    await send(id, mayBeSent);
  } catch (error) {
    logger.error({ unmatchedPaymentId: id, reason: (error as Error).message }, 'a refund could not be sent');
  }
}

/** The provider refunds once for a key, but forgets the key after a day. So a repeated request is looked up first. */
async function send(id: number, mayBeSent: boolean): Promise<void> {
  const row = await UnmatchedPayment.findByPk(id, { rejectOnEmpty: true });
  const { merchantId } = row;
  if (row.state !== 'refunding' || row.refundToken === null || merchantId === null) return;
  const request = requestOf(row, row.refundToken);
  const provider = await getProviderOf({ merchantId, provider: row.provider });
  const earlier = mayBeSent ? await provider.lookUpRefund(request) : undefined;
  const result = earlier && earlier.outcome !== 'not_sent' ? earlier : await provider.refund(request);
  if (result.outcome !== 'refunded' && result.outcome !== 'refused') return;
  const settled =
    result.outcome === 'refunded'
      ? ({ state: 'refunded', refundReference: result.reference } as const)
      : ({ state: 'failed', failureMessage: result.message } as const);
  const where = { id, state: 'refunding', refundToken: row.refundToken };
  await UnmatchedPayment.update({ ...settled, settledAt: new Date() }, { where });
}

function requestOf(row: UnmatchedPayment, refundToken: string): RefundRequest {
  const { idempotencyKey: chargeKey, reference: chargeReference, amountMinor, currency } = row;
  return { idempotencyKey: refundToken, chargeKey, chargeReference, amountMinor, currency };
}
