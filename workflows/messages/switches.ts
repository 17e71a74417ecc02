import { type StepInput } from './steps';

/** A change of the plan: the request, the price and the agreed terms. */

export type SwitchMode = 'now' | 'next_invoice' | 'next_period' | 'reset';

export interface SwitchInput extends StepInput {
  accessFeeId: number;
  mode?: SwitchMode;
  /** As in the request of the change. */
  maxMinor?: number;
  /** The terms that were priced and paid, even if the fee has changed since. Absent if nothing was priced. */
  agreed?: AgreedSwitch;
}

/** The plan and the amounts in the price of a change. */
export interface AgreedSwitch {
  plan: SwitchPlan;
  quote: {
    mode: SwitchMode;
    creditMinor: number;
    chargeMinor: number;
    totalMinor: number;
    balanceMinor: number;
    isNewPeriod: boolean;
  };
}

type Unit = 'hour' | 'day' | 'week' | 'month' | 'year';

export interface SwitchPlan {
  id: number;
  amountMinor: number;
  quantity: number;
  period: Unit;
  trialQuantity: number | null;
  trialPeriod: Unit | null;
  /** The subscription's voucher does not apply to this plan. */
  isFullPrice?: true;
}

/** The price of an immediate change of the plan. */
export interface Price {
  amountMinor: number;
  /** The change waits for the next period, so nothing is charged now. */
  isLater: boolean;
  agreed?: AgreedSwitch;
  /** The subscription is paid by direct debit. */
  isDebit?: true;
  /** More is due now than `maxMinor`: this total. The change must not be made. */
  dearerMinor?: number;
}
