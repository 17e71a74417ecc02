import { heartbeat } from '@temporalio/activity';
import { adoptPurchase } from '../src/externalPayments/adoption/service';
import { acknowledgePurchase, lookAtPurchase } from '../src/externalPayments/purchases/service';
import { validateClaim } from '../src/externalPayments/validation/service';

const pulseMs = 1_000;

/** Says that it lives while a store takes its time: a worker that died meanwhile is noticed at once. */
const alive =
  <Input, Result>(step: (input: Input) => Promise<Result>) =>
  async (input: Input): Promise<Result> => {
    const pulse = setInterval(() => heartbeat(), pulseMs);
    try {
      return await step(input);
    } finally {
      clearInterval(pulse);
    }
  };

export const externalPaymentActivities = {
  validateExternalPayment: alive(validateClaim),
  lookAtStorePurchase: alive(lookAtPurchase),
  adoptStorePurchase: alive(adoptPurchase),
  acknowledgeStorePurchase: alive(acknowledgePurchase),
};
