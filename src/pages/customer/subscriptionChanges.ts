import { type z } from 'zod';
import { type Message } from '../../kit/page';
import { type Visit } from '../../kit/pages/page';
import { subscriptionChangeEndpoints } from '../../subscriptions/changes/changes.endpoints';

const { cancelSubscription, resumeSubscription, pauseSubscription, retryPayment } = subscriptionChangeEndpoints;

/** The changes that the buttons of a page can request. */
export const changes = ['cancel', 'resume', 'pause', 'retry'] as const;
export type Change = (typeof changes)[number];

const endpointOf = {
  cancel: cancelSubscription,
  resume: resumeSubscription,
  pause: pauseSubscription,
  retry: retryPayment,
} satisfies Record<Change, unknown>;

interface ChangeForm {
  params: { id: string };
  body: Record<string, unknown>;
}

/** Requests a change of a subscription: a customer's own, or that of any customer of the merchant. */
export function makeChange(visit: Visit, change: Change, sent: ChangeForm): Promise<ChangeResult> {
  return visit.call<ChangeResult>(endpointOf[change], sent);
}

type ChangeResult = Pick<z.output<typeof Message>, 'code'>;

/** Whether the outcome of a change is not known yet. */
export const isUnderWay = ({ code }: ChangeResult) => code === 202;
