import { type Transaction } from './postgres/connection';
import { execute, query } from './postgres/statement';

/** Messages of the outbox that Temporal has refused several times. They wait for the decision of an operator. */

export interface RefusedMessage {
  id: number;
  workflow: string;
  workflowId: string;
  /** Null: the start of the workflow. */
  signal: string | null;
  attempts: number;
  /** Temporal's last answer. */
  error: string | null;
  createdAt: Date;
  refusedAt: Date;
}

const refused = 'FROM outbox WHERE parked_at IS NOT NULL';

/** The oldest first, which is the order in which messages to one workflow are sent. */
export function findRefused({ limit, offset }: { limit: number; offset: number }): Promise<RefusedMessage[]> {
  return query<RefusedMessage>(
    `SELECT id, workflow, workflow_id AS "workflowId", signal, attempts, last_error AS error,
       created_at AS "createdAt", parked_at AS "refusedAt" ${refused} ORDER BY id LIMIT $1 OFFSET $2`,
    [limit, offset],
  );
}

export async function countRefused(): Promise<number> {
  const [counted] = await query<{ total: number }>(`SELECT count(*)::int AS total ${refused}`, []);
  return counted?.total ?? 0;
}

const release = 'UPDATE outbox SET parked_at = NULL, attempts = 0, available_at = now() WHERE parked_at IS NOT NULL';

/** Lets the relay send a message again, with as many tries as a new one. False if no such message waits. */
export async function releaseRefused(inTransaction: Transaction, id: number): Promise<boolean> {
  return (await execute(inTransaction, `${release} AND id = $1 RETURNING id`, [id])).length > 0;
}

/** Lets the relay send all of them again. Returns their number. */
export async function releaseAllRefused(inTransaction: Transaction): Promise<number> {
  return (await execute(inTransaction, `${release} RETURNING id`)).length;
}

/** Deletes a message. The sweep starts a run that is missing from its row. False if no such message waits. */
export async function deleteRefused(inTransaction: Transaction, id: number): Promise<boolean> {
  const text = 'DELETE FROM outbox WHERE id = $1 AND parked_at IS NOT NULL RETURNING id';
  return (await execute(inTransaction, text, [id])).length > 0;
}
