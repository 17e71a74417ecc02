import { type Visit } from '../../kit/pages/page';
import { subscriptionChangeEndpoints } from '../../subscriptions/changes/endpoints';

const { cancelSubscription, resumeSubscription, pauseSubscription, retryPayment } = subscriptionChangeEndpoints;

/** What a page's buttons ask of a subscription. */
export const changes = ['cancel', 'resume', 'pause', 'retry'] as const;
export type Change = (typeof changes)[number];

const asked = {
  cancel: cancelSubscription,
  resume: resumeSubscription,
  pause: pauseSubscription,
  retry: retryPayment,
} satisfies Record<Change, unknown>;

interface Sent {
  params: { id: string };
  body: Record<string, unknown>;
}

/** Asks for a change as an app would: by a customer of its own subscription, by a merchant of any customer's. */
export function makeChange(visit: Visit, change: Change, sent: Sent): Promise<unknown> {
  return visit.call<unknown>(asked[change], sent);
}
