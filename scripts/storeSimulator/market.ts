import { randomUUID } from 'node:crypto';
import { type StoreName } from '../../src/adapters/appStores/store';
import { periodEnd, type PeriodLength } from '../../src/billing/periods';
import {
  type Happening,
  type MarketEvent,
  type Order,
  type Phase,
  type SimulatedPurchase,
  type SimulatedTransaction,
} from './purchase';

const graceDays = 3;
const holdDays = 30;
const dayMs = 86_400_000;

/** The purchases in the four stores and what happens to them. It knows no store's protocol: a face of each store does. */
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

  /** The purchases in one store. */
  in(store: StoreName): SimulatedPurchase[] {
    return [...this.purchases.values()].filter((purchase) => purchase.store === store);
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

  /** Moves the clock. Changes that fall due on the way happen at their own time, in order. */
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

  /** Makes payments of the purchase fail, or succeed again. A payment that failed before is then made at once. */
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
    this.setRefunded(id, this.now, 'revoked', 'refunded');
  }

  /** Refunds one period. The purchase itself continues. `number`: 0 is the first period. */
  refundPeriod(id: string, number: number): void {
    this.setPeriodRefunded(id, number, this.now, 'period_refunded');
  }

  reversePeriodRefund(id: string, number: number): void {
    this.setPeriodRefunded(id, number, null, 'period_refund_reversed');
  }

  /** The customer requests a refund, which the store has not decided yet. `number`: 0 is the first period; absent: the latest. */
  requestRefund(id: string, number?: number): void {
    const purchase = this.get(id);
    const transactionId = number === undefined ? undefined : this.periodOf(purchase, number).id;
    this.tell(purchase, 'refund_requested', this.now, transactionId);
  }

  declineRefund(id: string): void {
    this.tell(this.get(id), 'refund_declined', this.now);
  }

  reverseRefund(id: string): void {
    this.setRefunded(id, null, 'active', 'refund_reversed');
  }

  /** The store takes the purchase away without a refund, for example when family sharing ends. */
  revoke(id: string): void {
    this.setRefunded(id, this.now, 'revoked', 'revoked');
  }

  /** Changes the product: now, with a new paid period, or when the next period starts. */
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

  /** The end of the latest period. */
  periodEnd(purchase: SimulatedPurchase): Date | null {
    return purchase.transactions.at(-1)?.expiresAt ?? null;
  }

  private setRefunded(id: string, refundedAt: Date | null, phase: Phase, what: Happening): void {
    const purchase = this.get(id);
    const last = purchase.transactions.at(-1);
    if (last) last.refundedAt = refundedAt;
    this.settle(purchase, phase, what, this.now);
  }

  private setPeriodRefunded(id: string, number: number, refundedAt: Date | null, what: Happening): void {
    const purchase = this.get(id);
    const transaction = this.periodOf(purchase, number);
    transaction.refundedAt = refundedAt;
    this.tell(purchase, what, this.now, transaction.id);
  }

  private periodOf({ transactions }: SimulatedPurchase, number: number): SimulatedTransaction {
    const transaction = transactions[number];
    if (!transaction) throw new Error(`the purchase has no period ${number}`);
    return transaction;
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

  private tell(purchase: SimulatedPurchase, what: Happening, at: Date, transactionId?: string): void {
    purchase.changedAt = at;
    const about = transactionId === undefined ? {} : { transactionId };
    const event = { id: randomUUID(), what, at, purchase: structuredClone(purchase), ...about };
    for (const listener of this.listeners) listener(event);
  }
}
