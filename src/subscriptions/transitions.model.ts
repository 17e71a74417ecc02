import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';
import { type SubscriptionState } from './subscriptions.model';

/** One line of a subscription's history: the change, its actor and its run. */
export interface Transition {
  merchantId: number;
  subscriptionId: number;
  sequence: number;
  fromState: SubscriptionState | null;
  toState: SubscriptionState;
  reason: string;
  /** `account:<id>`, or `workflow` for a timed step. */
  actor: string;
  /** The uuid of the account that acted in the name of the actor. */
  actedBy?: string | null;
  /** The id of the request that led to the change. */
  requestId?: string | null;
  /** The id of a change that takes effect once. */
  changeId?: string | undefined;
  workflowRunId: string | null;
  /** The change of the monthly recurring revenue. */
  mrrDeltaMinor?: number;
  /** The workflow's state of the subscription after the change; absent before the subscription has started. */
  snapshot?: object;
  /** Merchant time. Absent: now. */
  at?: Date;
}

/**
 * The reason of an event `e` of the subscription `s`. The words of a person who cancels are personal, so only the subscription
 * has them, with the time of this cancellation. A later cancellation without words does not change either.
 */
export const shownReason = `CASE WHEN e.to_state = 'canceled' AND e.reason = 'canceled' AND e.created_at = s.canceled_at
  AND s.cancel_reason <> '' THEN s.cancel_reason ELSE e.reason END`;

const transitionStatement = statement(
  'subscription_transition',
  `INSERT INTO subscription_events (merchant_id, subscription_id, sequence, from_state, to_state, reason, actor,
     workflow_run_id, mrr_delta_minor, snapshot, created_at, acted_by, request_id, change_id)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, coalesce($11, merchant_now($1)), $12, $13, $14)`,
);

export async function recordTransition(inTransaction: Transaction, transition: Transition): Promise<void> {
  const { merchantId, subscriptionId, sequence, fromState, toState, reason, actor, workflowRunId } = transition;
  const {
    mrrDeltaMinor = 0,
    snapshot = null,
    at = null,
    actedBy = null,
    requestId = null,
    changeId = null,
  } = transition;
  const about = [merchantId, subscriptionId, sequence, fromState, toState, reason, actor, workflowRunId];
  const values = [...about, mrrDeltaMinor, snapshot, at, actedBy, requestId, changeId];
  await transitionStatement(values, inTransaction);
}

const stepOfStatement = statement<{ found: boolean }>(
  'subscription_step_of_request',
  'SELECT EXISTS (SELECT FROM subscription_events WHERE subscription_id = $1 AND request_id = $2) AS found',
);

/** Whether the request has led to a change already. */
export async function hasStepOf(
  inTransaction: Transaction,
  subscriptionId: number,
  requestId: string,
): Promise<boolean> {
  const [row] = await stepOfStatement([subscriptionId, requestId], inTransaction);
  return row?.found ?? false;
}

const changeStatement = statement<{ madeAt: Date }>(
  'subscription_change_made_at',
  'SELECT created_at AS "madeAt" FROM subscription_events WHERE subscription_id = $1 AND change_id = $2',
);

/** When a change that takes effect once was made, in the merchant's time. Undefined if it was not made. */
export async function findChange(
  inTransaction: Transaction,
  subscriptionId: number,
  changeId: string,
): Promise<Date | undefined> {
  const [row] = await changeStatement([subscriptionId, changeId], inTransaction);
  return row?.madeAt;
}

interface Standing {
  snapshot: object;
  runId: string | null;
  requestId: string | null;
  changeId: string | null;
}

const snapshotStatement = statement<Omit<Standing, 'snapshot'> & { snapshot: object | null }>(
  'subscription_snapshot_after',
  `SELECT snapshot, workflow_run_id AS "runId", request_id AS "requestId", change_id AS "changeId"
   FROM subscription_events WHERE subscription_id = $1 AND sequence = $2`,
);

/** The state after a transition, and what led to it. Undefined if the history does not contain the transition. */
export async function findStandingAfter(
  inTransaction: Transaction,
  { subscriptionId, sequence }: Pick<Transition, 'subscriptionId' | 'sequence'>,
): Promise<Standing | undefined> {
  const [row] = await snapshotStatement([subscriptionId, sequence], inTransaction);
  return row?.snapshot ? { ...row, snapshot: row.snapshot } : undefined;
}
