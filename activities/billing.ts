import { activityInfo } from '@temporalio/activity';
import * as charges from '../src/subscriptions/charges/service';
import * as dunning from '../src/subscriptions/lifecycle/dunning/service';
import * as endings from '../src/subscriptions/lifecycle/endings/service';
import * as periods from '../src/subscriptions/lifecycle/periods/service';
import * as lifecycle from '../src/subscriptions/lifecycle/service';
import * as switches from '../src/subscriptions/lifecycle/switches/service';
import {
  type CardChange,
  type ChargeInput,
  type DeclinedInput,
  type EndInput,
  type FailureInput,
  type PauseInput,
  type RefusedInput,
  type RemindInput,
  type RenewalInput,
  type StepInput,
  type SwitchInput,
  type VoidInput,
} from '../workflows/messages';
import { alive } from './pulse';

const run = () => ({ runId: activityInfo().workflowExecution?.runId ?? '' });

export const billingActivities = {
  chargeCycle: alive((input: ChargeInput) => lifecycle.chargeCycle(input, run())),
  lookUpCharge: alive((input: ChargeInput) => charges.lookUpCharge(input)),
  voidCharge: alive((input: VoidInput) => charges.voidCharge(input)),
  activateSubscription: (subscriptionId: number) => lifecycle.activateSubscription(subscriptionId, run()),
  startTrial: (subscriptionId: number) => lifecycle.startTrial(subscriptionId, run()),
  failSubscription: (input: FailureInput) => lifecycle.failSubscription(input, run()),
  readStanding: (subscriptionId: number) => lifecycle.readStanding(subscriptionId),
  beginPeriod: (input: StepInput) => periods.beginPeriod(input, run()),
  renewSubscription: (input: StepInput) => periods.renewSubscription(input, run()),
  failRenewal: (input: DeclinedInput) => dunning.failRenewal(input, run()),
  holdSubscription: (input: StepInput) => dunning.holdSubscription(input, run()),
  remind: (input: RemindInput) => dunning.remind(input, run()),
  turnRenewal: (input: RenewalInput) => endings.turnRenewal(input, run()),
  endSubscription: (input: EndInput) => endings.endSubscription(input, run()),
  expireSubscription: (input: StepInput) => endings.expireSubscription(input, run()),
  restoreSubscription: (input: StepInput) => endings.restoreSubscription(input, run()),
  planPause: (input: PauseInput) => periods.planPause(input, run()),
  pauseSubscription: (input: StepInput) => periods.pauseSubscription(input, run()),
  priceResumption: (input: StepInput) => periods.priceResumption(input, run()),
  priceSwitch: (input: SwitchInput) => switches.priceSwitch(input),
  switchPlan: (input: SwitchInput) => switches.switchPlan(input, run()),
  refuseChange: (input: RefusedInput) => switches.refuseChange(input, run()),
  changeCard: (input: CardChange) => switches.changeCard(input, run()),
};
