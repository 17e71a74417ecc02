import { randomUUID } from 'node:crypto';
import { type StoreName } from '../../src/adapters/appStores/store';
import { periodEnd, type PeriodLength } from '../../src/subscriptions/billing/periods';

/** What was bought in the four stores, and what becomes of it. Knows no protocol: the stores' faces tell of it. */

export interface SimulatedTransaction {
  id: string;
  at: Date;
  /** Null of what never ends. */
  expiresAt: Date | null;
  productId: string;
  isTrial: boolean;
  refundedAt: Date | null;
}

export type Phase = 'pending' | 'active' | 'grace' | 'on_hold' | 'paused' | 'expired' | 'revoked';

export interface SimulatedPurchase {
  id: string;
  store: StoreName;
  /** Bundle id, package name, application: which app it was bought in. */
  app: string;
  /** Who bought, in the store's own words. */
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
  /** What the next period will be of. */
  nextProductId: string | null;
  /** The purchase whose place it has taken. */
  replacesId: string | null;
  acknowledgedAt: Date | null;
  /** Renewals fail until it recovers. */
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
  | 'refund_reversed'
  | 'revoked'
  | 'extended'
  | 'price_changed';

export interface MarketEvent {
  id: string;
  what: Happening;
  at: Date;
  /** As it stood after it happened: what a notification that is sent late still says. */
  purchase: SimulatedPurchase;
}

export type Order = Pick<SimulatedPurchase, 'store' | 'app' | 'productId' | 'kind'> &
  Partial<Omit<SimulatedPurchase, 'id' | 'transactions' | 'phase' | 'changedAt'>> & { trial?: PeriodLength };

const graceDays = 3;
const holdDays = 30;
const dayMs = 86_400_000;

export class Market {
  readonly purchases = new Map<string, SimulatedPurchase>();
  private readonly listeners: ((event: MarketEvent) => void)[] = [];

  constructor(public now = new Date()) {}

  onEvent(listener: (event: MarketEvent) => void): void {
    this.listeners.push(listener);
  }

  get(id: string): SimulatedPurchase {
    const found = this.purchases.get(id);
    if (!found) throw new Error(`there is no purchase ${id}`);
    return found;
  }

  buy({ trial, ...order }: Order): SimulatedPurchase {
    const purchase: SimulatedPurchase = {
      user: `user-${randomUUID()}`,
      environment: 'production',
      length: order.kind === 'subscription' ? { quantity: 1, period: 'month' } : null,
      amountMinor: 999,
      currency: 'EUR',
      countryIso: 'DE',
      accountUuid: null,
      autoRenew: order.kind === 'subscription',
      graceEndsAt: null,
      resumesAt: null,
      nextProductId: null,
      replacesId: null,
      acknowledgedAt: null,
      isBroke: false,
      ...order,
      id: randomUUID(),
      phase: 'active',
      transactions: [],
      changedAt: this.now,
    };
    this.purchases.set(purchase.id, purchase);
    this.pay(purchase, this.now, trial ?? purchase.length, trial !== undefined);
    this.tell(purchase, 'bought', this.now);
    return purchase;
  }

  /** The clock goes on, and what is due happens on its own day. */
  advance(to: Date): void {
    for (;;) {
      const due = [...this.purchases.values()]
        .map((purchase) => ({ purchase, at: this.nextChange(purchase) }))
        .filter((next): next is { purchase: SimulatedPurchase; at: Date } => next.at !== undefined && next.at <= to)
        .sort((a, b) => a.at.getTime() - b.at.getTime())[0];
      if (!due) break;
      this.now = due.at > this.now ? due.at : this.now;
      this.comeDue(due.purchase, due.at);
    }
    if (to > this.now) this.now = to;
  }

  /** From now on its card pays no more, or pays again: what has failed is paid at once. */
  setBroke(id: string, isBroke: boolean): void {
    const purchase = this.get(id);
    purchase.isBroke = isBroke;
    if (isBroke || (purchase.phase !== 'grace' && purchase.phase !== 'on_hold')) return;
    const wasOnHold = purchase.phase === 'on_hold';
    this.pay(purchase, wasOnHold ? this.now : (this.periodEnd(purchase) ?? this.now), purchase.length, false);
    this.settle(purchase, 'active', 'recovered', this.now);
  }

  setAutoRenew(id: string, autoRenew: boolean): void {
    const purchase = this.get(id);
    purchase.autoRenew = autoRenew;
    this.tell(purchase, autoRenew ? 'auto_renew_on' : 'auto_renew_off', this.now);
  }

  pause(id: string, resumesAt: Date | null): void {
    const purchase = this.get(id);
    purchase.resumesAt = resumesAt;
    this.settle(purchase, 'paused', 'paused', this.now);
  }

  resume(id: string): void {
    const purchase = this.get(id);
    this.pay(purchase, this.now, purchase.length, false);
    this.settle(purchase, 'active', 'resumed', this.now);
  }

  refund(id: string): void {
    const purchase = this.get(id);
    const last = purchase.transactions.at(-1);
    if (last) last.refundedAt = this.now;
    this.settle(purchase, 'revoked', 'refunded', this.now);
  }

  reverseRefund(id: string): void {
    const purchase = this.get(id);
    const last = purchase.transactions.at(-1);
    if (last) last.refundedAt = null;
    this.settle(purchase, 'active', 'refund_reversed', this.now);
  }

  /** Family sharing ended, or the store took it away: no money moves. */
  revoke(id: string): void {
    const purchase = this.get(id);
    const last = purchase.transactions.at(-1);
    if (last) last.refundedAt = this.now;
    this.settle(purchase, 'revoked', 'revoked', this.now);
  }

  /** To another product: at once as a purchase of its own that takes this one's place, or with the next period. */
  change(id: string, productId: string, when: 'now' | 'next_period'): SimulatedPurchase {
    const purchase = this.get(id);
    if (when === 'next_period') {
      purchase.nextProductId = productId;
      this.tell(purchase, 'change_scheduled', this.now);
      return purchase;
    }
    purchase.productId = productId;
    this.pay(purchase, this.now, purchase.length, false);
    this.settle(purchase, 'active', 'product_changed', this.now);
    return purchase;
  }

  extend(id: string, days: number): void {
    const purchase = this.get(id);
    const last = purchase.transactions.at(-1);
    if (last?.expiresAt) last.expiresAt = new Date(last.expiresAt.getTime() + days * dayMs);
    this.tell(purchase, 'extended', this.now);
  }

  acknowledge(id: string): void {
    this.get(id).acknowledgedAt ??= this.now;
  }

  /** The end of the period that runs, or ran last. */
  periodEnd(purchase: SimulatedPurchase): Date | null {
    return purchase.transactions.at(-1)?.expiresAt ?? null;
  }

  private nextChange(purchase: SimulatedPurchase): Date | undefined {
    const end = this.periodEnd(purchase);
    if (purchase.phase === 'active') return end ?? undefined;
    if (purchase.phase === 'grace') return purchase.graceEndsAt ?? undefined;
    if (purchase.phase === 'paused') return purchase.resumesAt ?? undefined;
    if (purchase.phase === 'on_hold') return new Date((purchase.graceEndsAt ?? this.now).getTime() + holdDays * dayMs);
    return undefined;
  }

  private comeDue(purchase: SimulatedPurchase, at: Date): void {
    if (purchase.phase === 'grace') return this.settle(purchase, 'on_hold', 'on_hold', at);
    if (purchase.phase === 'on_hold') return this.settle(purchase, 'expired', 'expired', at);
    if (purchase.phase === 'active' && !purchase.autoRenew) return this.settle(purchase, 'expired', 'expired', at);
    if (purchase.isBroke) {
      purchase.graceEndsAt = new Date(at.getTime() + graceDays * dayMs);
      return this.settle(purchase, 'grace', 'grace', at);
    }
    const wasPaused = purchase.phase === 'paused';
    purchase.productId = purchase.nextProductId ?? purchase.productId;
    purchase.nextProductId = null;
    this.pay(purchase, at, purchase.length, false);
    this.settle(purchase, 'active', wasPaused ? 'resumed' : 'renewed', at);
  }

  private pay(purchase: SimulatedPurchase, from: Date, length: PeriodLength | null, isTrial: boolean): void {
    purchase.transactions.push({
      id: randomUUID(),
      at: from,
      expiresAt: length && periodEnd(from, 1, length),
      productId: purchase.productId,
      isTrial,
      refundedAt: null,
    });
    purchase.graceEndsAt = null;
    purchase.resumesAt = null;
  }

  private settle(purchase: SimulatedPurchase, phase: Phase, what: Happening, at: Date): void {
    purchase.phase = phase;
    this.tell(purchase, what, at);
  }

  private tell(purchase: SimulatedPurchase, what: Happening, at: Date): void {
    purchase.changedAt = at;
    const event = { id: randomUUID(), what, at, purchase: structuredClone(purchase) };
    for (const listener of this.listeners) listener(event);
  }
}
