import { webhookEndpointRun, webhookEndpointWorkflowId } from '../../workflows/messages';
import { runSource } from '../adapters/runs';
import { isSwitchedOn } from './queue';

interface EndpointToRun {
  id: number;
  token: string;
  merchantId: number;
}

/** The endpoints that have something to send now or later, whose runs are started again from their rows. */
export const webhookRuns = runSource<EndpointToRun>({
  workflow: webhookEndpointRun.workflow,
  table: 'webhook_wakes',
  idPrefix: webhookEndpointRun.idPrefix,
  columns: 'r.id, r.token, r.merchant_id AS "merchantId"',
  needsRun: `r.next_due_at IS NOT NULL AND ${isSwitchedOn('r')}`,
  dueAt: 'r.next_due_at',
  clock: 'real',
  runOf: ({ id: endpointId, token, merchantId }) => ({
    workflowId: webhookEndpointWorkflowId(token),
    input: { endpointId, token },
    labels: { merchantId, state: 'delivering', requestId: '', summary: `webhooks of endpoint ${endpointId}` },
  }),
});
