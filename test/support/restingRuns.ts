import { type Pool } from 'pg';
import { connectTemporal } from './temporalClient';
import { until } from './until';

/** The workflow ids that a file's worker carries out while the file compares tables, by the pool of the file's database. */
const watched = new WeakMap<Pool, string[]>();

export function watchRun(pool: Pool, workflowId: string): void {
  watched.set(pool, [...(watched.get(pool) ?? []), workflowId]);
}

/**
 * Waits until no watched run has a message, a workflow task or an activity left. A timer may still be set. A run that
 * continues as a new one may have to wait a second for its first task: until then its history is one event.
 */
export async function runsRest(pool: Pool): Promise<void> {
  const workflowIds = watched.get(pool) ?? [];
  if (workflowIds.length === 0) return;
  await messagesAreSent(pool, workflowIds);
  const temporal = await connectTemporal();
  await Promise.all(
    workflowIds.map((workflowId) =>
      until(async () => {
        const { raw, historyLength } = await temporal.client.workflow.getHandle(workflowId).describe();
        return historyLength > 1 && !raw.pendingWorkflowTask && (raw.pendingActivities ?? []).length === 0;
      }),
    ),
  );
  await temporal.close();
}

/** Waits until the outbox holds no message for these workflows. */
export async function messagesAreSent(pool: Pool, workflowIds: string[]): Promise<void> {
  const unsent = 'SELECT FROM outbox WHERE workflow_id = ANY($1)';
  await until(async () => (await pool.query(unsent, [workflowIds])).rows.length === 0);
}
