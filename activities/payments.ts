import * as schedules from '../src/reports/schedules/service';
import * as payments from '../src/subscriptions/payments/lifecycle/service';
import * as reconciliation from '../src/subscriptions/reconciliation/service';
import * as refunds from '../src/subscriptions/refunds/service';
import { type PaymentFailureInput } from '../workflows/messages';
import { alive } from './pulse';

export const paymentActivities = {
  completePayment: (paymentId: number) => payments.completePayment(paymentId),
  failPayment: (input: PaymentFailureInput) => payments.failPayment(input),
  sendRefund: alive((refundId: number) => refunds.sendRefund(refundId)),
  lookUpRefund: alive((refundId: number) => refunds.lookUpRefund(refundId)),
  reconcileCharges: alive(async () => {
    await schedules.restoreReportSchedules();
    return reconciliation.reconcileCharges();
  }),
};
