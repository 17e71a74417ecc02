import { type StepInput } from './steps';

/** A change of the plan: how it is asked for, priced and agreed. */

export type SwitchMode = 'now' | 'next_invoice' | 'next_period' | 'reset';

export interface SwitchInput extends StepInput {
  accessFeeId: number;
  mode?: SwitchMode;
  /** As it was priced and paid, whatever the fee is by now; absent: not priced. */
  agreed?: AgreedSwitch;
}

/** The plan and the lines that a change was priced by. */
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
  /** The subscription's voucher is good for other plans only. */
  isFullPrice?: true;
}

/** What a change would cost at once. */
export interface Price {
  amountMinor: number;
  /** It waits for the next period: nothing is charged now. */
  isLater: boolean;
  /** Absent in what older code answered. */
  agreed?: AgreedSwitch;
}
