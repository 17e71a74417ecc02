import { activityInfo } from '@temporalio/activity';
import * as charges from '../src/subscriptions/charges/service';
import * as lifecycle from '../src/subscriptions/lifecycle/service';
import { type ChargeInput, type FailureInput } from '../workflows/messages';

const run = () => ({ runId: activityInfo().workflowExecution?.runId ?? '' });

export const billingActivities = {
  chargeCycle: (input: ChargeInput) => charges.chargeCycle(input),
  lookUpCharge: (input: ChargeInput) => charges.lookUpCharge(input),
  voidCharge: (input: ChargeInput) => charges.voidCharge(input),
  activateSubscription: (subscriptionId: number) => lifecycle.activateSubscription(subscriptionId, run()),
  failSubscription: (input: FailureInput) => lifecycle.failSubscription(input, run()),
  expireSubscription: (subscriptionId: number) => lifecycle.expireSubscription(subscriptionId, run()),
};
