import {
  type StoreHistory,
  type StoreName,
  type StoreNotification,
  type StorePurchase,
} from '../../adapters/appStores/store';
import { type Transaction } from '../../adapters/postgres/connection';
import { type NewEvent } from '../../notifications/events';
import { publish } from '../../notifications/publish';
import { getFacts, type PurchaseFacts, type StorePurchaseRow } from './purchases.model';
import { declined, describeRefund, refundFailure, reversed } from './events';
import { findRefundedAt, keepRefund, reverseRefund, settlePayments } from './refunds.model';

/**
 * Refunds by stores, payment by payment. A refund of an earlier period is written and published, and access continues.
 * For the current period the purchase's state decides whether access ends.
 */

/** The merchants that a report is for: their credentials have verified it. */
interface Receivers {
  merchantIds: readonly number[];
  store: StoreName;
}

/** Keeps a refund that a notification reports, even if no account has claimed the purchase yet. */
export async function keepNotifiedRefund(
  inTransaction: Transaction,
  receivers: Receivers,
  { purchase, refund, at: toldAt }: StoreNotification,
): Promise<void> {
  if (!purchase || !refund) return;
  const { transactionId, refundedAt, isReversed = false } = refund;
  const report = { transactionId, originalId: purchase.id, refundedAt, isReversed, toldAt };
  await keepRefund(inTransaction, receivers, report);
}

/** Keeps a refund from a store's list. False if it was known. */
export function keepListedRefund(
  inTransaction: Transaction,
  receivers: Receivers,
  refund: StoreHistory['refunds'][number],
): Promise<boolean> {
  return keepRefund(inTransaction, receivers, { ...refund, isReversed: false, toldAt: refund.refundedAt });
}

/** Google reports a refunded subscription as expired. It counts as revoked if its latest payment was refunded. */
export async function withRevocation(
  inTransaction: Transaction,
  { merchantId, store }: StorePurchaseRow,
  found: StorePurchase,
): Promise<StorePurchase> {
  if (store !== 'google-play' || found.state !== 'expired') return found;
  const { transactionId } = found;
  const revokedAt = await findRefundedAt(inTransaction, { merchantId, store, transactionId });
  return revokedAt ? { ...found, state: 'revoked', revokedAt } : found;
}

/** Writes and publishes the refunds of earlier periods. */
export async function settleEarlierRefunds(
  inTransaction: Transaction,
  row: StorePurchaseRow,
  present: Date,
): Promise<void> {
  const facts = await getFacts(inTransaction, row);
  if (facts.isErased) return;
  const events = await settleRefunds(inTransaction, row, facts, { present, except: row.transactionId });
  if (events.length > 0) await publish(inTransaction, row.merchantId, events);
}

/** Publishes that the store has declined a refund. */
export async function publishDeclinedRefund(
  inTransaction: Transaction,
  row: StorePurchaseRow,
  notificationId: string,
): Promise<void> {
  if ((await getFacts(inTransaction, row)).isErased) return;
  await publish(inTransaction, row.merchantId, [
    refundFailure(row, `${row.token}:declined:${notificationId}`, declined),
  ]);
}

/** Keeps the refunds in a store's answer. For the latest payment, Apple's answer is newer than a notification. */
export async function keepAnsweredRefunds(
  inTransaction: Transaction,
  { merchantId, store, originalId }: StorePurchaseRow,
  { transactionId, revokedAt, asOf, refunds = [] }: StorePurchase,
): Promise<void> {
  if (store === 'apple' && revokedAt === null)
    await reverseRefund(inTransaction, { merchantId, store, transactionId }, asOf);
  const receivers = { merchantIds: [merchantId], store };
  for (const refund of refunds)
    await keepRefund(inTransaction, receivers, { ...refund, originalId, isReversed: false, toldAt: asOf });
}

/** Writes the known refunds to the payments and returns their events. */
export async function settleRefunds(
  inTransaction: Transaction,
  row: StorePurchaseRow,
  facts: PurchaseFacts,
  { present, except }: { present: Date; except: string | null },
): Promise<NewEvent[]> {
  const settled = await settlePayments(inTransaction, row, except);
  return settled.flatMap((payment) => {
    const { transactionId, amountMinor, currency, isTrial, refundedAt } = payment;
    const reversedKey = `${row.token}:refund_reversed:${transactionId}:${present.getTime()}`;
    if (refundedAt === null) return [refundFailure(row, reversedKey, reversed)];
    if (isTrial || amountMinor === null || currency === null) return [];
    const dedupeKey = `${row.token}:refunded:${transactionId}:${refundedAt.getTime()}`;
    const resource = describeRefund(row, facts, { amountMinor, currency, at: present });
    return [{ type: 'external.payment.refund.success', accountId: row.accountId, dedupeKey, resource }];
  });
}
