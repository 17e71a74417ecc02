import { type ChargeResult } from '../../adapters/cardProviders/provider';
import { logger } from '../../adapters/logger';
import { sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { issueInvoice } from '../../invoices/issuing';
import { queueMail } from '../../mail/mail';
import { decideRecordedTax } from '../../tax/chargeTaxes';
import { type ReconciliationResult } from '../../../workflows/messages';
import { enqueueAnswer } from '../charges/answers';
import { findPurchase, getPurchase } from '../charges/charges.model';
import { getPaymentFacts } from '../payments/paymentSteps.model';
import { followRefunds, readRefunds } from '../refunds/reports';
import { findUnlisted, noteListed } from '../restorations';
import { compareBalances } from '../settlement/comparison';
import { followReturns } from './debitReturns';
import { lookUpDisputes } from './disputeLookUps';
import { getProviderOf, listProviders, type OwnedProvider } from './providers';
import { type FoundPayment } from './unmatched.model';
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
 * Looks up at the provider every charge and refund whose outcome is overdue, and every charge that was given up. A
 * charge that was paid after it was given up is refunded. Every other charge and refund has a workflow that looks it
 * up, so a difference that remains is reported to the operator.
 */
export async function reconcileCharges(): Promise<ReconciliationResult> {
  const found: ReconciliationResult = { lookedUp: 0, different: [], returned: [] };
  for await (const charge of each(listDoubtfulCharges)) await reconcileCharge(charge, found);
  for await (const refund of each(listDoubtfulRefunds)) {
    found.lookedUp += 1;
    const provider = await getProviderOf(refund);
    const { outcome } = await provider.lookUpRefund(refund);
    if (outcome === 'refunded' || outcome === 'refused') found.different.push(refund.idempotencyKey);
  }
  await continueRefunds();
  await followReturns();
  await lookUpDisputes();
  await recordPayments(found);
  await compareBalances();
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
  const provider = await getProviderOf(charge);
  const result = await provider.lookUpCharge(idempotencyKey, { reference, token, at: charge.at });
  const isSettled = result.outcome === 'paid' || result.outcome === 'declined';
  if (status === 'requires_action' || status === 'processing') {
    if (isSettled) await signalAnswer(charge);
  } else if (status === 'open') {
    if (isSettled) found.different.push(trxToken);
  } else if (result.outcome === 'paid') {
    ((await refundLate(charge, result)) ? found.returned : found.different).push(trxToken);
  }
}

/** The provider's notification was lost. Signals the run to look the charge up. */
async function signalAnswer({ id, reference }: DoubtfulCharge): Promise<void> {
  const purchase = await getPurchase(id);
  await sendNow(
    await transaction((inTransaction) => enqueueAnswer(inTransaction, purchase, reference ?? '', 'reconcile')),
  );
}

/** How far back each reconciliation lists payments, unless a restore requires more. */
const usualListMs = 3 * 3_600_000;

/** Saves payments that only a provider knows. After a restore, these are all payments since the backup. */
async function recordPayments(found: ReconciliationResult): Promise<void> {
  const unlisted = await findUnlisted();
  const usual = new Date(Date.now() - usualListMs);
  const since = unlisted && unlisted.since < usual ? unlisted.since : usual;
  let areAllListed = true;
  for (const owned of await listProviders()) {
    const isListed = await recordPaymentsOf(owned, { since, isRestored: unlisted !== undefined }, found);
    areAllListed &&= isListed;
  }
  if (unlisted && areAllListed) await transaction((inTransaction) => noteListed(inTransaction, unlisted.lastId));
}

/**
 * False if a merchant's own account does not answer, for example because its key was revoked. The other accounts are
 * still listed.
 */
async function recordPaymentsOf(
  owned: OwnedProvider,
  { since, isRestored }: { since: Date; isRestored: boolean },
  found: ReconciliationResult,
): Promise<boolean> {
  try {
    await recordNewPayments(owned, since, found);
    if (isRestored)
      for (const reference of await listRefundedSince(owned, since)) await recordRefunds(owned, reference);
    return true;
  } catch (error) {
    if (owned.merchantId === undefined) throw error;
    const account = { merchantId: owned.merchantId, provider: owned.provider.name };
    logger.error({ ...account, reason: (error as Error).message }, 'the payments of an account could not be listed');
    return false;
  }
}

async function recordNewPayments(owned: OwnedProvider, since: Date, found: ReconciliationResult): Promise<void> {
  for await (const listed of owned.provider.listPayments(since)) {
    const owner = owned.merchantId === undefined ? {} : { merchantId: owned.merchantId };
    const paid = { ...listed, ...owner, provider: owned.provider.name };
    if (await hasCharge(paid)) continue;
    const recorded = await transaction((inTransaction) => recordPayment(inTransaction, paid, owned.merchantId));
    if (recorded !== undefined) found.different.push(recorded);
  }
}

async function listRefundedSince({ provider }: OwnedProvider, since: Date): Promise<Set<string>> {
  const references = new Set<string>();
  for await (const reference of provider.listRefunded?.(since) ?? []) references.add(reference);
  return references;
}

/** Saves the refunds that the provider has made since the backup, with their consequences. */
async function recordRefunds({ provider, merchantId }: OwnedProvider, reference: string): Promise<void> {
  const reported = await readRefunds(provider, reference);
  const purchase = await findPurchase(reference, merchantId);
  if (!purchase) return noteRefunded(reference, reported);
  const queued = await transaction((inTransaction) => followRefunds(inTransaction, purchase, reported));
  for (const signal of queued) await sendNow(signal);
}

/**
 * Returns the token or the reference of the payment if it is new. The tax and the invoice of a recorded charge are in its
 * transaction, like those of every other charge.
 */
async function recordPayment(
  inTransaction: Transaction,
  paid: FoundPayment,
  ownerId: number | undefined,
): Promise<string | undefined> {
  const recorded = await recordCharge(inTransaction, paid, ownerId);
  if (recorded) {
    await decideRecordedTax(recorded.id, inTransaction);
    await issueInvoice(recorded.id, inTransaction);
    return recorded.trxToken;
  }
  return (await keepUnmatched(inTransaction, paid)) ? paid.reference : undefined;
}

/** Refunds under a key that is derived from the charge, so at most once. False if there is no success yet. */
async function refundLate(charge: DoubtfulCharge, paid: Extract<ChargeResult, { outcome: 'paid' }>): Promise<boolean> {
  const { id, idempotencyKey: chargeKey, amountMinor, currency } = charge;
  const about = { chargeKey, chargeReference: paid.reference, amountMinor, currency };
  const request = { idempotencyKey: `${chargeKey}:return`, ...about };
  const provider = await getProviderOf(charge);
  const earlier = await provider.lookUpRefund(request);
  const { outcome } = earlier.outcome === 'not_sent' ? await provider.refund(request) : earlier;
  if (outcome !== 'refunded' && outcome !== 'pending') return false;
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
