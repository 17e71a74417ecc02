import * as payments from '../src/subscriptions/payments/lifecycle/service';
import * as reconciliation from '../src/subscriptions/reconciliation/service';
import * as refunds from '../src/subscriptions/refunds/service';
import { type PaymentFailureInput } from '../workflows/messages';

export const paymentActivities = {
  completePayment: (paymentId: number) => payments.completePayment(paymentId),
  failPayment: (input: PaymentFailureInput) => payments.failPayment(input),
  sendRefund: (refundId: number) => refunds.sendRefund(refundId),
  lookUpRefund: (refundId: number) => refunds.lookUpRefund(refundId),
  reconcileCharges: () => reconciliation.reconcileCharges(),
};
