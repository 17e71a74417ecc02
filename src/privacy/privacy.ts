import { randomUUID } from 'node:crypto';
import { enqueue, type OutboxRow } from '../adapters/outbox';
import { type Transaction } from '../adapters/postgres/connection';
import { accountWorkflowId, type AccountWorkflow } from '../../workflows/messages';
import { AccountOperation } from './privacy.model';

/** An export or an erasure of an account. */
export interface NewOperation {
  merchantId: number;
  accountId: number;
  kind: AccountOperation['kind'];
  brandingId?: number | undefined;
  requestId: string;
}

const workflows: Record<AccountOperation['kind'], AccountWorkflow> = {
  export: 'exportAccount',
  erasure: 'eraseAccount',
};

/**
 * Inserts an operation and queues its workflow. The index `account_operations_running` allows one running operation per
 * account.
 */
export async function beginOperation(inTransaction: Transaction, asked: NewOperation): Promise<OutboxRow> {
  const { merchantId, accountId, kind, brandingId, requestId } = asked;
  const row = await AccountOperation.create(
    { token: randomUUID(), merchantId, accountId, kind, brandingId: brandingId ?? null },
    { transaction: inTransaction },
  );
  const workflowId = accountWorkflowId(kind, row.token);
  return enqueue(inTransaction, {
    messageId: workflowId,
    workflow: workflows[kind],
    workflowId,
    input: { operationId: row.id },
    labels: { merchantId, state: 'running', requestId, summary: `account ${accountId}` },
  });
}
