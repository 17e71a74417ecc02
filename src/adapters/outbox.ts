import {
  endScheduleSignal,
  keepScheduleSignal,
  wakeSignal,
  type ScheduleOrder,
  type SignalInput,
  type WorkflowInputs,
  type WorkflowName,
} from '../../workflows/messages';
import { config } from '../config';
import { eachInParallel } from '../kit/concurrency';
import { continueTrace, currentTrace, type TraceParent } from '../kit/tracing';
import { logger } from './logger';
import { prepareKeyOfRun } from './payloadKeys';
import { findRun } from './runs';
import { type Transaction } from './postgres/connection';
import { intoOutbox } from './postgres/outboxTable';
import { afterCommit } from './postgres/requestWork';
import { statement } from './postgres/statement';
import { endSchedule, keepSchedule } from './schedules';
import { signalOrStartWorkflow, signalWorkflow, startWorkflow, type RunLabels } from './temporal';
import { reasonOf, saysAway, temporalAnswers } from './temporalConnection';

/**
 * Messages to workflows, written in the transaction of the change that they report. After the commit the request sends
 * its message at once, and the relay sends the messages that a request could not send. Sending a message twice is
 * harmless, because the workflow's id deduplicates it. Messages to one workflow are sent in the order in which they were
 * written, so that a signal never overtakes the start.
 */

/** For this long only the request that wrote a row sends it. Then the relay may send it. */
const ownLeaseSeconds = 5;
const relayLeaseSeconds = 15;
/** The latest start of a send. A later one could outlast the lease, and another replica could send the next row first. */
const relayBeginsWithinMs = 10_000;
const relayEveryMs = 500;
/** Messages to many workflows are due one after the other: after a sent message the relay looks for the next one sooner. */
const relayAgainMs = 50;
const relayBatch = 200;
const attemptsBeforeParking = 10;

export interface OutboxRow {
  id: number;
  workflow: WorkflowName;
  workflow_id: string;
  signal: string | null;
  /** The input of the workflow, or of the signal. */
  input: WorkflowInputs[WorkflowName] | SignalInput;
  memo: RunLabels;
  attempts: number;
  /** How often the same message was written while the row waited. */
  promised: number;
  /** The end of the lease, by PostgreSQL's clock. Until then only its holder sends the row. */
  leased_until: string;
  /** The trace of the change. */
  traceparent: TraceParent | null;
}

export interface OutboxMessage<N extends WorkflowName> {
  /** The same message written twice is one row. */
  messageId: string;
  workflow: N;
  workflowId: string;
  /** The input of the workflow, or of the signal. */
  input: WorkflowInputs[N] | SignalInput;
  labels: RunLabels;
  /**
   * Absent: start the workflow. `wakeSignal`: start it with the input if it does not run. `keepScheduleSignal` and
   * `endScheduleSignal`: about the schedule with the workflow's id.
   */
  signal?: string;
}

/** Named columns: a prepared `*` would fail on every open connection after a migration has added a column. */
const columns = `id, workflow, workflow_id, signal, input, memo, attempts, promised, traceparent,
  available_at::text AS leased_until`;

const enqueueStatement = statement<OutboxRow>(
  'outbox_enqueue',
  `${intoOutbox}
   VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7), $8)
   ON CONFLICT (message_id) DO UPDATE SET available_at = excluded.available_at, promised = outbox.promised + 1
   RETURNING ${columns}`,
);

/** Writes the message in the transaction. Call `sendNow` with the result after the commit. */
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
    currentTrace(),
  ];
  if (message.signal === undefined) await prepareKeyOfRun(inTransaction, message.workflowId);
  const [row] = await enqueueStatement(values, inTransaction);
  if (!row) throw new Error('the message was not written');
  return row;
}

const enqueueAllStatement = statement(
  'outbox_enqueue_all',
  `${intoOutbox}
   SELECT m->>'workflow', m->>'workflowId', m->>'messageId', m->>'signal', m->'input', m->'labels',
     now() + make_interval(secs => (n - 1) / $2::float8), $3::text
   FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS messages (m, n) ON CONFLICT (message_id) DO NOTHING`,
);

/** Writes many messages for the relay, due over several seconds so that they do not delay other messages. */
export async function enqueueAll<N extends WorkflowName>(
  inTransaction: Transaction,
  messages: OutboxMessage<N>[],
): Promise<void> {
  if (messages.length > 0)
    await enqueueAllStatement([JSON.stringify(messages), config.OUTBOX_BULK_PER_SECOND, currentTrace()], inTransaction);
}

// A message that was written again after it was read stays: the receiver may have looked before the second change.
const doneStatement = statement('outbox_done', 'DELETE FROM outbox WHERE id = $1 AND promised = $2');
const refusedStatement = statement(
  'outbox_refused',
  `UPDATE outbox SET attempts = attempts + 1, last_error = $2,
     available_at = now() + least(power(2, attempts), 30) * interval '1 second',
     parked_at = CASE WHEN attempts + 1 >= $3 THEN now() END
   WHERE id = $1`,
);
const returnStatement = statement('outbox_return', 'UPDATE outbox SET available_at = now() WHERE id = ANY($1)');
// Signals wait for a parked start: before the start there is no run that could receive them.
const isEarlier = 'e.workflow_id = o.workflow_id AND e.id < o.id AND (e.parked_at IS NULL OR e.signal IS NULL)';
/** Of a row that the relay has leased meanwhile, the lease stays. */
const handOverStatement = statement(
  'outbox_hand_over',
  'UPDATE outbox SET available_at = now() WHERE id = $1 AND available_at = $2::text::timestamptz',
);
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

/** Sends a message after the commit. It never throws: the relay sends what this try could not. */
export function sendNow(row: OutboxRow): Promise<void> {
  return afterCommit(() => trySendNow(row));
}

async function trySendNow(row: OutboxRow): Promise<void> {
  if (!temporalAnswers()) return;
  try {
    const isNext = row.signal === null || (await isNextStatement([row.id])).length > 0;
    // The relay sends the row right after the earlier one.
    await (isNext ? send(row) : handOverStatement([row.id, row.leased_until]));
  } catch (error) {
    logger.warn({ outboxId: row.id, reason: reasonOf(error) }, 'a message was left to the relay');
  }
}

/**
 * Sends waiting messages until it is stopped. Every API replica runs one. A lease prevents two replicas from sending
 * the same row.
 */
export class OutboxRelay {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  start(pauseMs = relayEveryMs): void {
    this.timer = setTimeout(() => {
      this.running = this.relay().then((hasSent) => {
        if (!this.stopped) this.start(hasSent ? relayAgainMs : relayEveryMs);
      });
    }, pauseMs);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** Returns whether any row was sent. */
  private async relay(): Promise<boolean> {
    let hasSent = false;
    try {
      while (await this.relayBatch()) hasSent = true;
    } catch (error) {
      logger.warn({ reason: (error as Error).message }, 'the outbox cannot be read');
    }
    return hasSent;
  }

  /** Returns whether any row was sent, since others may wait for those. While Temporal is unavailable, one row is tried. */
  private async relayBatch(): Promise<boolean> {
    const beginUntilMs = performance.now() + relayBeginsWithinMs;
    const rows = await leaseStatement([relayLeaseSeconds, temporalAnswers() ? relayBatch : 1]);
    const left = await this.sendAll(rows, beginUntilMs);
    if (left.length > 0) await returnStatement([left.map(({ id }) => id)]);
    return rows.length > 0 && left.length === 0;
  }

  /**
   * Sends several rows in parallel and returns those that were not sent. A lease holds only the first row of each workflow,
   * so the order within a workflow is kept.
   */
  private async sendAll(rows: OutboxRow[], beginUntilMs: number): Promise<OutboxRow[]> {
    const left: OutboxRow[] = [];
    await eachInParallel(rows, config.OUTBOX_CONCURRENCY, async (row) => {
      const maySend = !this.stopped && left.length === 0 && performance.now() < beginUntilMs;
      if (!maySend || !(await this.trySend(row))) left.push(row);
    });
    return left;
  }

  /**
   * False if Temporal or PostgreSQL is unavailable: the try is not counted. A row that Temporal refuses is parked after some
   * tries.
   */
  private async trySend(row: OutboxRow): Promise<boolean> {
    try {
      await send(row);
      return true;
    } catch (error) {
      const reason = reasonOf(error);
      logger.warn({ outboxId: row.id, workflowId: row.workflow_id, reason }, 'a message was not sent');
      return !saysAway(error) && isNoted(refusedStatement([row.id, reason, attemptsBeforeParking]));
    }
  }
}

const isNoted = (writing: Promise<unknown>) =>
  writing.then(
    () => true,
    () => false,
  );

/** Sends the message in the trace of its change. */
const send = (row: OutboxRow): Promise<void> =>
  continueTrace(row.traceparent, { name: `send ${row.signal ?? 'start'} ${row.workflow}` }, () => deliver(row));

async function deliver(row: OutboxRow): Promise<void> {
  const { workflow, workflow_id: workflowId, signal, memo: labels } = row;
  // The row was written by `enqueue`, whose types tied the input to the workflow and to the signal.
  const input = row.input as WorkflowInputs[WorkflowName];
  if (signal === null) await startWorkflow(workflow, workflowId, input, labels);
  else if (signal === keepScheduleSignal) await keepSchedule(workflowId, row.input as ScheduleOrder, labels);
  else if (signal === endScheduleSignal) await endSchedule(workflowId);
  // These runs start again after they have ended: a store may report on a purchase years later.
  else if (signal === wakeSignal || workflow === 'storePurchase')
    await signalOrStartWorkflow({ workflow, workflowId, input, labels }, signal);
  else await signalWorkflow(workflowId, signal, row.input, () => findRun(workflow, workflowId));
  await doneStatement([row.id, row.promised]);
}
