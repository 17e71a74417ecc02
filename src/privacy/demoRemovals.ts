import { requireRecentFactor } from '../accounts/secondFactors/recentFactors';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { endRun } from '../adapters/temporal';
import { audit } from '../audit/audit';
import {
  beginRemoval,
  type DemoFill,
  type DemoState,
  endRemoval,
  getDemoState,
  lockRemoval,
} from '../demoData/demoData';
import { type Caller } from '../kit/auth';
import { eachInParallel } from '../kit/concurrency';
import { paymentWorkflowId, refundWorkflowId, subscriptionWorkflowId } from '../../workflows/messages';
import { deleteDemoRows, deleteMessages, type DemoRun, listDemoRuns } from './demoDeletions.model';
import { lockDemoRows, markKept } from './demoKeeping.model';

/**
 * Removes the demo data of a merchant: the rows that the filling has created, and what has happened to its purchases since.
 * Rows of a person stay, with those rows of demo data that they need. The rows are deleted in one transaction, so after a crash
 * all of them are there or none. A repeated call completes the removal.
 */
export async function removeDemoData(caller: Caller, requestId: string): Promise<DemoState> {
  const { state } = await getDemoState(caller);
  await requireRecentFactor(caller);
  if (state !== 'done' && state !== 'removing') return getDemoState(caller);
  await transaction(async (inTransaction) => {
    const fillId = await beginRemoval(inTransaction, caller.merchantId);
    if (fillId === undefined) return;
    await audit(inTransaction, caller, { action: 'demo_data.remove', object: ['demo_data', fillId], requestId });
  });
  // A run whose row is missing would raise an alarm.
  await endRuns(await inRemoval(caller, listRuns));
  await endRuns(await inRemoval(caller, deleteRows));
  return getDemoState(caller);
}

/** Nothing if another request has completed the removal. */
function inRemoval(
  { merchantId }: Caller,
  work: (inTransaction: Transaction, fill: DemoFill) => Promise<string[]>,
): Promise<string[]> {
  return transaction(async (inTransaction) => {
    const fill = await lockRemoval(inTransaction, merchantId);
    return fill ? work(inTransaction, fill) : [];
  });
}

async function listRuns(inTransaction: Transaction, { id }: DemoFill): Promise<string[]> {
  await markKept(inTransaction, id);
  return (await listDemoRuns(inTransaction, id)).map(workflowIdOf);
}

/** Returns the runs, because one of them may have been started again before its row was locked. */
async function deleteRows(inTransaction: Transaction, fill: DemoFill): Promise<string[]> {
  await lockDemoRows(inTransaction, fill.id);
  const workflowIds = await listRuns(inTransaction, fill);
  await deleteMessages(inTransaction, workflowIds);
  await deleteDemoRows(inTransaction, fill.id);
  await endRemoval(inTransaction, fill.id);
  return workflowIds;
}

const workflowIds: Record<DemoRun['kind'], (token: string) => string> = {
  subscription: subscriptionWorkflowId,
  payment: paymentWorkflowId,
  refund: refundWorkflowId,
};

const workflowIdOf = ({ kind, token }: DemoRun): string => workflowIds[kind](token);

const atOnce = 10;

const endRuns = (ids: readonly string[]): Promise<void> =>
  eachInParallel(ids, atOnce, (id) => endRun(id, 'the demo data of the merchant was removed'));
