import { runSource } from '../adapters/runs';
import {
  externalPaymentWorkflowId,
  storePurchaseWorkflowId,
  unclaimedPurchaseWorkflowId,
  type UnclaimedPurchaseInput,
} from '../../workflows/messages';

/** The rows of store purchases, claims and unclaimed purchases whose runs are started again. */

interface PurchaseToRun {
  id: number;
  token: string;
  merchantId: number;
  itemId: number;
  state: string;
}

export const storePurchaseRuns = runSource<PurchaseToRun>({
  workflow: 'storePurchase',
  table: 'store_purchases',
  idPrefix: storePurchaseWorkflowId(''),
  columns: 'r.id, r.token, r.merchant_id AS "merchantId", r.item_id AS "itemId", r.state',
  needsRun: 'r.next_look_at IS NOT NULL',
  dueAt: 'r.next_look_at',
  clock: 'merchant',
  runOf: ({ id: storePurchaseId, token, merchantId, itemId, state }) => ({
    workflowId: storePurchaseWorkflowId(token),
    input: { storePurchaseId },
    labels: { merchantId, itemId, state, requestId: '', summary: `item ${itemId}` },
  }),
});

interface ClaimToRun {
  id: number;
  token: string;
  merchantId: number;
  attempt: number;
  store: string;
}

export const claimRuns = runSource<ClaimToRun>({
  workflow: 'externalPayment',
  table: 'external_payments',
  idPrefix: 'external-payment-',
  columns: 'r.id, r.token, r.merchant_id AS "merchantId", r.attempt, r.store',
  needsRun: `r.state = 'pending'`,
  dueAt: 'r.next_due_at',
  clock: 'real',
  runOf: ({ id: externalPaymentId, token, merchantId, attempt, store }) => ({
    workflowId: externalPaymentWorkflowId(token, attempt),
    input: { externalPaymentId },
    labels: { merchantId, state: 'pending', requestId: '', summary: store },
  }),
});

interface UnclaimedToRun extends UnclaimedPurchaseInput {
  id: number;
  token: string;
  merchantId: number;
}

export const unclaimedPurchaseRuns = runSource<UnclaimedToRun>({
  workflow: 'unclaimedPurchase',
  table: 'unclaimed_purchases',
  idPrefix: unclaimedPurchaseWorkflowId(''),
  columns: 'r.id, r.token, r.merchant_id AS "merchantId", r.store, r.notification_id AS "notificationId"',
  needsRun: 'true',
  dueAt: 'r.next_due_at',
  clock: 'real',
  runOf: ({ token, merchantId, store, notificationId }) => ({
    workflowId: unclaimedPurchaseWorkflowId(token),
    input: { store, notificationId },
    labels: { merchantId, state: 'pending', requestId: '', summary: store },
  }),
});
