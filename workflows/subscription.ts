import {
  condition,
  defineSignal,
  log,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { type Activities } from '../activities';
import {
  paymentAnsweredSignal,
  searchAttributes,
  type ChargeInput,
  type ChargeOutcome,
  type SubscriptionInput,
  type SubscriptionResult,
} from './messages';
import { firstPaymentLimitMs, lookUpFirstMs, lookUpMaxMs, payment, quick } from './policies';

const { chargeCycle, lookUpCharge, voidCharge } = proxyActivities<Activities>(payment);
const { activateSubscription, failSubscription, expireSubscription } = proxyLocalActivities<Activities>(quick);

const paymentAnswered = defineSignal(paymentAnsweredSignal);
const stateKey = defineSearchAttributeKey(searchAttributes.state, SearchAttributeType.KEYWORD);
const failureKey = defineSearchAttributeKey(searchAttributes.failureReason, SearchAttributeType.KEYWORD);

type Known = Exclude<ChargeOutcome, { outcome: 'not_sent' | 'unknown' }>;
type Settled = Exclude<Known, { outcome: 'requires_action' }>;
type Declined = Exclude<Settled, { outcome: 'paid' }>;

/**
 * One subscription, from its submission to its final state. This run is the only writer of the subscription's state; the
 * table is its projection. It begins with a payment; the periods that are paid for follow in `runPeriods`.
 */
export async function subscription({ subscriptionId }: SubscriptionInput): Promise<SubscriptionResult> {
  const answers = listenForAnswers();
  const first: ChargeInput = { subscriptionId, cycle: 1, attempt: 1 };
  const outcome = await payFirstPeriod(first, answers);
  if (outcome.outcome !== 'paid') return endUnpaid(subscriptionId, outcome);
  const { periodEndMs } = await activateSubscription(subscriptionId);
  return runPeriods(subscriptionId, periodEndMs);
}

/** Waits out the paid time. */
async function runPeriods(subscriptionId: number, periodEndMs: number): Promise<SubscriptionResult> {
  const endsAt = new Date(periodEndMs).toISOString();
  show('active', `### Active\nPaid until ${endsAt}.`);
  await sleep(Math.max(0, periodEndMs - Date.now()), { summary: `period ends ${endsAt}` });
  await expireSubscription(subscriptionId);
  show('expired', `### Expired\nThe period ended ${endsAt}.`);
  return { state: 'expired' };
}

/** The first payment: charged, and where the payer must authenticate, waited for. */
async function payFirstPeriod(charge: ChargeInput, answers: Answers): Promise<Settled> {
  const outcome = await chargeOnce(charge);
  if (outcome.outcome !== 'requires_action') return outcome;
  show('incomplete', '### Waiting for the payer\nThe card needs an authentication.');
  return waitForAnswer(charge, answers);
}

/** One charge to its known outcome. What the provider never saw is sent again under the same key. */
async function chargeOnce(charge: ChargeInput): Promise<Known> {
  let outcome = await chargeCycle.executeWithOptions(labelled(charge), [charge]);
  for (let waitMs = lookUpFirstMs; ; waitMs = Math.min(waitMs * 2, lookUpMaxMs)) {
    if (outcome.outcome === 'unknown') outcome = await lookUpCharge.executeWithOptions(labelled(charge), [charge]);
    if (outcome.outcome !== 'unknown' && outcome.outcome !== 'not_sent') return outcome;
    log.warn('a charge has no outcome yet', { cycle: charge.cycle, outcome: outcome.outcome });
    await sleep(waitMs, { summary: 'before turning to the provider again' });
    if (outcome.outcome === 'not_sent') outcome = await chargeCycle.executeWithOptions(labelled(charge), [charge]);
  }
}

/** Past the limit the charge is given up at the provider first, so that a late answer cannot charge for nothing. */
async function waitForAnswer(charge: ChargeInput, answers: Answers): Promise<Settled> {
  const deadlineMs = Date.now() + firstPaymentLimitMs;
  for (;;) {
    const seen = answers.count;
    const isOver = Date.now() >= deadlineMs;
    const outcome = isOver
      ? await voidCharge.executeWithOptions(labelled(charge), [charge])
      : await lookUpCharge.executeWithOptions(labelled(charge), [charge]);
    if (outcome.outcome === 'paid' || outcome.outcome === 'declined') return outcome;
    const waitMs = isOver ? lookUpMaxMs : Math.max(1, deadlineMs - Date.now());
    await condition(() => answers.count > seen, waitMs);
  }
}

async function endUnpaid(subscriptionId: number, { reason, message }: Declined): Promise<SubscriptionResult> {
  await failSubscription({ subscriptionId, reason, message });
  show('incomplete_expired', `### Failed\n${message}`);
  upsertSearchAttributes([{ key: failureKey, value: reason }]);
  return { state: 'incomplete_expired' };
}

interface Answers {
  count: number;
}

function listenForAnswers(): Answers {
  const answers = { count: 0 };
  const description = 'The payer has answered an authentication: look the charge up.';
  setHandler(paymentAnswered, () => void (answers.count += 1), { description });
  return answers;
}

/** What an operator reads beside a step. */
function labelled({ cycle, attempt }: ChargeInput): { summary: string } {
  return { summary: `cycle ${cycle}, attempt ${attempt}` };
}

/** What an operator reads in the Temporal UI, and searches for. */
function show(state: string, details: string): void {
  setCurrentDetails(details);
  if (workflowInfo().typedSearchAttributes.get(stateKey) !== state)
    upsertSearchAttributes([{ key: stateKey, value: state }]);
}
