import { Op } from 'sequelize';
import { type z } from 'zod';
import { audit } from '../../audit/audit';
import { getOwned, transaction, type Transaction } from '../../adapters/postgres/connection';
import { findPage, olderThan } from '../../adapters/postgres/totals';
import { baseUrl } from '../../adapters/settings';
import { toMajor } from '../../billing/money';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { byId, cursorRange, nextCursor } from '../../kit/page';
import { queueMail } from '../../mail/mail';
import { Dispute, findDisputedPurchases, getOpenedDispute, type DisputedPurchase } from './disputes.model';
import { presentDispute, presentEvidence } from './disputes.presenter';
import { type DisputesQuery } from './disputes.schemas';
import { getEvidence, getSubmittedEvidence } from './evidence';
import { getProviderOf } from './providers';

/** Payments that the bank of a customer has taken back, and the evidence against it. */

/** Newest first. */
export async function listDisputes({ merchantId }: Caller, query: z.output<typeof DisputesQuery>) {
  const { page, limit, offset, after } = cursorRange(query);
  const options = { where: { merchantId }, order: [['id', 'DESC']] as [string, string][], limit, offset };
  const { rows, total } = await findPage(Dispute, `disputes ${merchantId}`, { ...options, after: olderThan(after) });
  const purchases = await findDisputedPurchases(rows.map(({ chargeId }) => chargeId));
  const collection = rows.map((row) => present(row, purchases.get(row.chargeId)));
  return { total, page, offset, limit, next_cursor: nextCursor(rows, { limit }, byId), collection };
}

/** The same list in parts, for an export: the rows that follow an id. */
export async function readDisputesAfter({ merchantId }: Caller, limit: number, after?: number) {
  const where = { merchantId, ...(after !== undefined && { id: { [Op.lt]: after } }) };
  const rows = await Dispute.findAll({ where, order: [['id', 'DESC']], limit });
  const purchases = await findDisputedPurchases(rows.map(({ chargeId }) => chargeId));
  return rows.map((row) => ({
    ...present(row, purchases.get(row.chargeId)),
    opened_at: row.openedAt,
    due_at: row.dueAt,
    evidence_sent_at: row.evidenceSentAt,
  }));
}

export async function getDispute({ merchantId }: Pick<Caller, 'merchantId'>, id: number) {
  const row = await getOwned(Dispute, merchantId, id, 'dispute_not_found');
  const purchases = await findDisputedPurchases([row.chargeId]);
  const evidence = presentEvidence(await getEvidence(row.chargeId));
  return { ...present(row, purchases.get(row.chargeId)), evidence };
}

function present(row: Dispute, purchase: DisputedPurchase | undefined) {
  const { amountMinor, currency, feeMinor, feeCurrency } = row;
  const fee = feeCurrency === null ? 0 : toMajor(feeMinor, feeCurrency);
  return presentDispute(row, purchase, { amount: toMajor(amountMinor, currency), fee });
}

/**
 * Submits the evidence and the merchant's statement. The bank reads the first submission only, so a second one is
 * refused. Throws `service_unavailable` if the provider does not answer. The request can then be repeated.
 */
export async function submitEvidence(caller: Caller, id: number, statement: string, requestId: string) {
  const { merchantId } = caller;
  const row = await getOwned(Dispute, merchantId, id, 'dispute_not_found');
  if (row.status !== 'needs_response' || row.evidenceSentAt !== null) throw new AppError('dispute_closed');
  const provider = await getProviderOf({ merchantId, provider: row.provider });
  const evidence = await getSubmittedEvidence(row.chargeId, merchantId);
  const result = await provider.submitEvidence?.(row.reference, { ...evidence, statement });
  if (!result || result.outcome === 'refused')
    throw new AppError('dispute_closed', result ? { explain: result.message } : {});
  if (result.outcome === 'unknown')
    throw new AppError('service_unavailable', { explain: 'Payment provider unavailable', retryAfterSeconds: 5 });
  await transaction(async (inTransaction) => {
    const options = { transaction: inTransaction };
    await Dispute.update({ evidenceSentAt: new Date() }, { where: { id, evidenceSentAt: null }, ...options });
    // A notification that arrived in the meantime has a newer status.
    await Dispute.update({ status: 'under_review' }, { where: { id, status: 'needs_response' }, ...options });
    await audit(inTransaction, caller, { action: 'dispute.evidence', object: ['dispute', id], requestId });
  });
  return getDispute(caller, id);
}

/** Informs the merchant of a new dispute. */
export async function reportDispute(inTransaction: Transaction, id: number): Promise<void> {
  const { merchantId, merchantEmail, dueAt, ...dispute } = await getOpenedDispute(inTransaction, id);
  await queueMail(inTransaction, {
    merchantId,
    accountId: merchantId,
    to: merchantEmail,
    template: 'dispute_opened',
    values: {
      reason: dispute.reason,
      token: dispute.trxToken,
      amountMinor: dispute.amountMinor,
      currency: dispute.currency,
      date: dueAt?.toISOString().slice(0, 10) ?? '',
      url: `${baseUrl}/console/transactions/disputes/${id}`,
    },
  });
}
