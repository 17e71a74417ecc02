import { cancellationSignal } from '@temporalio/activity';
import * as rounds from '../src/webhooks/rounds';
import { withHeartbeat } from './heartbeat';

export const webhookActivities = {
  deliverWebhooks: withHeartbeat((endpointId: number) => rounds.deliverWebhooks(endpointId, cancellationSignal())),
};
