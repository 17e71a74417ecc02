import * as attempts from '../src/webhooks/attempts/service';
import * as queue from '../src/webhooks/queue/service';
import { type AttemptInput, type GivenUp } from '../workflows/messages';

export const webhookActivities = {
  nextDelivery: (endpointId: number) => queue.nextDelivery(endpointId),
  attemptDelivery: (input: AttemptInput) => attempts.attemptDelivery(input),
  giveUpDelivery: (input: GivenUp) => queue.giveUpDelivery(input),
};
