import { unixSeconds } from '../kit/time';
import { type MovementRow } from '../ledger/ledger.model';
import { type TransactionRow, type TransitionRow } from './rows.model';

/** `amount` and `mrr` are in the major unit. */
export function presentMovement(row: MovementRow, { amount, mrr }: { amount: number; mrr: number }) {
  return {
    id: row.id,
    kind: row.kind,
    reason: row.reason,
    subscription_id: row.subscriptionToken,
    account_id: row.accountId,
    email: row.email,
    item_id: row.itemId,
    item_title: row.itemTitle,
    access_fee_id: row.accessFeeId,
    country_iso: row.countryIso,
    currency: row.currency,
    amount,
    mrr,
    subscriptions: row.subscriptions,
    customers: row.customers,
    cohort: row.cohort,
    created_at: unixSeconds(row.at),
  };
}

export function presentTransition(row: TransitionRow, amount: number) {
  return {
    id: row.id,
    subscription_id: row.subscriptionToken,
    account_id: row.accountId,
    email: row.email,
    item_id: row.itemId,
    item_title: row.itemTitle,
    currency: row.currency,
    from: row.fromState ?? '',
    to: row.toState,
    reason: row.reason,
    amount,
    workflow_run_id: row.workflowRunId ?? '',
    created_at: unixSeconds(row.at),
  };
}

export function presentTransaction(row: TransactionRow, amount: number) {
  return {
    id: row.id,
    type: row.type,
    kind: row.kind,
    trx_token: row.trxToken,
    transaction_token: row.transactionToken,
    account_id: row.accountId,
    email: row.email,
    item_id: row.itemId,
    item_title: row.itemTitle,
    access_fee_id: row.accessFeeId,
    payment_method: row.paymentMethod,
    voucher_code: row.voucherCode,
    country_iso: row.countryIso,
    currency: row.currency,
    amount,
    created_at: unixSeconds(row.at),
    is_amount_assumed: row.isAmountAssumed,
  };
}
