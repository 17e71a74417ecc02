import { type StoreName } from '../../src/adapters/appStores/store';
import { type PeriodLength } from '../../src/billing/periods';

export interface SimulatedTransaction {
  id: string;
  at: Date;
  /** Null if the purchase never expires. */
  expiresAt: Date | null;
  productId: string;
  isTrial: boolean;
  refundedAt: Date | null;
}

export type Phase = 'pending' | 'active' | 'grace' | 'on_hold' | 'paused' | 'expired' | 'revoked';

export interface SimulatedPurchase {
  id: string;
  store: StoreName;
  /** The app in which it was bought: a bundle id, a package name or an application id. */
  app: string;
  /** The buyer's id in the store. */
  user: string;
  environment: 'production' | 'sandbox';
  productId: string;
  kind: 'subscription' | 'one_time';
  length: PeriodLength | null;
  /** In the currency's minor unit. */
  amountMinor: number;
  currency: string;
  countryIso: string;
  accountUuid: string | null;
  phase: Phase;
  autoRenew: boolean;
  /** Oldest first. */
  transactions: SimulatedTransaction[];
  graceEndsAt: Date | null;
  resumesAt: Date | null;
  /** The product of the next period, if it will change. */
  nextProductId: string | null;
  /** The purchase that this one replaced. */
  replacesId: string | null;
  acknowledgedAt: Date | null;
  /** Renewals fail while it is true. */
  isBroke: boolean;
  changedAt: Date;
}

export type Happening =
  | 'bought'
  | 'renewed'
  | 'recovered'
  | 'auto_renew_off'
  | 'auto_renew_on'
  | 'grace'
  | 'on_hold'
  | 'paused'
  | 'resumed'
  | 'product_changed'
  | 'change_scheduled'
  | 'expired'
  | 'refunded'
  | 'period_refunded'
  | 'period_refund_reversed'
  | 'refund_reversed'
  | 'revoked'
  | 'extended'
  | 'price_changed'
  | 'refund_requested'
  | 'refund_declined';

export interface MarketEvent {
  id: string;
  what: Happening;
  at: Date;
  /** A copy made right after the event: a notification that is sent later still shows this state. */
  purchase: SimulatedPurchase;
  /** The transaction that the event is about; absent: the latest. */
  transactionId?: string;
}

export type Order = Pick<SimulatedPurchase, 'store' | 'app' | 'productId' | 'kind'> &
  Partial<Omit<SimulatedPurchase, 'id' | 'transactions' | 'phase' | 'changedAt'>> & { trial?: PeriodLength };
