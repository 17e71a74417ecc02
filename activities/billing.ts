import { activityInfo } from '@temporalio/activity';
import * as lifecycle from '../src/subscriptions/lifecycle/service';
import { type ChargeInput, type FailureInput } from '../workflows/messages';

const run = () => ({ runId: activityInfo().workflowExecution?.runId ?? '' });

export const billingActivities = {
  chargeCycle: (input: ChargeInput) => lifecycle.chargeCycle(input),
  lookUpCharge: (input: ChargeInput) => lifecycle.lookUpCharge(input),
  voidCharge: (input: ChargeInput) => lifecycle.voidCharge(input),
  activateSubscription: (subscriptionId: number) => lifecycle.activateSubscription(subscriptionId, run()),
  failSubscription: (input: FailureInput) => lifecycle.failSubscription(input, run()),
  expireSubscription: (subscriptionId: number) => lifecycle.expireSubscription(subscriptionId, run()),
};
