import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { type Activities } from '../activities';
import { refusalOf } from '../src/billing/guards';
import { nextTimer } from '../src/billing/schedule';
import { act } from './changes';
import {
  chargeOrFail,
  listenForAnswers,
  waitForAnswer,
  waitForSetup,
  waitForBank,
  type DeclinedOutcome,
  type SettledOutcome,
} from './charging';
import { Inbox } from './inbox';
import { finishCharge } from './periodCharges';
import { takeNextStep } from './steps';
import { hasPendingMessages, type SubscriptionRun } from './subscriptionRun';
import { MerchantClock } from './merchantClock';
import {
  checkRowSignal,
  firstDebitOpen,
  rowAhead,
  rowBehind,
  snapshotQuery,
  type AskedSetup,
  type CarriedState,
  type Change,
  type ChangeAnswer,
  type CycleCharge,
  type EndState,
  type RunStart,
  type SubscriptionSnapshot,
  type SubscriptionInput,
  type SubscriptionResult,
} from './messages';
import { show, showFailure, showSnapshot } from './operator';
import { quick, stepsPerRun, unsentLimitMs } from './policies';

const { activateSubscription, startTrial, failSubscription, readSubscription } =
  proxyLocalActivities<Activities>(quick);

/**
 * `isRead`: the row was read. Before that, the run does not know which changes are possible. `isProcessing`: the bank
 * decides on the direct debit of the first payment.
 */
type StartingRun = Omit<SubscriptionRun, 'snapshot'> & {
  snapshot?: SubscriptionSnapshot;
  isRead?: true;
  isProcessing?: true;
};

type IncompleteStart = Extract<RunStart, { state: 'incomplete' }>;

/**
 * One subscription, from its submission to its final state. Only this run changes the subscription's state, and the row
 * is the authority on it: a run starts from the row. A subscription begins with a payment or a trial. Then a loop
 * processes due steps and messages, whichever comes first. Each period has a run of its own.
 */
export async function subscription(input: SubscriptionInput): Promise<SubscriptionResult> {
  const run = prepare(input);
  const start = await readSubscription({ subscriptionId: input.subscriptionId, version: input.carried?.version ?? 0 });
  if (start.state === 'gone') return finish(run, start.state);
  run.clock.set(start.clock);
  run.inbox.putStored(start.requests ?? []);
  run.isRead = true;
  if (start.state === 'incomplete') run.inbox.refuseUnread();
  if (start.state === 'incomplete_expired') return finish(run, start.state);
  if (start.state === 'begun') return continueFromRow(run, start, input.carried);
  const snapshot = await startOverIfOutOfSync(run, () => begin(run, start));
  if (!snapshot) return finish(run, 'incomplete_expired');
  const begun: SubscriptionRun = Object.assign(run, { snapshot });
  return startOverIfOutOfSync(begun, () => takeSteps(begun));
}

/** Registers the handlers before anything else, because a message may already be waiting. */
function prepare({ subscriptionId, carried }: SubscriptionInput): StartingRun {
  const clock = new MerchantClock();
  const answers = listenForAnswers();
  // The constructor of the inbox already validates waiting updates.
  const known: { run?: StartingRun } = {};
  const refusal: Inbox['refusal'] = (change) => (known.run?.isRead ? refusalIn(known.run, change) : undefined);
  const inbox = new Inbox(clock, refusal, carried?.answered ?? [], carried?.waiting);
  const run: StartingRun = { subscriptionId, clock, inbox, answers, answersSeen: 0 };
  known.run = run;
  const description = 'The row may be older or newer than the run knows: compare the run with the row.';
  setHandler(defineSignal(checkRowSignal), () => void (run.mustCheckRow = true), { description });
  setHandler(defineQuery(snapshotQuery), () => describe(run), {
    description: 'The state of the subscription and its next step.',
  });
  return run;
}

/**
 * Why a change is not possible now. A new submission ends a first payment that waits for an authentication. It cannot end a
 * direct debit. Before the first period has begun, the version of the row is 0.
 */
function refusalIn({ snapshot, isProcessing }: StartingRun, change: Change): ReturnType<Inbox['refusal']> {
  const explain = snapshot === undefined && isProcessing ? firstDebitOpen : refusalOf(change, snapshot);
  return explain === undefined ? undefined : { explain, version: snapshot?.version ?? 0 };
}

/** Continues from the row, after it settles the charge that an earlier run began. */
async function continueFromRow(
  begun: StartingRun,
  start: Extract<RunStart, { state: 'begun' }>,
  carried: CarriedState | undefined,
): Promise<SubscriptionResult> {
  const { snapshot, pendingAuthentication, unfinished } = start;
  const run: SubscriptionRun = Object.assign(begun, { snapshot });
  if (carried?.unsent && carried.version === snapshot.version) run.unsent = carried.unsent;
  // The payer may have answered while no run was active, so the charge is looked up immediately.
  if (pendingAuthentication)
    Object.assign(run, { pendingCharge: pendingAuthentication, answersSeen: run.answers.count - 1 });
  return startOverIfOutOfSync(run, async () => {
    if (unfinished) await finishCharge(run, unfinished);
    return takeSteps(run);
  });
}

/**
 * If the row is behind, the database is older than this run. If it is ahead, this run lost a step. The run ends, and the next
 * one starts from the row.
 */
async function startOverIfOutOfSync<Result>(run: StartingRun, work: () => Promise<Result>): Promise<Result> {
  let isAhead: boolean;
  try {
    return await work();
  } catch (error) {
    isAhead = isFailure(error, rowAhead);
    if (!isAhead && !isFailure(error, rowBehind)) throw error;
  }
  const { subscriptionId, inbox } = run;
  const answer: ChangeAnswer = isAhead ? { done: false, why: 'again' } : startedOver;
  const waiting = inbox.drain(answer);
  run.doing = newRun;
  await condition(allHandlersFinished);
  return continueAsNew<typeof subscription>({
    subscriptionId,
    carried: { version: 0, answered: isAhead ? inbox.answered : [], waiting: [...waiting, ...inbox.drain(answer)] },
  });
}

/** A query of a run that has ended with a new run is answered with this step: its state is not the current one. */
const newRun = 'new run';

const startedOver: ChangeAnswer = {
  done: false,
  why: 'state',
  explain: 'The subscription was restored to an earlier state. Check it, and try again.',
};

/** The failure of a local activity is not wrapped. The failure of an activity is. */
function isFailure(error: unknown, type: string): boolean {
  const failure = error instanceof ActivityFailure ? error.cause : error;
  return failure instanceof ApplicationFailure && failure.type === type;
}

/** Begins the first period, paid or free. Undefined if the payment failed. */
async function begin(
  run: StartingRun,
  { hasTrial, firstMinor, setup }: IncompleteStart,
): Promise<SubscriptionSnapshot | undefined> {
  const { subscriptionId } = run;
  const card = setup ? await waitForCard(run, setup) : undefined;
  if (card && card.outcome !== 'paid') {
    await failUnpaid(subscriptionId, card);
    return undefined;
  }
  if (hasTrial) return beginTrial(run);
  const outcome = await payFirstPeriod({ subscriptionId, cycle: 1, attempt: 1, amountMinor: firstMinor }, run);
  if (outcome.outcome === 'paid' || outcome.outcome === 'processing')
    return (await activateSubscription(subscriptionId)).snapshot;
  await failUnpaid(subscriptionId, outcome);
  return undefined;
}

/** The trial is refused if its voucher is now used up. */
async function beginTrial({ subscriptionId }: StartingRun): Promise<SubscriptionSnapshot | undefined> {
  const opened = await startTrial(subscriptionId);
  if ('snapshot' in opened) return opened.snapshot;
  await failUnpaid(subscriptionId, { outcome: 'declined', ...opened.refused });
  return undefined;
}

async function takeSteps(run: SubscriptionRun): Promise<SubscriptionResult> {
  const { periodEndMs } = run.snapshot;
  for (let steps = 0; !isOver(run); steps += 1) {
    if (run.snapshot.periodEndMs !== periodEndMs || isLong(steps)) await continueInNewRun(run);
    await takeNextStep(run, (message, atMs) => act(run, message, atMs));
  }
  showSnapshot(run.snapshot, undefined, run.clock.now());
  return finish(run, run.snapshot.state as EndState);
}

/** Nothing begins before the payer has authenticated the card for later charges. */
function waitForCard(
  { subscriptionId, answers, clock, inbox }: StartingRun,
  setup: AskedSetup,
): Promise<SettledOutcome> {
  show('incomplete', '### Waiting for the payer\nThe card needs an authentication.');
  return waitForSetup(subscriptionId, setup, answers, {
    now: () => clock.now(),
    moves: () => clock.moves,
    isGivenUp: inbox.isGivenUp,
  });
}

/**
 * Makes the first payment. Waits for the payer's authentication if it is needed, and for the bank of a direct debit
 * unless the merchant gives access immediately.
 */
async function payFirstPeriod(
  charge: CycleCharge,
  run: StartingRun,
): Promise<SettledOutcome | { outcome: 'processing' }> {
  const { answers, clock, inbox } = run;
  const wait = { now: () => clock.now(), moves: () => clock.moves, isGivenUp: inbox.isGivenUp };
  const outcome = await chargeOrFail(charge, { limitMs: unsentLimitMs, isWithdrawn: inbox.isGivenUp });
  if (outcome.outcome === 'requires_action') {
    show('incomplete', '### Waiting for the payer\nThe card needs an authentication.');
    return waitForAnswer(charge, outcome, answers, wait);
  }
  if (outcome.outcome !== 'processing' || outcome.opensAccess) return outcome;
  show('incomplete', '### Waiting for the bank\nThe direct debit is being processed.');
  run.isProcessing = true;
  return waitForBank(charge, answers, wait);
}

async function failUnpaid(subscriptionId: number, { reason, message }: DeclinedOutcome): Promise<void> {
  await failSubscription({ subscriptionId, reason, message });
  showFailure('incomplete_expired', { reason, message });
}

/** A revoked subscription can be restored until the end of its period. */
function isOver({ snapshot: snapshot, clock, isErased }: SubscriptionRun): boolean {
  if (snapshot.state === 'revoked') return isErased === true || clock.now() >= snapshot.periodEndMs;
  return snapshot.state === 'canceled' || snapshot.state === 'expired';
}

function isLong(steps: number): boolean {
  return steps >= stepsPerRun || (steps > 0 && workflowInfo().continueAsNewSuggested);
}

/** Continues as a new run after all callers have their answers. The answers are passed on to the new run. */
async function continueInNewRun(run: SubscriptionRun): Promise<void> {
  const { subscriptionId, inbox, snapshot, unsent } = run;
  run.doing = newRun;
  await condition(() => hasPendingMessages(run) || allHandlersFinished());
  if (hasPendingMessages(run)) return;
  const carried = { version: snapshot.version, answered: inbox.answered, ...(unsent && { unsent }) };
  await continueAsNew<typeof subscription>({ subscriptionId, carried });
}

async function finish({ inbox }: StartingRun, state: SubscriptionResult['state']): Promise<SubscriptionResult> {
  for (const message of [...inbox.waiting]) {
    const isDone = message.kind === 'request' && message.request.kind === 'giveUp' && state === 'incomplete_expired';
    const explain = `The subscription is ${state}.`;
    inbox.answer(message, isDone ? { done: true, state } : { done: false, why: 'state', explain });
  }
  await condition(allHandlersFinished);
  return { state };
}

function describe({ snapshot, clock, inbox, doing }: StartingRun) {
  const due = snapshot && nextTimer(snapshot);
  return {
    state: snapshot?.state ?? 'incomplete',
    merchantTime: new Date(clock.now()).toISOString(),
    waiting: inbox.waiting.length,
    ...(doing !== undefined && { doing }),
    ...(snapshot && { snapshot }),
    ...(due && { next: { what: due.what, at: new Date(due.atMs).toISOString() } }),
  };
}
