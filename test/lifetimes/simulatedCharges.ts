import {
  type ChargeInput,
  type ChargeOutcome,
  type CycleCharge,
  type Unsent,
  type VoidInput,
} from '../../workflows/messages';
import { settleDue } from '../../src/billing/dues';
import { type ProviderResult, type SimulatedProvider } from './simulatedProvider';

/** The charges of a simulated subscription, as the service stores them. */

export interface StoredCharge {
  key: string;
  cycle: number;
  attempt: number;
  /** The part that the card pays. */
  amountMinor: number;
  /** The part that the customer's balance pays; negative for a collected debt. */
  takenMinor: number;
  status: 'open' | 'requires_action' | 'processing' | 'paid' | 'declined';
  decline: { reason: string; class: 'soft' | 'hard' | 'later' };
  /** In the merchant's time. */
  createdMs: number;
  openedMs: number;
  askedMs: number;
  settledMs: number;
  reversed?: true;
  refunded?: true;
  /** The step that counts the payment. */
  isRecorded?: true;
}

export interface ChargeSurroundings {
  currency: string;
  provider: SimulatedProvider;
  nowMs: () => number;
  merchantNowMs: () => number;
  firstMinor: () => number;
  isRenewal: () => boolean;
  isDebit: () => boolean;
  opensAccess: boolean;
  isErased: () => boolean;
}

/** The time after which a charge is looked up before it is sent again. */
const lookUpAfterMs = 20 * 3_600_000;
const accountErased: ChargeOutcome = {
  outcome: 'declined',
  reason: 'account_erased',
  message: 'The account was erased.',
  decline: 'hard',
};

export class SimulatedCharges {
  readonly all: StoredCharge[] = [];
  /** The customer's balance in minor units; negative for a debt. */
  balanceMinor = 0;

  constructor(private readonly around: ChargeSurroundings) {}

  charge(input: ChargeInput, tryNo: number): ChargeOutcome {
    const { charge, isNew } = this.open(input);
    if (!charge) return accountErased;
    const outcome = this.send(charge, input as CycleCharge, isNew);
    const isSurelyUnsent = isNew || ('isUnsent' in input && input.isUnsent === true && tryNo === 1);
    if ((outcome.outcome === 'not_sent' || outcome.outcome === 'misconfigured') && !isSurelyUnsent)
      return { outcome: 'unknown' };
    return this.withAccess(outcome);
  }

  lookUp(input: ChargeInput): ChargeOutcome {
    const { charge } = this.open(input);
    if (!charge) return accountErased;
    if (charge.status === 'paid' || charge.status === 'declined') return this.outcomeOf(charge);
    return this.withAccess(this.settle(charge, this.around.provider.lookUp(charge.key), input as CycleCharge));
  }

  void(input: VoidInput): ChargeOutcome {
    const { charge } = this.open(input);
    if (!charge) return accountErased;
    if (charge.status === 'paid' || charge.status === 'declined') return this.outcomeOf(charge);
    if (input.unsent && charge.status === 'open') return this.refuse(charge, reasonOf[input.unsent]);
    const result = this.around.provider.void(charge.key);
    if (result.outcome === 'not_sent') return this.refuse(charge, 'provider_unavailable');
    if (result.outcome === 'processing') return this.giveUpDebit(charge);
    if (input.isLast && result.outcome === 'unknown') return this.giveUpDebit(charge);
    return this.settle(charge, result, input as CycleCharge);
  }

  /** The charge that pays a cycle, or is about to. */
  findPaid(cycle: number, states: readonly StoredCharge['status'][] = ['paid']): StoredCharge | undefined {
    return this.all.find((one) => one.cycle === cycle && states.includes(one.status) && !one.reversed && !one.refunded);
  }

  /** The latest charge that the row does not reflect. For an overdue row it can be a paid one. */
  findOpen(row: {
    cycle: number;
    attempt: number;
    isCollecting: boolean;
    isOverdue: boolean;
  }): StoredCharge | undefined {
    const isAfter = (one: StoredCharge) =>
      one.cycle > row.cycle || (one.cycle === row.cycle && one.attempt > row.attempt);
    const isCurrent = (one: StoredCharge) =>
      one.cycle === row.cycle && one.attempt === row.attempt && !row.isCollecting;
    const waits = (one: StoredCharge) =>
      one.status === 'requires_action' || (row.isOverdue && one.status === 'paid' && !one.reversed);
    return this.all
      .filter((one) => isAfter(one) || (isCurrent(one) && waits(one)))
      .sort((a, b) => b.cycle - a.cycle || b.attempt - a.attempt)[0];
  }

  refundCycle(cycle: number): void {
    for (const charge of this.all)
      if (charge.cycle === cycle && charge.status === 'paid' && !charge.reversed) {
        charge.refunded = true;
        const entry = this.around.provider.find(charge.key);
        if (entry) entry.refunded = true;
      }
  }

  /** The payer's bank takes the money back. */
  reverse(charge: StoredCharge): void {
    charge.reversed = true;
    const entry = this.around.provider.find(charge.key);
    if (entry) entry.reversed = true;
  }

  private open(input: ChargeInput): { charge?: StoredCharge; isNew: boolean } {
    if (!('subscriptionId' in input)) throw new Error('a subscription makes no payments');
    const { cycle, attempt, amountMinor: dueMinor = this.around.firstMinor(), atMs } = input;
    const key = `${cycle}:${attempt}`;
    const known = this.all.find((one) => one.key === key);
    if (known) return { charge: known, isNew: false };
    if (this.around.isErased()) return { isNew: false };
    const { chargeMinor, takenMinor } = settleDue(dueMinor, this.balanceMinor, this.around.currency);
    this.balanceMinor -= takenMinor;
    const createdMs = atMs ?? this.around.merchantNowMs();
    const times = { createdMs, openedMs: this.around.nowMs(), askedMs: 0, settledMs: 0 };
    const charge: StoredCharge = {
      ...{ key, cycle, attempt, amountMinor: chargeMinor, takenMinor, ...times },
      ...{ status: 'open', decline: { reason: '', class: 'soft' } },
    };
    this.all.push(charge);
    return { charge, isNew: true };
  }

  private send(charge: StoredCharge, input: CycleCharge, isNew: boolean): ChargeOutcome {
    const { provider, nowMs, isRenewal, isErased } = this.around;
    if (charge.status !== 'open') return this.outcomeOf(charge);
    if (isErased()) return this.refuseErased(charge, input, isNew);
    if (charge.amountMinor === 0) return this.settle(charge, { outcome: 'paid' }, input);
    if (!isNew && nowMs() - charge.openedMs > lookUpAfterMs) {
      const earlier = provider.lookUp(charge.key);
      if (earlier.outcome !== 'not_sent') return this.settle(charge, earlier, input);
    }
    const isOffSession = isRenewal() && input.isOnSession !== true;
    return this.settle(
      charge,
      provider.charge(charge.key, charge.amountMinor, isOffSession, input.atMs ?? this.around.merchantNowMs()),
      input,
    );
  }

  /** An account that is being erased is not charged. A charge that was sent before keeps its outcome. */
  private refuseErased(charge: StoredCharge, input: CycleCharge, isNew: boolean): ChargeOutcome {
    if (isNew) return this.refuse(charge, 'account_erased', 'hard');
    const result = this.around.provider.void(charge.key);
    if (result.outcome === 'processing') return this.giveUpDebit(charge);
    return result.outcome === 'not_sent'
      ? this.refuse(charge, 'account_erased', 'hard')
      : this.settle(charge, result, input);
  }

  private settle(charge: StoredCharge, result: ProviderResult, input: CycleCharge): ChargeOutcome {
    const settledMs = input.atMs ?? this.around.merchantNowMs();
    switch (result.outcome) {
      case 'not_sent':
      case 'unknown':
      case 'misconfigured':
        return { outcome: result.outcome };
      case 'declined':
        return this.refuse(charge, 'declined', result.decline);
      case 'requires_action':
        if (charge.status === 'open')
          Object.assign(charge, { status: 'requires_action', askedMs: this.around.merchantNowMs() });
        return this.outcomeOf(charge);
      case 'paid':
      case 'processing':
        Object.assign(charge, { status: result.outcome, settledMs });
        return this.outcomeOf(charge);
    }
  }

  /** A declined charge returns what it took from the balance. */
  private refuse(charge: StoredCharge, reason: string, decline: 'soft' | 'hard' | 'later' = 'later'): ChargeOutcome {
    Object.assign(charge, { status: 'declined', decline: { reason, class: decline } });
    this.balanceMinor += charge.takenMinor;
    charge.takenMinor = 0;
    return this.outcomeOf(charge);
  }

  /** The bank cannot stop the debit any more. The reconciliation refunds it if it is paid. */
  private giveUpDebit(charge: StoredCharge): ChargeOutcome {
    const entry = this.around.provider.find(charge.key);
    if (entry) entry.isGivenUp = true;
    return this.refuse(charge, 'debit_given_up');
  }

  private withAccess(outcome: ChargeOutcome): ChargeOutcome {
    const opens = outcome.outcome === 'processing' && !this.around.isRenewal() && this.around.opensAccess;
    return opens ? { outcome: 'processing', opensAccess: true } : outcome;
  }

  private outcomeOf({ status, decline, askedMs }: StoredCharge): ChargeOutcome {
    if (status === 'paid' || status === 'processing') return { outcome: status };
    if (status === 'requires_action') return { outcome: 'requires_action', askedAtMs: askedMs };
    if (status === 'open') return { outcome: 'unknown' };
    return { outcome: 'declined', reason: decline.reason, message: decline.reason, decline: decline.class };
  }
}

const reasonOf: Record<Unsent, string> = {
  withdrawn: 'withdrawn',
  unavailable: 'provider_unavailable',
  misconfigured: 'provider_misconfigured',
};
