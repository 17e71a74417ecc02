import { type AccountOperationInput } from './accounts';
import { type DemoDataInput } from './demoData';
import { type ChangeRequest, type DebitReturn, type RevocationNotice } from './changes';
import { type PaymentInput, type RefundInput } from './payments';
import { type ScheduledReportInput, type ScheduleOrder } from './reports';
import { type ExternalPaymentInput, type StorePurchaseInput, type UnclaimedPurchaseInput } from './stores';
import { type SubscriptionInput } from './subscriptions';
import { type WebhookEndpointInput, webhookEndpointRun } from './webhooks';

/** The input of each workflow, and the messages that any run may receive. */

export interface WorkflowInputs {
  externalPayment: ExternalPaymentInput;
  storePurchase: StorePurchaseInput;
  unclaimedPurchase: UnclaimedPurchaseInput;
  subscription: SubscriptionInput;
  payment: PaymentInput;
  refund: RefundInput;
  exportAccount: AccountOperationInput;
  eraseAccount: AccountOperationInput;
  webhookEndpoint: WebhookEndpointInput;
  scheduledReport: ScheduledReportInput;
  demoData: DemoDataInput;
}

export type WorkflowName = keyof WorkflowInputs;

/** Workflows that a Temporal schedule starts without an input. */
export type ScheduledWorkflow = 'reconcile' | 'storeHistories';

/** Workflows that start again under the same id. Their work is in the database, and a run ends when no work is left. */
export const rerunning: readonly WorkflowName[] = [webhookEndpointRun.workflow];

/** The input of a signal. A workflow that is started with its signal also has it as its input. */
export type SignalInput =
  ChangeRequest | ClockMoved | DebitReturn | RevocationNotice | ScheduleOrder | ScheduledReportInput;

/** The merchant's test clock was moved. */
export const clockMovedSignal = 'clockMoved';

export interface ClockMoved {
  aheadMs: number;
}
