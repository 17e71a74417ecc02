import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';
import { Item } from '../items/model';
import { AccessFee } from '../items/accessFees/model';
import { Card } from './cards/model';

export type SubscriptionState =
  | 'incomplete'
  | 'incomplete_expired'
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'on_hold'
  | 'paused'
  | 'canceled'
  | 'expired'
  | 'revoked';

type LivingState = 'incomplete' | 'trialing' | 'active' | 'past_due' | 'on_hold' | 'paused';

/** On what something was bought, as its client says (wire B.10); each may be empty. */
export interface Device {
  type: string;
  os: string;
  model: string;
}

/** The projection of a subscription's workflow, which is the only writer of `state` after the row is made. */
export class Subscription extends Model<InferAttributes<Subscription>, InferCreationAttributes<Subscription>> {
  declare id: CreationOptional<number>;
  /** The wire's `subscription_id`: `S-<random>-<provider>`. */
  declare token: string;
  declare merchantId: number;
  declare accountId: number;
  declare itemId: number;
  declare accessFeeId: number;
  /** None where nothing is to be paid. */
  declare cardId: number | null;
  declare state: SubscriptionState;
  /** Of one that is revoked: how it stood until then. */
  declare stateBeforeRevocation: CreationOptional<Exclude<LivingState, 'incomplete'> | null>;
  declare autoRenew: CreationOptional<boolean>;
  declare priceMinor: number;
  declare setupFeeMinor: CreationOptional<number>;
  declare currency: string;
  declare periodQuantity: number;
  declare period: 'hour' | 'day' | 'week' | 'month' | 'year';
  declare environment: string;
  declare anchorAt: CreationOptional<Date | null>;
  declare currentPeriodStart: CreationOptional<Date | null>;
  declare currentPeriodEnd: CreationOptional<Date | null>;
  declare cycle: CreationOptional<number>;
  declare periodNo: CreationOptional<number>;
  declare attempt: CreationOptional<number>;
  declare dueMinor: CreationOptional<number>;
  /** What the customer's balance pays of the period that has begun. */
  declare creditMinor: CreationOptional<number>;
  /** Of that, what is owed: too little to charge by itself. */
  declare carriedMinor: CreationOptional<number>;
  declare paidMinor: CreationOptional<number>;
  declare paidFrom: CreationOptional<Date | null>;
  declare discountCycle: CreationOptional<number>;
  declare trialQuantity: CreationOptional<number | null>;
  declare trialPeriod: CreationOptional<Subscription['period'] | null>;
  declare trialStart: CreationOptional<Date | null>;
  declare trialEnd: CreationOptional<Date | null>;
  declare cancelReason: CreationOptional<string>;
  declare pauseAtPeriodEnd: CreationOptional<boolean>;
  declare resumesAt: CreationOptional<Date | null>;
  declare pendingAccessFeeId: CreationOptional<number | null>;
  declare graceDays: CreationOptional<number | null>;
  declare retryDays: CreationOptional<number[] | null>;
  declare pastDueAt: CreationOptional<Date | null>;
  declare graceEndsAt: CreationOptional<Date | null>;
  declare retryNo: CreationOptional<number>;
  declare soonerNo: CreationOptional<number>;
  declare nextRetryAt: CreationOptional<Date | null>;
  declare reminded: CreationOptional<string[]>;
  declare canceledAt: CreationOptional<Date | null>;
  declare endedAt: CreationOptional<Date | null>;
  declare failureReason: CreationOptional<string | null>;
  declare failureMessage: CreationOptional<string | null>;
  /** The brand that it was bought in; it need not exist. */
  declare brandingId: CreationOptional<number | null>;
  declare referrer: CreationOptional<string>;
  declare returnUrl: CreationOptional<string | null>;
  declare ipAddress: CreationOptional<string>;
  /** Where its buyer was; '' where nobody knows. */
  declare countryIso: CreationOptional<string>;
  /** On what it was bought; null where nobody knows. */
  declare device: CreationOptional<Device | null>;
  /** The voucher it was bought with, as that was then; null and empty without one. */
  declare voucherId: CreationOptional<number | null>;
  declare voucherCode: CreationOptional<string>;
  declare discountPercent: CreationOptional<number | null>;
  declare rebillPercent: CreationOptional<number | null>;
  declare discountPeriod: CreationOptional<'once' | 'repeating' | 'forever' | null>;
  declare discountDuration: CreationOptional<number | null>;
  declare version: CreationOptional<number>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
  declare item?: Item;
  declare accessFee?: AccessFee;
  declare card?: Card;
}

/** The row without the ways to change it. */
export type SubscriptionFacts = InferAttributes<Subscription, { omit: 'item' | 'accessFee' | 'card' }>;

Subscription.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    token: DataTypes.TEXT,
    merchantId: DataTypes.INTEGER,
    accountId: DataTypes.INTEGER,
    itemId: DataTypes.INTEGER,
    accessFeeId: DataTypes.INTEGER,
    cardId: DataTypes.INTEGER,
    state: DataTypes.TEXT,
    stateBeforeRevocation: DataTypes.TEXT,
    autoRenew: DataTypes.BOOLEAN,
    priceMinor: DataTypes.BIGINT,
    setupFeeMinor: DataTypes.BIGINT,
    currency: DataTypes.CHAR(3),
    periodQuantity: DataTypes.INTEGER,
    period: DataTypes.TEXT,
    environment: DataTypes.TEXT,
    anchorAt: DataTypes.DATE,
    currentPeriodStart: DataTypes.DATE,
    currentPeriodEnd: DataTypes.DATE,
    cycle: DataTypes.INTEGER,
    periodNo: DataTypes.INTEGER,
    attempt: DataTypes.INTEGER,
    dueMinor: DataTypes.BIGINT,
    creditMinor: DataTypes.BIGINT,
    carriedMinor: DataTypes.BIGINT,
    paidMinor: DataTypes.BIGINT,
    paidFrom: DataTypes.DATE,
    discountCycle: DataTypes.INTEGER,
    trialQuantity: DataTypes.INTEGER,
    trialPeriod: DataTypes.TEXT,
    trialStart: DataTypes.DATE,
    trialEnd: DataTypes.DATE,
    cancelReason: DataTypes.TEXT,
    pauseAtPeriodEnd: DataTypes.BOOLEAN,
    resumesAt: DataTypes.DATE,
    pendingAccessFeeId: DataTypes.INTEGER,
    graceDays: DataTypes.INTEGER,
    retryDays: DataTypes.ARRAY(DataTypes.INTEGER),
    pastDueAt: DataTypes.DATE,
    graceEndsAt: DataTypes.DATE,
    retryNo: DataTypes.INTEGER,
    soonerNo: DataTypes.INTEGER,
    nextRetryAt: DataTypes.DATE,
    reminded: DataTypes.ARRAY(DataTypes.TEXT),
    canceledAt: DataTypes.DATE,
    endedAt: DataTypes.DATE,
    failureReason: DataTypes.TEXT,
    failureMessage: DataTypes.TEXT,
    brandingId: DataTypes.INTEGER,
    referrer: DataTypes.TEXT,
    returnUrl: DataTypes.TEXT,
    ipAddress: DataTypes.TEXT,
    countryIso: DataTypes.TEXT,
    device: DataTypes.JSONB,
    voucherId: DataTypes.INTEGER,
    voucherCode: DataTypes.TEXT,
    discountPercent: DataTypes.INTEGER,
    rebillPercent: DataTypes.INTEGER,
    discountPeriod: DataTypes.TEXT,
    discountDuration: DataTypes.INTEGER,
    version: DataTypes.INTEGER,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'subscriptions' },
);

Subscription.belongsTo(Item, { as: 'item', foreignKey: 'itemId' });
Subscription.belongsTo(AccessFee, { as: 'accessFee', foreignKey: 'accessFeeId' });
Subscription.belongsTo(Card, { as: 'card', foreignKey: 'cardId' });

/** The states of the index `subscriptions_live`. */
export const liveStates = ['incomplete', 'trialing', 'active', 'past_due', 'on_hold', 'paused'] as const;

// In the index's words, so that it is used.
const liveStatement = statement<{ token: string; state: SubscriptionState; isAsked: boolean }>(
  'subscription_live',
  `SELECT token, state, state = 'incomplete' AND EXISTS (SELECT FROM charges c
     WHERE c.subscription_id = s.id AND c.status = 'requires_action') AS "isAsked"
   FROM subscriptions s WHERE account_id = $1 AND item_id = $2
     AND state IN ('incomplete', 'trialing', 'active', 'past_due', 'on_hold', 'paused')`,
);

/** `isAsked`: its first payment waits for an authentication. */
export async function findLiveSubscription(accountId: number, itemId: number) {
  const [live] = await liveStatement([accountId, itemId]);
  return live;
}

/** What happened, who did it, in which run. */
export interface Transition {
  merchantId: number;
  subscriptionId: number;
  sequence: number;
  fromState: SubscriptionState | null;
  toState: SubscriptionState;
  reason: string;
  /** `account:<id>`, or `workflow` for what happens by itself. */
  actor: string;
  /** The uuid of who acted as that account. */
  actedBy?: string | null;
  /** In which request it was asked for. */
  requestId?: string | null;
  workflowRunId: string | null;
  /** By how much a month's revenue changes. */
  mrrDeltaMinor?: number;
  /** How the subscription stands after it, as its workflow keeps it; absent where it has not begun. */
  standing?: object;
  /** The merchant's time; absent: the present. */
  at?: Date;
}

const transitionStatement = statement(
  'subscription_transition',
  `INSERT INTO subscription_events (merchant_id, subscription_id, sequence, from_state, to_state, reason, actor,
     workflow_run_id, mrr_delta_minor, standing, created_at, acted_by, request_id)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, coalesce($11, merchant_now($1)), $12, $13)`,
);

/** One row a transition, written with it. */
export async function recordTransition(inTransaction: Transaction, transition: Transition): Promise<void> {
  const { merchantId, subscriptionId, sequence, fromState, toState, reason, actor, workflowRunId } = transition;
  const { mrrDeltaMinor = 0, standing = null, at = null, actedBy = null, requestId = null } = transition;
  const about = [merchantId, subscriptionId, sequence, fromState, toState, reason, actor, workflowRunId];
  const values = [...about, mrrDeltaMinor, standing, at, actedBy, requestId];
  await transitionStatement(values, inTransaction);
}

const stepOfStatement = statement<{ found: boolean }>(
  'subscription_step_of_request',
  'SELECT EXISTS (SELECT FROM subscription_events WHERE subscription_id = $1 AND request_id = $2) AS found',
);

/** Whether a request has led to a step already. */
export async function hasStepOf(
  inTransaction: Transaction,
  subscriptionId: number,
  requestId: string,
): Promise<boolean> {
  const [row] = await stepOfStatement([subscriptionId, requestId], inTransaction);
  return row?.found ?? false;
}

const standingStatement = statement<{ standing: object | null; runId: string | null }>(
  'subscription_standing_after',
  'SELECT standing, workflow_run_id AS "runId" FROM subscription_events WHERE subscription_id = $1 AND sequence = $2',
);

/** How the subscription stood after a transition, and which run wrote it; undefined where that was not kept. */
export async function findStandingAfter(
  inTransaction: Transaction,
  { subscriptionId, sequence }: Pick<Transition, 'subscriptionId' | 'sequence'>,
): Promise<{ standing: object; runId: string | null } | undefined> {
  const [row] = await standingStatement([subscriptionId, sequence], inTransaction);
  return row?.standing ? { standing: row.standing, runId: row.runId } : undefined;
}
