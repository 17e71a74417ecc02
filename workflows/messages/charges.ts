import { type ChangeRequest } from './changes';
import { type SubscriptionSnapshot } from './snapshot';
import { type StepInput } from './steps';
import { type AgreedSwitch } from './switches';

/** A charge for a subscription's cycle or for a one-time payment, and its outcome. */

/**
 * A charge for one billing cycle. Cycle 1 is the first period, and attempts count from 1 in each cycle. `amountMinor`
 * applies to the first request of the charge. By default it is the price, and in cycle 1 also the setup fee.
 */
export interface CycleCharge {
  subscriptionId: number;
  cycle: number;
  attempt: number;
  amountMinor?: number;
  /** The time of the charge; by default now. */
  atMs?: number;
  /** The row's version at the time of the decision to charge. If the row is behind it, nothing is charged. */
  version?: number;
  /** A customer waits for the outcome: a card that needs an authentication is declined. */
  mustSettle?: true;
  /** Whether the payer has requested this charge and can authenticate it. */
  isOnSession?: true;
  /** The provider has confirmed that nothing was sent for this charge. */
  isUnsent?: true;
  /** The plan change that the charge pays for, at `atMs`. Absent for the charge of a period. */
  agreed?: AgreedSwitch;
  /** If more is due with the customer's balance, the charge is not opened. */
  maxMinor?: number;
}

/** A charge among those of a subscription. */
export type NamedCharge = Pick<CycleCharge, 'cycle' | 'attempt'>;

/** The charge for a one-time payment, with the amount of its row. */
export interface PaymentCharge {
  paymentId: number;
  isUnsent?: true;
}

export type ChargeInput = CycleCharge | PaymentCharge;

/**
 * The reason why a charge was not sent: it is no longer requested, the provider is unavailable, or its configuration
 * must be corrected.
 */
export type Unsent = 'withdrawn' | 'unavailable' | 'misconfigured';

/**
 * The reasons of declines that the service itself made when it gave a charge up. The payer is not the cause. `unsent`: the
 * provider has nothing. `doubtful`: the provider may have the charge, and the reconciliation asks about it.
 */
export const givenUpReasons: ReadonlyMap<string, 'unsent' | 'doubtful'> = new Map([
  ['provider_misconfigured', 'unsent'],
  ['provider_unavailable', 'unsent'],
  ['withdrawn', 'unsent'],
  ['debit_given_up', 'doubtful'],
  ['provider_silent', 'doubtful'],
]);

/**
 * `isLast`: if the provider does not answer, the charge counts as declined. `unsent`: the provider has confirmed that
 * nothing was sent, so no further request is made.
 */
export type VoidInput = ChargeInput & { isLast?: true; unsent?: Unsent };

/** Gives up the card of a subscription that begins without a charge. `isLast`: as in `VoidInput`. */
export interface SetupVoid {
  subscriptionId: number;
  isLast: boolean;
}

export type ChargeOutcome =
  | { outcome: 'paid' }
  /**
   * `holdsVoucher`: the charge holds a use of a voucher, which others wait for. `askedAtMs`: when the authentication
   * was requested, in merchant time. `aheadMs`: by how much the merchant's test clock is ahead, for a one-time payment.
   */
  | { outcome: 'requires_action'; holdsVoucher?: true; askedAtMs: number; aheadMs?: number }
  /**
   * The payer's bank decides on the direct debit within days. `opensAccess`: the merchant gives access to a first purchase
   * before the money has arrived.
   */
  | { outcome: 'processing'; opensAccess?: true }
  /** `dearerMinor`: the total that is due. It is more than `maxMinor`, so the charge was not opened. */
  | {
      outcome: 'declined';
      reason: string;
      message: string;
      decline?: 'soft' | 'hard' | 'later';
      dearerMinor?: number;
    }
  /** The provider charged nothing: the same charge may be sent again. */
  | { outcome: 'not_sent' }
  /** Nothing was charged, and nothing can be until the operator or the merchant corrects the configuration. */
  | { outcome: 'misconfigured' }
  /** The outcome must be looked up before anything else. */
  | { outcome: 'unknown' };

/** The input of the step that begins the next period. `dueAtMs`: when the step was due. */
export interface NextPeriodInput extends StepInput {
  dueAtMs: number;
}

/**
 * A period that has begun, and the outcome of its first charge. `requests`: changes that were requested before the step was
 * due and come first, so no period has begun.
 */
export type ChargedPeriod = { snapshot: SubscriptionSnapshot; outcome: ChargeOutcome } | { requests: ChangeRequest[] };

/** The payer has completed an authentication, so the charge must be looked up. */
export const paymentAnsweredSignal = 'paymentAnswered';

/** The result of a reconciliation: charges and refunds that a person must check, and charges that were refunded. */
export interface ReconciliationResult {
  lookedUp: number;
  different: string[];
  returned: string[];
}
