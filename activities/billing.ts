import { activityInfo } from '@temporalio/activity';
import { closeRequest } from '../src/subscriptions/changes/requests';
import * as charges from '../src/subscriptions/charges/charges';
import * as cardChanges from '../src/subscriptions/lifecycle/cardChanges';
import * as debits from '../src/subscriptions/lifecycle/debits';
import * as dunning from '../src/subscriptions/lifecycle/dunning';
import * as endings from '../src/subscriptions/lifecycle/endings';
import * as extensions from '../src/subscriptions/lifecycle/extensions';
import * as offers from '../src/subscriptions/lifecycle/offers';
import * as periods from '../src/subscriptions/lifecycle/periods';
import * as runs from '../src/subscriptions/lifecycle/runs';
import * as lifecycle from '../src/subscriptions/lifecycle/lifecycle';
import * as switches from '../src/subscriptions/lifecycle/switches';
import * as setups from '../src/subscriptions/setups/setups';
import {
  type CardChange,
  type ChargeInput,
  type CycleCharge,
  type DebitInput,
  type DecidedRequest,
  type DeclinedInput,
  type DeferInput,
  type EndInput,
  type ExtendInput,
  type FailureInput,
  type FirstDebitInput,
  type NextPeriodInput,
  type OfferInput,
  type PauseInput,
  type RefusedInput,
  type RemindInput,
  type RenewalInput,
  type RowCheck,
  type SetupVoid,
  type StepInput,
  type SwitchInput,
  type VoidInput,
} from '../workflows/messages';
import { withHeartbeat } from './heartbeat';

const run = () => {
  const { runId = '', workflowId = '' } = activityInfo().workflowExecution ?? {};
  return { runId, workflowId };
};

export const billingActivities = {
  chargeCycle: withHeartbeat((input: ChargeInput) => lifecycle.chargeCycle(input, run(), activityInfo().attempt)),
  chargeFirstPeriod: withHeartbeat((input: CycleCharge) =>
    lifecycle.chargeFirstPeriod(input, run(), activityInfo().attempt),
  ),
  chargeNextPeriod: withHeartbeat((input: NextPeriodInput) =>
    lifecycle.chargeNextPeriod(input, run(), activityInfo().attempt),
  ),
  lookUpCharge: withHeartbeat((input: ChargeInput) => charges.lookUpCharge(input)),
  voidCharge: withHeartbeat((input: VoidInput) => charges.voidCharge(input)),
  lookUpSetup: withHeartbeat((subscriptionId: number) => setups.lookUpSetup(subscriptionId)),
  voidSetup: withHeartbeat((input: SetupVoid) => setups.voidSetup(input)),
  activateSubscription: (subscriptionId: number) => lifecycle.activateSubscription(subscriptionId, run()),
  startTrial: (subscriptionId: number) => lifecycle.startTrial(subscriptionId, run()),
  failSubscription: (input: FailureInput) => lifecycle.failSubscription(input, run()),
  readSubscription: (input: RowCheck) => runs.readSubscription(input, run()),
  checkRow: (input: RowCheck) => runs.checkRow(input, run()),
  readRequests: (check: RowCheck) => runs.readRequests(check),
  closeRequest: (input: DecidedRequest) => closeRequest(input, run()),
  owesDebt: (subscriptionId: number) => endings.owesDebt(subscriptionId),
  renewSubscription: (input: StepInput) => periods.renewSubscription(input, run()),
  failRenewal: (input: DeclinedInput) => dunning.failRenewal(input, run()),
  awaitDebit: (input: DebitInput) => debits.awaitDebit(input, run()),
  failFirstDebit: (input: FirstDebitInput) => debits.failFirstDebit(input, run()),
  returnDebit: (input: StepInput) => debits.returnDebit(input, run()),
  deferRenewal: (input: DeferInput) => dunning.deferRenewal(input, run()),
  holdSubscription: (input: StepInput) => dunning.holdSubscription(input, run()),
  remind: (input: RemindInput) => dunning.remind(input, run()),
  turnRenewal: (input: RenewalInput) => endings.turnRenewal(input, run()),
  endSubscription: (input: EndInput) => endings.endSubscription(input, run()),
  expireSubscription: (input: StepInput) => endings.expireSubscription(input, run()),
  restoreSubscription: (input: StepInput) => endings.restoreSubscription(input, run()),
  planPause: (input: PauseInput) => periods.planPause(input, run()),
  pauseSubscription: (input: StepInput) => periods.pauseSubscription(input, run()),
  extendPeriod: (input: ExtendInput) => extensions.extendPeriod(input, run()),
  priceResumption: (input: StepInput) => periods.priceResumption(input, run()),
  priceSwitch: (input: SwitchInput) => switches.priceSwitch(input),
  switchPlan: (input: SwitchInput) => switches.switchPlan(input, run()),
  refuseChange: (input: RefusedInput) => switches.refuseChange(input, run()),
  takeOffer: (input: OfferInput) => offers.takeOffer(input, run()),
  changeCard: (input: CardChange) => cardChanges.changeCard(input, run()),
};
