import {
  condition,
  defineSignal,
  log,
  proxyActivities,
  setHandler,
  sleep,
  type ActivityOptions,
} from '@temporalio/workflow';
import { type Activities } from '../activities';
import { inBackground } from './background';
import {
  paymentAnsweredSignal,
  type AskedSetup,
  type ChargedPeriod,
  type ChargeInput,
  type ChargeOutcome,
  type CycleCharge,
  type NextPeriodInput,
  type Unsent,
} from './messages';
import {
  debitLookMs,
  firstPaymentLimitMs,
  lookUpFirstMs,
  lookUpMaxMs,
  payment,
  unsentRenewalLimitMs,
  voucherPaymentLimitMs,
} from './policies';

const { chargeCycle, chargeFirstPeriod, chargeNextPeriod, lookUpCharge, voidCharge, lookUpSetup, voidSetup } =
  proxyActivities<Activities>(payment);
const paymentAnswered = defineSignal(paymentAnsweredSignal);

export type KnownOutcome = Exclude<ChargeOutcome, { outcome: 'not_sent' | 'unknown' | 'misconfigured' }>;
export type SettledOutcome = Exclude<KnownOutcome, { outcome: 'requires_action' | 'processing' }>;
export type DeclinedOutcome = Exclude<SettledOutcome, { outcome: 'paid' }>;

/** The number of answered authentications that were signaled to this run. */
export interface Answers {
  count: number;
}

export function listenForAnswers(): Answers {
  const answers = { count: 0 };
  const description = 'The payer has answered an authentication: look the charge up.';
  setHandler(paymentAnswered, () => void (answers.count += 1), { description });
  return answers;
}

/** The time for which an unsent charge is sent again, and the time after which it is given up. */
export interface SendOptions {
  limitMs: number;
  /** Whether the opposite was requested in the meantime. The request takes precedence over an unsent charge. */
  isWithdrawn: () => boolean;
  /** The task queue of the charge; by default that of interactive work. */
  slot?: Pick<ActivityOptions, 'taskQueue'>;
  /** The outcome of the first request, if the charge was already sent. */
  sent?: ChargeOutcome | undefined;
}

/** Nothing was charged and no charge is in progress. */
export interface UnsentCharge {
  outcome: 'unsent';
  why: Unsent;
}

/** The provider does not know the outcome, or does not answer. */
export interface DoubtfulCharge {
  outcome: 'unknown';
}

/** Makes one charge and returns its outcome. An unknown outcome is looked up for one day at most. */
export async function chargeOnce(charge: ChargeInput, options: SendOptions): Promise<KnownOutcome | UnsentCharge> {
  const outcome = await sendUntilKnown(charge, options, firstPaymentLimitMs);
  if (outcome.outcome !== 'unknown') return outcome;
  const sent = await voidCharge.executeWithOptions({ ...labelled(charge), ...options.slot }, [
    { ...charge, isLast: true },
  ]);
  return chargeOnce(charge, { ...options, sent });
}

/**
 * Makes a deferred charge again. It can be deferred once more, so an unknown outcome is not awaited: messages come first. The
 * charge is not given up either, because its payer is not the cause.
 */
export const chargeDeferred = (
  charge: CycleCharge,
  options: SendOptions,
): Promise<KnownOutcome | UnsentCharge | DoubtfulCharge> =>
  sendUntilKnown(charge, options, charge.isUnsent ? unsentRenewalLimitMs : 0);

/**
 * Sends an unsent charge under the same key again until the limit, and looks an unknown outcome up for the time `doubtMs`.
 */
async function sendUntilKnown(
  charge: ChargeInput,
  { limitMs, isWithdrawn, slot, sent }: SendOptions,
  doubtMs: number,
): Promise<KnownOutcome | UnsentCharge | DoubtfulCharge> {
  const options = { ...labelled(charge), ...slot };
  const startedMs = Date.now();
  let outcome = sent ?? (await sendCharge(charge, options));
  for (let waitMs = lookUpFirstMs; ; waitMs = Math.min(waitMs * 2, lookUpMaxMs)) {
    if (outcome.outcome === 'unknown') outcome = await lookUpCharge.executeWithOptions(options, [charge]);
    if (outcome.outcome === 'misconfigured') return { outcome: 'unsent', why: 'misconfigured' };
    if (outcome.outcome !== 'unknown' && outcome.outcome !== 'not_sent') return outcome;
    const isUnsent = outcome.outcome === 'not_sent';
    const leftMs = startedMs + (isUnsent ? limitMs : doubtMs) - Date.now();
    if (isUnsent && isWithdrawn()) return { outcome: 'unsent', why: 'withdrawn' };
    if (isUnsent && leftMs <= 0) return { outcome: 'unsent', why: 'unavailable' };
    log.warn('a charge has no outcome yet', { charge: labelled(charge).summary, outcome: outcome.outcome });
    const summary = 'before the provider is asked again';
    await condition(() => isUnsent && isWithdrawn(), Math.max(1, Math.min(waitMs, leftMs)), { summary });
    if (isUnsent && isWithdrawn()) continue;
    if (isUnsent) outcome = await sendCharge({ ...charge, isUnsent: true }, options);
    else if (leftMs <= waitMs) return { outcome: 'unknown' };
  }
}

/** Charges once. The first charge of a subscription also opens its first period. */
function sendCharge(charge: ChargeInput, options: ActivityOptions): Promise<ChargeOutcome> {
  return 'subscriptionId' in charge && charge.cycle === 1
    ? chargeFirstPeriod.executeWithOptions(options, [charge])
    : chargeCycle.executeWithOptions(options, [charge]);
}

/** Begins the next period of a subscription and sends its first charge, in one activity of the background queue. */
export const sendNextCharge = (step: NextPeriodInput): Promise<ChargedPeriod> =>
  chargeNextPeriod.executeWithOptions(
    { summary: 'the next period', startToCloseTimeout: '2 minutes', ...inBackground() },
    [step],
  );

/** Makes a charge that a customer waits for. An unsent charge finally fails. */
export async function chargeOrFail(charge: ChargeInput, options: SendOptions): Promise<KnownOutcome> {
  const outcome = await chargeOnce(charge, options);
  return outcome.outcome === 'unsent' ? withdraw(charge, outcome.why) : outcome;
}

/** Gives up an unsent charge. */
export async function withdraw(charge: ChargeInput, unsent: Unsent): Promise<SettledOutcome> {
  const outcome = await voidCharge.executeWithOptions(labelled(charge), [{ ...charge, unsent }]);
  return outcome.outcome === 'paid' || outcome.outcome === 'declined' ? outcome : giveUp(charge);
}

/** Tries a charge once. If it is not paid immediately, it is given up, so that it delays nothing else. */
export async function chargeAtMostOnce(charge: ChargeInput): Promise<void> {
  const { outcome } = await sendCharge(charge, labelled(charge));
  if (outcome === 'paid' || outcome === 'declined') return;
  await voidCharge.executeWithOptions(labelled(charge), [{ ...charge, isLast: true }]);
}

/** Looks up a charge that waits for its payer's authentication. */
export const lookUp = (charge: ChargeInput) => lookUpCharge(charge);

/**
 * Gives up a charge that waits for its payer, unless it was paid first. While the provider is unavailable, the request
 * is repeated for at most one day.
 */
export async function giveUp(charge: ChargeInput, limitMs = firstPaymentLimitMs): Promise<SettledOutcome> {
  const givenUpAtMs = Date.now() + limitMs;
  for (let waitMs = lookUpFirstMs; ; waitMs = Math.min(waitMs * 2, lookUpMaxMs)) {
    const isLast = Date.now() >= givenUpAtMs;
    const outcome = await voidCharge({ ...charge, ...(isLast && { isLast }) });
    if (outcome.outcome === 'paid' || outcome.outcome === 'declined') return outcome;
    log.warn('a charge could not be given up yet', { charge: labelled(charge).summary, outcome: outcome.outcome });
    await sleep(waitMs, { summary: 'before the provider is asked again' });
  }
}

/** The clock that measures the wait for a payer, and the condition that ends the wait early. */
export interface PayerWait {
  now(): number;
  /** Changes when the test clock is moved. */
  moves(): number;
  isGivenUp(): boolean;
  /** The time in which the payer can authenticate; by default the same as for a first payment. */
  limitMs?: number;
}

const realTime: PayerWait = { now: () => Date.now(), moves: () => 0, isGivenUp: () => false };

export type PendingAuthentication = Extract<KnownOutcome, { outcome: 'requires_action' }>;

/**
 * Waits until a charge with a pending authentication is paid, declined or given up. After the limit the charge is first
 * voided at the provider, so that a late answer cannot charge the payer.
 */
export function waitForAnswer(
  charge: ChargeInput,
  asked: PendingAuthentication,
  answers: Answers,
  wait: PayerWait = realTime,
): Promise<SettledOutcome> {
  const calls = {
    lookUp: () => lookUpCharge.executeWithOptions(labelled(charge), [charge]),
    giveUp: (isLast: boolean) =>
      voidCharge.executeWithOptions(labelled(charge), [{ ...charge, ...(isLast && { isLast }) }]),
  };
  return waitForPayer(calls, asked, answers, wait);
}

/** The same wait for a card that is set up without a charge. `paid`: the card is verified. */
export function waitForSetup(
  subscriptionId: number,
  asked: AskedSetup,
  answers: Answers,
  wait: PayerWait,
): Promise<SettledOutcome> {
  const options = { summary: 'the card' };
  const calls = {
    lookUp: () => lookUpSetup.executeWithOptions(options, [subscriptionId]),
    giveUp: (isLast: boolean) => voidSetup.executeWithOptions(options, [{ subscriptionId, isLast }]),
  };
  return waitForPayer(calls, asked, answers, wait);
}

interface ProviderCalls {
  lookUp: () => Promise<ChargeOutcome>;
  giveUp: (isLast: boolean) => Promise<ChargeOutcome>;
}

async function waitForPayer(
  { lookUp, giveUp }: ProviderCalls,
  { holdsVoucher, askedAtMs }: Pick<PendingAuthentication, 'holdsVoucher' | 'askedAtMs'>,
  answers: Answers,
  wait: PayerWait,
): Promise<SettledOutcome> {
  const { limitMs = holdsVoucher ? voucherPaymentLimitMs : firstPaymentLimitMs } = wait;
  const deadlineMs = askedAtMs + limitMs;
  for (let doubtMs = lookUpFirstMs; ;) {
    const seen = { count: answers.count, moves: wait.moves() };
    const isOver = wait.isGivenUp() || wait.now() >= deadlineMs;
    const isLast = wait.now() >= deadlineMs + firstPaymentLimitMs;
    const outcome = isOver ? await giveUp(isLast) : await lookUp();
    if (outcome.outcome === 'paid' || outcome.outcome === 'declined') return outcome;
    const isInDoubt = !isOver && outcome.outcome === 'unknown';
    const leftMs = Math.max(1, deadlineMs - wait.now());
    const waitMs = isOver ? lookUpMaxMs : isInDoubt ? Math.min(doubtMs, leftMs) : leftMs;
    doubtMs = isInDoubt ? Math.min(doubtMs * 2, lookUpMaxMs) : lookUpFirstMs;
    const isAnswered = () => answers.count > seen.count || wait.moves() !== seen.moves;
    await condition(() => isAnswered() || (!isOver && wait.isGivenUp()), waitMs);
  }
}

/**
 * Waits until the bank has decided on a direct debit. The provider reports the decision, and is asked every day in case
 * the report is lost. A debit that was given up is refunded later if the bank cannot stop it.
 */
export async function waitForBank(
  charge: ChargeInput,
  answers: Answers,
  wait: PayerWait = realTime,
): Promise<SettledOutcome> {
  // A report, or a move of the clock, may have arrived before this step knew about the decision of the bank.
  let seen = { count: 0, moves: 0 };
  for (;;) {
    const { count, moves } = seen;
    const isCalled = () => answers.count > count || wait.moves() !== moves || wait.isGivenUp();
    await condition(isCalled, debitLookMs, { summary: 'before the provider is asked about the direct debit' });
    if (wait.isGivenUp()) return giveUp(charge);
    seen = { count: answers.count, moves: wait.moves() };
    const outcome = await lookUpCharge.executeWithOptions(labelled(charge), [charge]);
    if (outcome.outcome === 'paid' || outcome.outcome === 'declined') return outcome;
  }
}

/** The summary of a step in the Temporal UI. */
function labelled(charge: ChargeInput): { summary: string } {
  return { summary: 'paymentId' in charge ? 'the payment' : `cycle ${charge.cycle}, attempt ${charge.attempt}` };
}
