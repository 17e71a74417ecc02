import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  patched,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { type Activities } from '../activities';
import { nextDue } from './agenda';
import { act } from './changes';
import { chargeOnce, listenForAnswers, waitForAnswer, type Declined, type Settled } from './charging';
import { refusalOf } from './guards';
import { Inbox } from './inbox';
import { isCalled, takeNextStep, type Life } from './life';
import { MerchantClock } from './merchantClock';
import {
  standingQuery,
  type CycleCharge,
  type EndState,
  type OpenedPeriod,
  type Standing,
  type SubscriptionInput,
  type SubscriptionResult,
} from './messages';
import { show, showFailure, showStanding } from './operator';
import { quick, stepsPerRun } from './policies';

const { activateSubscription, startTrial, failSubscription, expireSubscription, readStanding } =
  proxyLocalActivities<Activities>(quick);

type Begun = Omit<Life, 'standing'> & { standing?: Standing };

/**
 * One subscription, from its submission to its final state. This run is the only writer of the subscription's state; the
 * table is its projection. It begins with a payment or a trial; then it is a loop: what comes first, by the agenda or from
 * outside, is done, and a long life goes on in a new run.
 */
export async function subscription(input: SubscriptionInput): Promise<SubscriptionResult> {
  const life = prepare(input);
  const standing = life.standing ?? (await begin(life, input));
  if (standing === undefined) return finish(life, 'incomplete_expired');
  return live(Object.assign(life, { standing }), input);
}

/** Handlers come first: a message may be there before anything else. */
function prepare({ subscriptionId, carried, aheadMs = 0 }: SubscriptionInput): Begun {
  const clock = new MerchantClock(carried?.clock ?? { aheadMs, jumpedToMs: 0 });
  const answers = listenForAnswers();
  const inbox = new Inbox(clock, (change) => refusalOf(change, life.standing), carried?.answered ?? []);
  const life: Begun = {
    subscriptionId,
    clock,
    inbox,
    answers,
    heard: 0,
    ...(carried && { standing: carried.standing }),
    ...(carried?.asked && { asked: carried.asked }),
  };
  setHandler(defineQuery(standingQuery), () => describe(life), { description: 'How it stands, and what comes next.' });
  return life;
}

/** The first period, paid or free. Undefined when the payment did not come. */
async function begin(life: Begun, input: SubscriptionInput): Promise<Standing | undefined> {
  const { subscriptionId } = life;
  if (input.hasTrial) return beginTrial(life);
  const { amountMinor } = input;
  const first = { subscriptionId, cycle: 1, attempt: 1, ...(amountMinor !== undefined && { amountMinor }) };
  const outcome = await payFirstPeriod(first, life);
  if (outcome.outcome === 'paid') return openedStanding(life, await activateSubscription(subscriptionId));
  await failUnpaid(subscriptionId, outcome);
  return undefined;
}

/** Its voucher may be used up by the time the trial begins. */
async function beginTrial(life: Begun): Promise<Standing | undefined> {
  const opened = await startTrial(life.subscriptionId);
  if (!opened.refused) return openedStanding(life, opened);
  await failUnpaid(life.subscriptionId, { outcome: 'declined', ...opened.refused });
  return undefined;
}

async function live(life: Life, input: SubscriptionInput): Promise<SubscriptionResult> {
  for (let steps = 0; !isOver(life); steps += 1) {
    if (isLong(steps)) await goOnInNewRun(life, input);
    await takeNextStep(life, (message, atMs) => act(life, message, atMs));
  }
  showStanding(life.standing, undefined, life.clock.now());
  return finish(life, life.standing.state as EndState);
}

/** The first payment: charged, and where the payer must authenticate, waited for. */
async function payFirstPeriod(charge: CycleCharge, { answers, clock, inbox }: Begun): Promise<Settled> {
  const outcome = await chargeOnce(charge);
  if (outcome.outcome !== 'requires_action') return outcome;
  show('incomplete', '### Waiting for the payer\nThe card needs an authentication.');
  return waitForAnswer(charge, outcome, answers, {
    now: () => clock.now(),
    moves: () => clock.moves,
    isGivenUp: inbox.isGivenUp,
  });
}

/** What began under older code waits out its first period before it learns how to be renewed. */
async function openedStanding(life: Begun, opened: OpenedPeriod): Promise<Standing | undefined> {
  if (opened.standing) return opened.standing;
  const { subscriptionId, clock, inbox } = life;
  const { periodEndMs } = opened;
  const endsAt = new Date(periodEndMs).toISOString();
  show('active', `### Active\nPaid until ${endsAt}.`);
  await clock.waitUntil(periodEndMs, inbox.isCalled, `period ends ${endsAt}`);
  if (patched('renewals')) return readStanding(subscriptionId);
  await expireSubscription({ subscriptionId, version: 1, atMs: periodEndMs });
  return { ...expiredOfOld, periodEndMs };
}

const expiredOfOld: Standing = {
  version: 2,
  state: 'expired',
  autoRenew: true,
  cycle: 1,
  attempt: 1,
  periodEndMs: 0,
  pausesAtPeriodEnd: false,
  dueMinor: 0,
  reminded: [],
};

async function failUnpaid(subscriptionId: number, { reason, message }: Declined): Promise<void> {
  await failSubscription({ subscriptionId, reason, message });
  showFailure('incomplete_expired', { reason, message });
}

/** A revoked one may be given back until its period is over. */
function isOver({ standing, clock, isErased }: Life): boolean {
  if (standing.state === 'revoked') return isErased === true || clock.now() >= standing.periodEndMs;
  return standing.state === 'canceled' || standing.state === 'expired';
}

function isLong(steps: number): boolean {
  return steps >= stepsPerRun || (steps > 0 && workflowInfo().continueAsNewSuggested);
}

/** Nothing is lost on the way: who is being answered is answered first, and what was answered is handed on. */
async function goOnInNewRun(life: Life, { subscriptionId }: SubscriptionInput): Promise<void> {
  const { standing, clock, inbox, asked } = life;
  await condition(() => isCalled(life) || allHandlersFinished());
  if (isCalled(life)) return;
  const carried = { standing, clock: clock.handOn(), answered: inbox.answered, ...(asked && { asked }) };
  await continueAsNew<typeof subscription>({ subscriptionId, carried });
}

async function finish({ inbox }: Begun, state: SubscriptionResult['state']): Promise<SubscriptionResult> {
  for (const message of [...inbox.waiting]) {
    const isDone = message.kind === 'request' && message.request.kind === 'giveUp' && state === 'incomplete_expired';
    const explain = `The subscription is ${state}.`;
    inbox.answer(message, isDone ? { done: true, state } : { done: false, why: 'state', explain });
  }
  await condition(allHandlersFinished);
  return { state };
}

function describe({ standing, clock, inbox, doing }: Begun) {
  const due = standing && nextDue(standing);
  return {
    state: standing?.state ?? 'incomplete',
    merchantTime: new Date(clock.now()).toISOString(),
    waiting: inbox.waiting.length,
    ...(doing !== undefined && { doing }),
    ...(standing && { standing }),
    ...(due && { next: { what: due.what, at: new Date(due.atMs).toISOString() } }),
  };
}
