import * as payments from '../src/subscriptions/payments/paymentSteps';
import * as hourly from '../src/subscriptions/hourly';
import * as refunds from '../src/subscriptions/refunds/sending';
import { type PaymentFailureInput } from '../workflows/messages';
import { withHeartbeat } from './heartbeat';

export const paymentActivities = {
  completePayment: (paymentId: number) => payments.completePayment(paymentId),
  openPayment: (paymentId: number) => payments.openPayment(paymentId),
  failPayment: (input: PaymentFailureInput) => payments.failPayment(input),
  sendRefund: withHeartbeat((refundId: number) => refunds.sendRefund(refundId)),
  lookUpRefund: withHeartbeat((refundId: number) => refunds.lookUpRefund(refundId)),
  reconcileCharges: withHeartbeat(() => hourly.doHourlyWork()),
};
