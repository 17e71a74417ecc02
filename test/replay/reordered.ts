import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { type Activities } from '../../activities';
import { type SubscriptionInput } from '../../workflows/messages';
import { payment, quick } from '../../workflows/policies';

const { chargeFirstPeriod } = proxyActivities<Activities>(payment);
const { activateSubscription } = proxyLocalActivities<Activities>(quick);

/** A forbidden change of the workflow: it opens access before the payment. The replay of the histories must fail. */
export async function subscription({ subscriptionId }: SubscriptionInput): Promise<void> {
  await activateSubscription(subscriptionId);
  await chargeFirstPeriod({ subscriptionId, cycle: 1, attempt: 1 });
}
