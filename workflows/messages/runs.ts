import { type AccountErased, type AccountOperationInput } from './accounts';
import { type ChangeRequest, type Revoked } from './changes';
import { type PaymentInput, type RefundInput } from './payments';
import { type ScheduledReportInput, type ScheduleOrder } from './reports';
import { type ExternalPaymentInput, type StorePurchaseInput, type UnclaimedPurchaseInput } from './stores';
import { type SubscriptionInput } from './subscriptions';
import { type WebhookDeliveryInput, type WebhookEndpointInput, webhookEndpointRun } from './webhooks';

/** Every workflow by its name, and what goes to a run whichever it is. */

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
  webhookDelivery: WebhookDeliveryInput;
  scheduledReport: ScheduledReportInput;
}

export type WorkflowName = keyof WorkflowInputs;

/** Started by a schedule, without an input. */
export type ScheduledWorkflow = 'reconcile';

/** Those that begin again under the same id: what they have to do stands in the database, and nothing when it is done. */
export const rerunning: readonly WorkflowName[] = [webhookEndpointRun.workflow, 'webhookDelivery'];

/** What goes to a run that begins again with its signal is its input too. */
export type SignalInput =
  ChangeRequest | ClockMoved | Revoked | AccountErased | WebhookDeliveryInput | ScheduleOrder | ScheduledReportInput;

/** The merchant's test clock has moved. */
export const clockMovedSignal = 'clockMoved';

export interface ClockMoved {
  aheadMs: number;
}
