import { condition, patched, proxyLocalActivities } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { type Due, nextDue } from './agenda';
import { chargeOnce, giveUp, lookUp, type Answers } from './charging';
import { type Inbox, type Message } from './inbox';
import { type MerchantClock } from './merchantClock';
import { type Actor, type ChangeAnswer, type CycleCharge, type EndState, type Standing } from './messages';
import { showStanding, showFailure } from './operator';
import { lookUpFirstMs, lookUpMaxMs, quick } from './policies';

const local = proxyLocalActivities<Activities>(quick);

/** The running subscription: how it stands, and what it hears and knows. */
export interface Life {
  subscriptionId: number;
  standing: Standing;
  clock: MerchantClock;
  inbox: Inbox;
  answers: Answers;
  /** How many of the answers have been looked into. */
  heard: number;
  /** Who asked for what is under way. */
  actor?: Actor;
  /** The step that is under way. */
  doing?: string;
  /** Nobody is left to whom anything could be given back. */
  isErased?: true;
  /** A charge of the open period that waits for its payer. */
  asked?: CycleCharge;
  /** How long was waited last for a provider that does not say what became of it. */
  doubtMs?: number;
}

const yes = (life: Life): ChangeAnswer => ({ done: true, state: life.standing.state });

/** What every step is given. */
export const stepAt = ({ subscriptionId, standing, actor }: Life, atMs: number) => ({
  subscriptionId,
  version: standing.version,
  atMs,
  ...(actor && { actor }),
});

export const isCalled = ({ inbox, asked, answers, heard }: Life): boolean =>
  inbox.isCalled() || (asked !== undefined && answers.count > heard);

/** Waits for what comes first, by itself or from outside, and takes that step. */
export async function takeNextStep(
  life: Life,
  act: (message: Message, atMs: number) => Promise<ChangeAnswer>,
): Promise<void> {
  const { clock, inbox } = life;
  const due = nextDue(life.standing);
  showStanding(life.standing, due, clock.now());
  if (due) await clock.waitUntil(due.atMs, () => isCalled(life), due.summary);
  else await condition(() => isCalled(life));
  const message = inbox.waiting[0];
  const isDue = due !== undefined && clock.now() >= due.atMs;
  // Asked for before the step was due, it comes before it, even if both are seen late.
  const isFirst = message !== undefined && (!isDue || message.atMs <= due.atMs);
  life.doing = isFirst ? message.kind : isDue ? due.what : 'look up';
  if (isFirst) inbox.answer(message, await act(message, clock.timeOf(message.atMs)));
  else if (isDue) await takeStep(life, due, clock.timeOf(due.atMs));
  else if (isCalled(life)) await hearAnswer(life, clock.now());
  delete life.doing;
}

async function takeStep(life: Life, due: Due, atMs: number): Promise<void> {
  const step = stepAt(life, atMs);
  switch (due.what) {
    case 'renew':
      life.standing = await local.beginPeriod(step);
      return void (await collect(life, life.standing.attempt, atMs));
    case 'retry':
      return void (await retry(life, atMs));
    case 'remind':
      life.standing = await local.remind({ ...step, reminder: due.reminder });
      return;
    case 'hold':
      life.standing = await local.holdSubscription(step);
      return;
    case 'expire':
      return void (await end(life, 'expired', 'retries exhausted', atMs));
    case 'end':
      return void (await end(life, 'canceled', 'canceled before', atMs));
    case 'pause':
      life.standing = await local.pauseSubscription(step);
      return;
    case 'resume':
      return void (await resumePaused(life, atMs));
    case 'finish':
      return;
  }
}

/** Charges what the period that has begun costs, and writes what came of it. */
async function collect(life: Life, attempt: number, atMs: number): Promise<ChangeAnswer> {
  const { subscriptionId, standing } = life;
  life.heard = life.answers.count;
  delete life.doubtMs;
  const charge: CycleCharge = { subscriptionId, cycle: standing.cycle, attempt, amountMinor: standing.dueMinor, atMs };
  const outcome = await chargeOnce(charge);
  if (outcome.outcome === 'paid') return renewed(life, atMs);
  const isAsked = outcome.outcome === 'requires_action';
  const failure = isAsked ? authenticationNeeded : { reason: outcome.reason, message: outcome.message };
  const decline = isAsked ? 'soft' : (outcome.decline ?? 'soft');
  if (isAsked) life.asked = charge;
  life.standing = await local.failRenewal({ ...stepAt(life, atMs), attempt, ...failure, decline });
  showFailure(life.standing.state, failure);
  return { done: false, why: 'payment', explain: failure.message };
}

const authenticationNeeded = {
  reason: 'authentication_required',
  message: 'Your bank wants you to confirm the payment.',
};

/** The open period is charged once more; what an earlier try still waits for is given up first. */
export async function retry(life: Life, atMs: number): Promise<ChangeAnswer> {
  if ((await giveUpAsked(life, atMs)) === 'paid') return renewed(life, atMs);
  return collect(life, life.standing.attempt + 1, atMs);
}

export async function renewed(life: Life, atMs: number): Promise<ChangeAnswer> {
  delete life.asked;
  life.standing = await local.renewSubscription(stepAt(life, atMs));
  return yes(life);
}

/** The payer has answered an authentication of the open period's charge. */
async function hearAnswer(life: Life, atMs: number): Promise<void> {
  if (!life.asked) return;
  life.heard = life.answers.count;
  const { outcome } = await lookUp({ ...life.asked, atMs });
  // Older code waited for the next word, or the next try.
  if (outcome === 'unknown' && patched('renewal-in-doubt')) return hearAgain(life);
  delete life.doubtMs;
  if (outcome === 'paid') await renewed(life, atMs);
  else if (outcome === 'declined') delete life.asked;
}

/** The provider did not say what became of it: it is asked once more, after what comes first. */
async function hearAgain(life: Life): Promise<void> {
  const { clock } = life;
  life.doubtMs = Math.min(2 * (life.doubtMs ?? lookUpFirstMs / 2), lookUpMaxMs);
  const dueMs = Math.min(nextDue(life.standing)?.atMs ?? Infinity, clock.now() + life.doubtMs);
  await clock.waitUntil(dueMs, () => isCalled(life), 'before turning to the provider again');
  // As if the answer had come only now.
  life.heard -= 1;
}

/** A pause is over once the new period is paid. */
export async function resumePaused(life: Life, atMs: number): Promise<ChangeAnswer> {
  life.standing = await local.priceResumption(stepAt(life, atMs));
  const { cycle, attempt, dueMinor } = life.standing;
  const refusal = await chargeNow(life, { cycle, attempt, amountMinor: dueMinor, atMs });
  if (refusal) return refusal;
  return renewed(life, atMs);
}

/** A charge with somebody waiting for it: without the money at once, nothing changes. Answers the refusal. */
export async function chargeNow(
  life: Life,
  charge: Pick<CycleCharge, 'cycle' | 'attempt'> & { amountMinor: number; atMs: number },
): Promise<ChangeAnswer | undefined> {
  const named: CycleCharge = { subscriptionId: life.subscriptionId, ...charge, mustSettle: true };
  let outcome = await chargeOnce(named);
  if (outcome.outcome === 'requires_action') outcome = await giveUp(named);
  if (outcome.outcome === 'paid') return undefined;
  const { reason, message } = outcome;
  life.standing = await local.refuseChange({ ...stepAt(life, charge.atMs), reason, message });
  return { done: false, why: 'payment', explain: message };
}

/** It ends for good, after what is still open at the provider; unless that was paid in the meantime. */
export async function end(life: Life, to: EndState, reason: string, atMs: number, isSilent = false) {
  const isPaid = (await giveUpAsked(life, atMs)) === 'paid';
  if (isPaid && to === 'expired') return renewed(life, atMs);
  if (isPaid) await renewed(life, atMs);
  const input = { ...stepAt(life, atMs), to, reason, isSilent };
  life.standing = to === 'expired' ? await local.expireSubscription(input) : await local.endSubscription(input);
  return yes(life);
}

/** What waits for its payer is waited for no longer; undefined when nothing does. */
export async function giveUpAsked(life: Life, atMs: number): Promise<'paid' | 'declined' | undefined> {
  if (!life.asked) return undefined;
  const { outcome } = await giveUp({ ...life.asked, atMs });
  delete life.asked;
  return outcome;
}
