import { runSource } from '../adapters/runs';
import { accountWorkflowId } from '../../workflows/messages';

/** The exports and erasures whose runs are started again from their rows. */

interface OperationToRun {
  id: number;
  token: string;
  merchantId: number;
  accountId: number;
  kind: 'export' | 'erasure';
}

const operationRuns = (kind: OperationToRun['kind'], workflow: 'exportAccount' | 'eraseAccount') =>
  runSource<OperationToRun>({
    workflow,
    table: 'account_operations',
    idPrefix: accountWorkflowId(kind, ''),
    columns: 'r.id, r.token, r.merchant_id AS "merchantId", r.account_id AS "accountId", r.kind',
    needsRun: `r.next_due_at IS NOT NULL AND r.kind = '${kind}'`,
    dueAt: 'r.next_due_at',
    clock: 'real',
    runOf: ({ id: operationId, token, merchantId, accountId }) => ({
      workflowId: accountWorkflowId(kind, token),
      input: { operationId },
      labels: { merchantId, state: 'running', requestId: '', summary: `account ${accountId}` },
    }),
  });

export const exportRuns = operationRuns('export', 'exportAccount');
export const erasureRuns = operationRuns('erasure', 'eraseAccount');
