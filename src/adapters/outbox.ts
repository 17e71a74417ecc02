import {
  endScheduleSignal,
  keepScheduleSignal,
  wakeSignal,
  type ScheduleOrder,
  type SignalInput,
  type StorePurchaseInput,
  type WorkflowInputs,
  type WorkflowName,
} from '../../workflows/messages';
import { logger } from './logger';
import { prepareKeyOfRun } from './payloadKeys';
import { type Transaction } from './postgres/connection';
import { statement } from './postgres/statement';
import { endSchedule, keepSchedule } from './schedules';
import {
  signalOrStartWorkflow,
  signalWorkflow,
  startWorkflow,
  temporalAnswers,
  wakeWorkflow,
  type RunLabels,
} from './temporal';

/**
 * The promise that a workflow will hear of a committed change. The row is written in the change's own transaction; after
 * the commit the request sends it at once, and what it could not send the relay sends later. Sending twice is harmless:
 * the workflow's id is the dedupe key. What is meant for one workflow goes out in the order it was promised in, so that a
 * signal never overtakes the start.
 */

/** How long the request that wrote a row has it to itself before the relay takes over. */
const ownLeaseSeconds = 5;
const relayLeaseSeconds = 15;
const relayEveryMs = 500;
const relayBatch = 50;
const attemptsBeforeParking = 10;

export interface OutboxRow {
  id: number;
  workflow: WorkflowName;
  workflow_id: string;
  signal: string | null;
  /** Of the workflow, or of the signal. */
  input: WorkflowInputs[WorkflowName] | SignalInput;
  memo: RunLabels;
  attempts: number;
  /** How often the same was promised while it waited. */
  promised: number;
}

export interface OutboxMessage<N extends WorkflowName> {
  /** The same message written twice is one row. */
  messageId: string;
  workflow: N;
  workflowId: string;
  /** Of the workflow, or of the signal. */
  input: WorkflowInputs[N] | SignalInput;
  labels: RunLabels;
  /**
   * Absent: start the workflow. `wakeSignal`: start it with the input if it does not run. `keepScheduleSignal` and
   * `endScheduleSignal`: about the schedule under the workflow's id.
   */
  signal?: string;
}

/** One by one: a prepared `*` would fail on every open connection once a migration has added a column. */
const columns = 'id, workflow, workflow_id, signal, input, memo, attempts, promised';

const enqueueStatement = statement<OutboxRow>(
  'outbox_enqueue',
  `INSERT INTO outbox (workflow, workflow_id, message_id, signal, input, memo, available_at)
   VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
   ON CONFLICT (message_id) DO UPDATE SET available_at = excluded.available_at, promised = outbox.promised + 1
   RETURNING ${columns}`,
);

/** Writes the promise into the transaction; `sendNow` with the answer after the commit. */
export async function enqueue<N extends WorkflowName>(
  inTransaction: Transaction,
  message: OutboxMessage<N>,
): Promise<OutboxRow> {
  const values = [
    message.workflow,
    message.workflowId,
    message.messageId,
    message.signal ?? null,
    JSON.stringify(message.input),
    JSON.stringify(message.labels),
    ownLeaseSeconds,
  ];
  if (message.signal === undefined) await prepareKeyOfRun(inTransaction, message.workflowId);
  const [row] = await enqueueStatement(values, inTransaction);
  if (!row) throw new Error('a promise was not written');
  return row;
}

const enqueueAllStatement = statement(
  'outbox_enqueue_all',
  `INSERT INTO outbox (workflow, workflow_id, message_id, signal, input, memo, available_at)
   SELECT m->>'workflow', m->>'workflowId', m->>'messageId', m->>'signal', m->'input', m->'labels', now()
   FROM jsonb_array_elements($1::jsonb) AS m ON CONFLICT (message_id) DO NOTHING`,
);

/** Many promises at once, for the relay to send. */
export async function enqueueAll<N extends WorkflowName>(
  inTransaction: Transaction,
  messages: OutboxMessage<N>[],
): Promise<void> {
  if (messages.length > 0) await enqueueAllStatement([JSON.stringify(messages)], inTransaction);
}

// What was promised once more since it was read is still to be sent: the one who heard it may have looked too early.
const doneStatement = statement('outbox_done', 'DELETE FROM outbox WHERE id = $1 AND promised = $2');
const refusedStatement = statement(
  'outbox_refused',
  `UPDATE outbox SET attempts = attempts + 1, last_error = $2,
     available_at = now() + least(power(2, attempts), 30) * interval '1 second',
     parked_at = CASE WHEN attempts + 1 >= $3 THEN now() END
   WHERE id = $1`,
);
const returnStatement = statement('outbox_return', 'UPDATE outbox SET available_at = now() WHERE id = ANY($1)');
// Words for a start that is put aside wait until it is sent: before it nobody is there to hear them.
const isEarlier = 'e.workflow_id = o.workflow_id AND e.id < o.id AND (e.parked_at IS NULL OR e.signal IS NULL)';
const leaseStatement = statement<OutboxRow>(
  'outbox_lease',
  `UPDATE outbox SET available_at = now() + make_interval(secs => $1)
   WHERE id IN (SELECT id FROM outbox o WHERE parked_at IS NULL AND available_at <= now()
     AND NOT EXISTS (SELECT FROM outbox e WHERE ${isEarlier})
     ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
   RETURNING ${columns}`,
);
const isNextStatement = statement<{ id: number }>(
  'outbox_is_next',
  `SELECT id FROM outbox o WHERE id = $1 AND NOT EXISTS (SELECT FROM outbox e WHERE ${isEarlier})`,
);

/** The request's own try. It never fails: what it cannot send, the relay will. */
export async function sendNow(row: OutboxRow): Promise<void> {
  if (!temporalAnswers()) return;
  try {
    if (row.signal !== null && (await isNextStatement([row.id])).length === 0) return;
    await send(row);
  } catch (error) {
    logger.warn({ outboxId: row.id, reason: (error as Error).message }, 'left to the relay');
  }
}

/** Sends what waits, until stopped. Every API replica runs one; a lease keeps them off each other's rows. */
export class OutboxRelay {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  start(): void {
    this.timer = setTimeout(() => {
      this.running = this.relay().finally(() => {
        if (!this.stopped) this.start();
      });
    }, relayEveryMs);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async relay(): Promise<void> {
    try {
      for (let isMore = true; isMore;) isMore = await this.relayBatch();
    } catch (error) {
      logger.warn({ reason: (error as Error).message }, 'the outbox cannot be read');
    }
  }

  /** Whether some went out: others may have waited for those. */
  private async relayBatch(): Promise<boolean> {
    const rows = await leaseStatement([relayLeaseSeconds, relayBatch]);
    const left = await this.sendUntilAway(rows);
    if (left.length > 0) await returnStatement([left.map(({ id }) => id)]);
    return rows.length > 0 && left.length === 0;
  }

  /** What was not sent: a server that is away refuses nothing, so nothing is counted against these rows. */
  private async sendUntilAway(rows: OutboxRow[]): Promise<OutboxRow[]> {
    for (const [index, row] of rows.entries()) {
      if (this.stopped || !(await this.trySend(row))) return rows.slice(index);
    }
    return [];
  }

  /** False when the server is away. One that answers and refuses makes the row poison: parked after some tries. */
  private async trySend(row: OutboxRow): Promise<boolean> {
    try {
      await send(row);
    } catch (error) {
      const reason = (error as Error).message;
      logger.warn({ outboxId: row.id, workflowId: row.workflow_id, reason }, 'not sent');
      if (!temporalAnswers()) return false;
      await refusedStatement([row.id, reason, attemptsBeforeParking]);
    }
    return true;
  }
}

async function send(row: OutboxRow): Promise<void> {
  // The row was written by `enqueue`, whose types tied the input to the workflow and to the signal.
  const input = row.input as WorkflowInputs[WorkflowName];
  if (row.signal === null) await startWorkflow(row.workflow, row.workflow_id, input, row.memo);
  else if (row.signal === wakeSignal) await wakeWorkflow(row.workflow, row.workflow_id, input, row.memo);
  else if (row.signal === keepScheduleSignal) await keepSchedule(row.workflow_id, row.input as ScheduleOrder, row.memo);
  else if (row.signal === endScheduleSignal) await endSchedule(row.workflow_id);
  else if (row.workflow === 'storePurchase')
    // One that has ended begins again: its store may tell of a purchase years later.
    await signalOrStartWorkflow(row.workflow, row.workflow_id, input as StorePurchaseInput, row.memo, row.signal);
  else await signalWorkflow(row.workflow_id, row.signal, row.input);
  await doneStatement([row.id, row.promised]);
}
