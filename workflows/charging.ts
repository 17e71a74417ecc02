import { condition, defineSignal, log, patched, proxyActivities, setHandler, sleep } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { paymentAnsweredSignal, type ChargeInput, type ChargeOutcome } from './messages';
import { firstPaymentLimitMs, lookUpFirstMs, lookUpMaxMs, payment, voucherPaymentLimitMs } from './policies';

const { chargeCycle, lookUpCharge, voidCharge } = proxyActivities<Activities>(payment);
const paymentAnswered = defineSignal(paymentAnsweredSignal);

export type Known = Exclude<ChargeOutcome, { outcome: 'not_sent' | 'unknown' }>;
export type Settled = Exclude<Known, { outcome: 'requires_action' }>;
export type Declined = Exclude<Settled, { outcome: 'paid' }>;

/** The answers to authentications that this run has heard of. */
export interface Answers {
  count: number;
}

export function listenForAnswers(): Answers {
  const answers = { count: 0 };
  const description = 'The payer has answered an authentication: look the charge up.';
  setHandler(paymentAnswered, () => void (answers.count += 1), { description });
  return answers;
}

/** One charge to its known outcome. What the provider never saw is sent again under the same key, for a day at most. */
export async function chargeOnce(charge: ChargeInput): Promise<Known> {
  const givenUpAtMs = Date.now() + firstPaymentLimitMs;
  let outcome = await chargeCycle.executeWithOptions(labelled(charge), [charge]);
  for (let waitMs = lookUpFirstMs; ; waitMs = Math.min(waitMs * 2, lookUpMaxMs)) {
    if (outcome.outcome === 'unknown') outcome = await lookUpCharge.executeWithOptions(labelled(charge), [charge]);
    if (outcome.outcome !== 'unknown' && outcome.outcome !== 'not_sent') return outcome;
    log.warn('a charge has no outcome yet', { charge: labelled(charge).summary, outcome: outcome.outcome });
    await sleep(waitMs, { summary: 'before turning to the provider again' });
    const isOver = Date.now() >= givenUpAtMs;
    // Older code asked for what is unknown for ever.
    if (outcome.outcome === 'unknown' && !(isOver && patched('unknown-for-a-day'))) continue;
    outcome = isOver
      ? await voidCharge.executeWithOptions(labelled(charge), [{ ...charge, isLast: true }])
      : await chargeCycle.executeWithOptions(labelled(charge), [charge]);
  }
}

/** Asks what became of a charge that waits for its payer. */
export const lookUp = (charge: ChargeInput) => lookUpCharge(charge);

/** Gives up what waits for its payer: who was faster has paid. A provider that is away is asked again, for a day at most. */
export async function giveUp(charge: ChargeInput): Promise<Settled> {
  const givenUpAtMs = Date.now() + firstPaymentLimitMs;
  for (let waitMs = lookUpFirstMs; ; waitMs = Math.min(waitMs * 2, lookUpMaxMs)) {
    const isLast = Date.now() >= givenUpAtMs;
    const outcome = await voidCharge({ ...charge, ...(isLast && { isLast }) });
    if (outcome.outcome === 'paid' || outcome.outcome === 'declined') return outcome;
    log.warn('a charge is not given up yet', { charge: labelled(charge).summary, outcome: outcome.outcome });
    // Older code asked again at once.
    if (patched('given-up-with-patience')) await sleep(waitMs, { summary: 'before turning to the provider again' });
  }
}

/** How long a payer is waited for: by whose time, and whether anything cuts it short. */
export interface Patience {
  now(): number;
  /** Changes when `now` has jumped. */
  moves(): number;
  isGivenUp(): boolean;
}

const realTime: Patience = { now: () => Date.now(), moves: () => 0, isGivenUp: () => false };

export type Asked = Extract<Known, { outcome: 'requires_action' }>;

/** Past the limit the charge is given up at the provider first, so that a late answer cannot charge for nothing. */
export async function waitForAnswer(
  charge: ChargeInput,
  { holdsVoucher }: Asked,
  answers: Answers,
  patience = realTime,
): Promise<Settled> {
  const deadlineMs = patience.now() + (holdsVoucher ? voucherPaymentLimitMs : firstPaymentLimitMs);
  for (let doubtMs = lookUpFirstMs; ;) {
    const seen = { count: answers.count, moves: patience.moves() };
    const isOver = patience.isGivenUp() || patience.now() >= deadlineMs;
    const isLast = patience.now() >= deadlineMs + firstPaymentLimitMs;
    const outcome = isOver
      ? await voidCharge.executeWithOptions(labelled(charge), [{ ...charge, ...(isLast && { isLast }) }])
      : await lookUpCharge.executeWithOptions(labelled(charge), [charge]);
    if (outcome.outcome === 'paid' || outcome.outcome === 'declined') return outcome;
    // Older code waited for the next word, or for the limit.
    const isInDoubt = !isOver && outcome.outcome === 'unknown' && patched('answer-in-doubt');
    const leftMs = Math.max(1, deadlineMs - patience.now());
    const waitMs = isOver ? lookUpMaxMs : isInDoubt ? Math.min(doubtMs, leftMs) : leftMs;
    doubtMs = isInDoubt ? Math.min(doubtMs * 2, lookUpMaxMs) : lookUpFirstMs;
    const isHeard = () => answers.count > seen.count || patience.moves() !== seen.moves;
    await condition(() => isHeard() || (!isOver && patience.isGivenUp()), waitMs);
  }
}

/** What an operator reads beside a step. */
function labelled(charge: ChargeInput): { summary: string } {
  return { summary: 'paymentId' in charge ? 'the payment' : `cycle ${charge.cycle}, attempt ${charge.attempt}` };
}
