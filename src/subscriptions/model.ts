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

/** The projection of a subscription's workflow, which is the only writer of `state` after the row is made. */
export class Subscription extends Model<InferAttributes<Subscription>, InferCreationAttributes<Subscription>> {
  declare id: CreationOptional<number>;
  /** The wire's `subscription_id`: `S-<random>-<provider>`. */
  declare token: string;
  declare merchantId: number;
  declare accountId: number;
  declare itemId: number;
  declare accessFeeId: number;
  declare cardId: number;
  declare state: SubscriptionState;
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
  declare canceledAt: CreationOptional<Date | null>;
  declare endedAt: CreationOptional<Date | null>;
  declare failureReason: CreationOptional<string | null>;
  declare failureMessage: CreationOptional<string | null>;
  declare referrer: CreationOptional<string>;
  declare returnUrl: CreationOptional<string | null>;
  declare ipAddress: CreationOptional<string>;
  declare version: CreationOptional<number>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
  declare item?: Item;
  declare accessFee?: AccessFee;
  declare card?: Card;
}

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
    canceledAt: DataTypes.DATE,
    endedAt: DataTypes.DATE,
    failureReason: DataTypes.TEXT,
    failureMessage: DataTypes.TEXT,
    referrer: DataTypes.TEXT,
    returnUrl: DataTypes.TEXT,
    ipAddress: DataTypes.TEXT,
    version: DataTypes.INTEGER,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'subscriptions' },
);

Subscription.belongsTo(Item, { as: 'item', foreignKey: 'itemId' });
Subscription.belongsTo(AccessFee, { as: 'accessFee', foreignKey: 'accessFeeId' });
Subscription.belongsTo(Card, { as: 'card', foreignKey: 'cardId' });

// The states of the index `subscriptions_live`, in its words.
const liveStatement = statement<{ token: string; state: SubscriptionState }>(
  'subscription_live',
  `SELECT token, state FROM subscriptions WHERE account_id = $1 AND item_id = $2
     AND state IN ('incomplete', 'trialing', 'active', 'past_due', 'on_hold', 'paused')`,
);

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
  actor: string;
  workflowRunId: string | null;
}

const transitionStatement = statement(
  'subscription_transition',
  `INSERT INTO subscription_events (merchant_id, subscription_id, sequence, from_state, to_state, reason, actor,
     workflow_run_id)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

/** One row a transition, written with it. */
export async function recordTransition(inTransaction: Transaction, transition: Transition): Promise<void> {
  const { merchantId, subscriptionId, sequence, fromState, toState, reason, actor, workflowRunId } = transition;
  const values = [merchantId, subscriptionId, sequence, fromState, toState, reason, actor, workflowRunId];
  await transitionStatement(values, inTransaction);
}
