import { type Attributes } from 'sequelize';
import {
  bigint,
  boolean,
  defaulted,
  integer,
  integers,
  jsonb,
  modelOf,
  nullable,
  text,
  texts,
  time,
} from '../adapters/postgres/columns';
import { sequelize } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';
import { type Period } from '../items/accessTypes.model';
import { AccessFee } from '../items/accessFees/accessFees.model';
import { type TaxProfile } from '../tax/taxSettings.model';
import { type Card } from './cards.model';
import { purchaseColumns } from './purchases.model';

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

/** A change as the message that the run receives. */
export interface StoredRequest {
  id: string;
  kind: string;
}

/** A subscription. After the insert, only its workflow writes `state`. */
export class Subscription extends modelOf({
  ...purchaseColumns(),
  state: text<SubscriptionState>(),
  /** The state before the revocation, if the subscription is revoked. */
  stateBeforeRevocation: nullable(text<Exclude<LivingState, 'incomplete'>>()),
  autoRenew: defaulted(boolean()),
  setupFeeMinor: defaulted(bigint()),
  anchorAt: nullable(time()),
  currentPeriodStart: nullable(time()),
  currentPeriodEnd: nullable(time()),
  cycle: defaulted(integer()),
  periodNo: defaulted(integer()),
  attempt: defaulted(integer()),
  dueMinor: defaulted(bigint()),
  /** The start of the collection of the due amount. Null if no charge is in progress. */
  collectsAt: nullable(time()),
  /** The price of the time from `paidFrom` to the period's end: paid by card or balance, or still owed as a debt. */
  paidMinor: defaulted(bigint()),
  paidFrom: nullable(time()),
  /** Charges since this time paid for the running period, even if a plan change began the period. */
  fundedFrom: nullable(time()),
  discountCycle: defaulted(integer()),
  /** The discount of an accepted offer, on the charges from `offerFrom` to `offerTo`. */
  offerPercent: nullable(integer()),
  offerFrom: nullable(integer()),
  offerTo: nullable(integer()),
  trialQuantity: nullable(integer()),
  trialPeriod: nullable(text<Period>()),
  trialStart: nullable(time()),
  trialEnd: nullable(time()),
  cancelReason: defaulted(text()),
  /** Changes that are stored until the run has carried them out or refused them. */
  requests: defaulted(jsonb<StoredRequest[]>()),
  pauseAtPeriodEnd: defaulted(boolean()),
  resumesAt: nullable(time()),
  pendingAccessFeeId: nullable(integer()),
  graceDays: nullable(integer()),
  retryDays: nullable(integers()),
  pastDueAt: nullable(time()),
  graceEndsAt: nullable(time()),
  retryNo: defaulted(integer()),
  soonerNo: defaulted(integer()),
  nextRetryAt: nullable(time()),
  /** The time since which the period's charge waits for the provider. The payer is not the cause. */
  deferredAt: nullable(time()),
  deferredNo: defaulted(integer()),
  deferredUntil: nullable(time()),
  /** The time since which the bank decides on the period's direct debit. */
  processingAt: nullable(time()),
  reminded: defaulted(texts()),
  canceledAt: nullable(time()),
  endedAt: nullable(time()),
  /** The time of the run's next step, in merchant time. It has no meaning after the end of the subscription. */
  nextDueAt: defaulted(time()),
  version: defaulted(integer()),
}) {
  declare accessFee?: AccessFee;
}

/** The columns of the row, without Sequelize's methods. */
export type SubscriptionFacts = Attributes<Subscription>;

/** The discount of an accepted offer. A one-time payment has none. */
export type OfferTerms = Pick<Subscription, 'offerPercent' | 'offerFrom' | 'offerTo'>;

/** The discounts of a subscription: that of its voucher, and that of an offer. */
export type DiscountTerms = Partial<OfferTerms> &
  Pick<
    Subscription,
    'discountPercent' | 'rebillPercent' | 'discountMinor' | 'rebillMinor' | 'discountPeriod' | 'discountDuration'
  >;

/** The price and the discount of a subscription, from which its charges are computed. */
export type PriceTerms = DiscountTerms & Pick<Subscription, 'priceMinor' | 'setupFeeMinor' | 'currency' | 'addedTax'>;

Subscription.init(Subscription.columns, { sequelize, tableName: 'subscriptions' });

Subscription.belongsTo(AccessFee, { as: 'accessFee', foreignKey: 'accessFeeId' });

const notShown = [
  'stateBeforeRevocation',
  'anchorAt',
  'attempt',
  'dueMinor',
  'collectsAt',
  'paidMinor',
  'paidFrom',
  'fundedFrom',
  'trialQuantity',
  'trialPeriod',
  'trialStart',
  'cancelReason',
  'requests',
  'graceDays',
  'retryDays',
  'retryNo',
  'soonerNo',
  'deferredAt',
  'deferredNo',
  'deferredUntil',
  'processingAt',
  'reminded',
  'nextDueAt',
  'version',
  'environment',
  'brandingId',
  'referrer',
  'returnUrl',
  'ipAddress',
  'countryIso',
  'device',
  'failureMessage',
] as const;

/** A subscription in the responses of its endpoints, with fields of other tables. */
export type ShownSubscription = Omit<SubscriptionFacts, (typeof notShown)[number]> & {
  itemTitle: string;
  itemType: string;
  accessTypeId: number;
  description: string;
  /** Null if no card or mandate was stored. */
  method: Card['method'] | null;
  lastFour: string | null;
  /** The customer's balance in the currency of the subscription: positive for credit, negative for a debt. */
  balanceMinor: number;
  /** The form in which the merchant shows prices. Null if the price includes tax. */
  shownPrices: TaxProfile['shownPrices'] | null;
};

/** Reads `ShownSubscription` rows. `s` is the subscription. */
export const shownText = `SELECT ${Subscription.selectList('s', { without: notShown })}, i.title AS "itemTitle",
    i.item_type AS "itemType", f.access_type_id AS "accessTypeId", f.description, c.method, c.last_four AS "lastFour",
    coalesce(b.balance_minor, 0) AS "balanceMinor", CASE WHEN s.added_tax IS NOT NULL THEN
      (SELECT shown_prices FROM tax_profiles WHERE merchant_id = s.merchant_id) END AS "shownPrices"
  FROM subscriptions s JOIN items i ON i.id = s.item_id JOIN access_fees f ON f.id = s.access_fee_id
  LEFT JOIN cards c ON c.id = s.card_id
  LEFT JOIN customer_balances b ON b.account_id = s.account_id AND b.currency = s.currency`;

const shownStatement = statement<ShownSubscription>(
  'subscription_shown',
  `${shownText} WHERE s.token = $1 AND s.merchant_id = $2 AND ($3::int IS NULL OR s.account_id = $3)`,
);

export async function findShownSubscription(
  token: string,
  { merchantId, accountId }: { merchantId: number; accountId: number | undefined },
): Promise<ShownSubscription | undefined> {
  const [row] = await shownStatement([token, merchantId, accountId ?? null]);
  return row;
}

/** The states of the index `subscriptions_live`. */
export const liveStates = ['incomplete', 'trialing', 'active', 'past_due', 'on_hold', 'paused'] as const;

// PostgreSQL uses the index `subscriptions_live` only if the condition is the same as that of the index.
const liveStatement = statement<{ token: string; state: SubscriptionState; isWaiting: boolean }>(
  'subscription_live',
  `SELECT token, state, state = 'incomplete' AND (
     EXISTS (SELECT FROM charges c WHERE c.subscription_id = s.id AND c.status = 'requires_action')
     OR EXISTS (SELECT FROM card_setups u WHERE u.subscription_id = s.id AND u.status = 'requires_action')
   ) AS "isWaiting"
   FROM subscriptions s WHERE account_id = $1 AND item_id = $2
     AND state IN ('incomplete', 'trialing', 'active', 'past_due', 'on_hold', 'paused')`,
);

/** `isWaiting`: the first payment, or the card of a trial, waits for an authentication. */
export async function findLiveSubscription(accountId: number, itemId: number) {
  const [live] = await liveStatement([accountId, itemId]);
  return live;
}
