import { runSource } from '../adapters/runs';
import { demoDataWorkflowId } from '../../workflows/messages';

interface FillToRun {
  id: number;
  token: string;
  merchantId: number;
}

/** The demo data whose runs are started again from their rows. */
export const demoDataRuns = runSource<FillToRun>({
  workflow: 'demoData',
  table: 'demo_fills',
  idPrefix: demoDataWorkflowId(''),
  columns: 'r.id, r.token, r.merchant_id AS "merchantId"',
  needsRun: `r.state = 'running'`,
  dueAt: 'r.next_due_at',
  clock: 'real',
  runOf: ({ id: fillId, token, merchantId }) => ({
    workflowId: demoDataWorkflowId(token),
    input: { fillId },
    labels: { merchantId, state: 'running', requestId: '', summary: 'demo data' },
  }),
});
