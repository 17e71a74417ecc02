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

const changeStatement = statement<{ found: boolean }>(
  'subscription_change_known',
  'SELECT EXISTS (SELECT FROM subscription_events WHERE subscription_id = $1 AND change_id = $2) AS found',
);

interface MadeChange {
  subscriptionId: number;
  changeId: string;
}

/** Whether a change that takes effect once has been made. */
export async function hasChange(
  inTransaction: Transaction,
  { subscriptionId, changeId }: MadeChange,
): Promise<boolean> {
  const [row] = await changeStatement([subscriptionId, changeId], inTransaction);
  return row?.found ?? false;
}

const recentChangeStatement = statement<{ found: boolean }>(
  'subscription_change_of_day',
  `SELECT EXISTS (SELECT FROM subscription_events WHERE subscription_id = $1 AND change_id = $2
     AND created_at > $3::timestamptz - interval '1 day') AS found`,
);

/** Whether the change has been made within a day before a time. */
export async function hasChangeOfDay(
  inTransaction: Transaction,
  { subscriptionId, changeId }: MadeChange,
  at: Date,
): Promise<boolean> {
  const [row] = await recentChangeStatement([subscriptionId, changeId, at], inTransaction);
  return row?.found ?? false;
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

/** The state after a transition, and the run and the request that led to it. Undefined if the history does not contain the transition. */
export async function findStandingAfter(
  inTransaction: Transaction,
  { subscriptionId, sequence }: Pick<Transition, 'subscriptionId' | 'sequence'>,
): Promise<Standing | undefined> {
  const [row] = await snapshotStatement([subscriptionId, sequence], inTransaction);
  return row?.snapshot ? { ...row, snapshot: row.snapshot } : undefined;
}
