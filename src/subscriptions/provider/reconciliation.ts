import { cardProvider } from '../../adapters/cardProviders';
import { type ChargeResult, type ListedPayment } from '../../adapters/cardProviders/provider';
import { logger } from '../../adapters/logger';
import { sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { queueMail } from '../../mail/mail';
import { type ReconciliationResult } from '../../../workflows/messages';
import { enqueueAnswer } from '../charges/answers';
import { findPurchase, getPurchase } from '../charges/charges.model';
import { getPaymentFacts } from '../payments/paymentSteps.model';
import { followRefunds, readRefunds } from '../refunds/reports';
import { findUnlisted, noteListed } from '../restorations';
import { continueRefunds, keepUnmatched, noteRefunded } from './unmatched';
import {
  hasCharge,
  listDoubtfulCharges,
  listDoubtfulRefunds,
  noteReturn,
  recordCharge,
  type DoubtfulCharge,
} from './reconciliation.model';

/** The number of rows per query. */
const pageSize = 200;

/**
 * Looks up at the provider every charge and refund that should have an outcome by now, and every charge that was given
 * up. A charge that was paid after it was given up is refunded. Every other charge and refund has a workflow that looks
 * it up, so a difference that remains is reported to the operator.
 */
export async function reconcileCharges(): Promise<ReconciliationResult> {
  const found: ReconciliationResult = { lookedUp: 0, different: [], returned: [] };
  for await (const charge of each(listDoubtfulCharges)) await reconcileCharge(charge, found);
  for await (const refund of each(listDoubtfulRefunds)) {
    found.lookedUp += 1;
    const { outcome } = await cardProvider.lookUpRefund(refund);
    if (outcome === 'refunded' || outcome === 'refused') found.different.push(refund.idempotencyKey);
  }
  await continueRefunds();
  await recordPayments(found);
  const { different, returned } = found;
  if (returned.length > 0) logger.warn({ returned }, 'late payments were refunded');
  if (different.length > 0)
    logger.error({ different }, 'the provider reports outcomes that the database does not have');
  return found;
}

/** Reads all rows in the order of their ids, one page at a time. */
async function* each<Row extends { id: number }>(list: (afterId: number, limit: number) => Promise<Row[]>) {
  for (let afterId = 0; ;) {
    const rows = await list(afterId, pageSize);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    afterId = last.id;
  }
}

async function reconcileCharge(charge: DoubtfulCharge, found: ReconciliationResult): Promise<void> {
  found.lookedUp += 1;
  const { idempotencyKey, reference, token, status, trxToken } = charge;
  const result = await cardProvider.lookUpCharge(idempotencyKey, { reference, token });
  const isSettled = result.outcome === 'paid' || result.outcome === 'declined';
  if (status === 'requires_action') {
    if (isSettled) await signalAnswer(charge);
  } else if (status === 'open') {
    if (isSettled) found.different.push(trxToken);
  } else if (result.outcome === 'paid') {
    ((await refundLate(charge, result)) ? found.returned : found.different).push(trxToken);
  }
}

/** The provider's notification was lost: signals the run to look the charge up. */
async function signalAnswer({ id, reference }: DoubtfulCharge): Promise<void> {
  const purchase = await getPurchase(id);
  await sendNow(
    await transaction((inTransaction) => enqueueAnswer(inTransaction, purchase, reference ?? '', 'reconcile')),
  );
}

/** How far back each reconciliation lists payments, unless a restore requires more. */
const usualListMs = 3 * 3_600_000;

/** Saves payments that only the provider knows; after a restore, all payments since the backup. */
async function recordPayments(found: ReconciliationResult): Promise<void> {
  const unlisted = await findUnlisted();
  const usual = new Date(Date.now() - usualListMs);
  const since = unlisted && unlisted.since < usual ? unlisted.since : usual;
  for await (const paid of cardProvider.listPayments(since)) {
    if (await hasCharge(paid)) continue;
    const recorded = await transaction((inTransaction) => recordPayment(inTransaction, paid));
    if (recorded !== undefined) found.different.push(recorded);
  }
  if (!unlisted) return;
  for (const reference of await listRefundedSince(since)) await recordRefunds(reference);
  await transaction((inTransaction) => noteListed(inTransaction, unlisted.lastId));
}

async function listRefundedSince(since: Date): Promise<Set<string>> {
  const references = new Set<string>();
  for await (const reference of cardProvider.listRefunded?.(since) ?? []) references.add(reference);
  return references;
}

/** Saves the refunds that the provider has made since the backup, with their consequences. */
async function recordRefunds(reference: string): Promise<void> {
  const reported = await readRefunds(reference);
  const purchase = await findPurchase(reference);
  if (!purchase) return noteRefunded(reference, reported);
  const queued = await transaction((inTransaction) => followRefunds(inTransaction, purchase, reported));
  for (const signal of queued) await sendNow(signal);
}

/** Returns the token or the reference of the payment if it is new. */
async function recordPayment(inTransaction: Transaction, paid: ListedPayment): Promise<string | undefined> {
  const trxToken = await recordCharge(inTransaction, paid);
  if (trxToken !== undefined) return trxToken;
  return (await keepUnmatched(inTransaction, paid)) ? paid.reference : undefined;
}

/** Refunds under a key that is derived from the charge, so once at most. False if there is no success yet. */
async function refundLate(charge: DoubtfulCharge, paid: Extract<ChargeResult, { outcome: 'paid' }>): Promise<boolean> {
  const { id, idempotencyKey: chargeKey, amountMinor, currency } = charge;
  const about = { chargeKey, chargeReference: paid.reference, amountMinor, currency };
  const request = { idempotencyKey: `${chargeKey}:return`, ...about };
  const earlier = await cardProvider.lookUpRefund(request);
  const { outcome } = earlier.outcome === 'not_sent' ? await cardProvider.refund(request) : earlier;
  if (outcome !== 'refunded') return false;
  await transaction(async (inTransaction) => {
    if (!(await noteReturn(inTransaction, id, paid.reference)) || charge.isErased) return;
    const purchase = await getPurchase(id, inTransaction);
    const { merchantId, accountId, brandingId } = purchase;
    const { description, email: to } = await getPaymentFacts(purchase, inTransaction);
    const values = { description, token: charge.trxToken, amountMinor, currency };
    await queueMail(inTransaction, { merchantId, accountId, brandingId, to, template: 'refund', values });
  });
  return true;
}
