import { condition, proxyLocalActivities } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { type Timer, nextTimer } from '../src/billing/schedule';
import { renewalDelayMs } from '../src/billing/spread';
import { type Message } from './inbox';
import { lookUpDebit } from './debits';
import { type ChangeAnswer, type EndInput, type EndState } from './messages';
import { showSnapshot } from './operator';
import {
  collectDebt,
  collectNextPeriod,
  continueCharge,
  giveUpOpen,
  lookUpAnswered,
  renewed,
  resumePaused,
  retry,
} from './periodCharges';
import { quick } from './policies';
import { done, hasPendingMessages, lastStepAt, stepAt, type SubscriptionRun } from './subscriptionRun';

const local = proxyLocalActivities<Activities>(quick);

/** Waits for the next due step or message, and processes it. */
export async function takeNextStep(
  run: SubscriptionRun,
  act: (message: Message, atMs: number) => Promise<ChangeAnswer>,
): Promise<void> {
  const { clock, inbox } = run;
  const due = nextTimer(run.snapshot);
  showSnapshot(run.snapshot, due, clock.now());
  const delayMs = due?.what === 'renew' ? renewalDelayMs(run.subscriptionId) : 0;
  if (due) await clock.waitUntil(due.atMs, () => hasPendingMessages(run), due.summary, delayMs);
  else await condition(() => hasPendingMessages(run));
  const decided = inbox.takeDecided();
  if (decided.length > 0) return closeRequests(run, decided);
  if (run.mustCheckRow) return checkRow(run);
  if (inbox.unchecked().length > 0) return checkSignals(run);
  const isDue = due !== undefined && clock.now() >= due.atMs;
  const message = inbox.waiting.find((waiting) => !isDue || isBefore(waiting, due));
  run.doing = message ? message.kind : isDue ? due.what : 'look up';
  if (message) inbox.answer(message, await decide(run, () => act(message, clock.timeOf(message.atMs))));
  else if (isDue) await takeStep(run, due, clock.timeOf(due.atMs));
  else if (hasPendingMessages(run)) await (run.pendingCharge ? lookUpAnswered : lookUpDebit)(run, clock.now());
  delete run.doing;
}

/**
 * A message that was sent before a step was due is processed first, even if the run sees both late. A period that has begun
 * is charged before a request changes it, because a request would end the charge and leave the period unpaid.
 */
const isBefore = (message: Message, { what, atMs }: Timer): boolean =>
  message.atMs <= atMs && !(what === 'collect' && message.kind === 'request');

/** An answer without a step depends only on the state that the run knows, so the row must have the same version. */
async function decide(run: SubscriptionRun, act: () => Promise<ChangeAnswer>): Promise<ChangeAnswer> {
  const { version } = run.snapshot;
  const answer = await act();
  if (run.snapshot.version === version) await checkRow(run);
  return answer;
}

async function closeRequests({ subscriptionId }: SubscriptionRun, decided: string[]): Promise<void> {
  for (const id of decided) await local.closeRequest({ subscriptionId, id });
}

async function checkRow(run: SubscriptionRun): Promise<void> {
  delete run.mustCheckRow;
  await local.checkRow({ subscriptionId: run.subscriptionId, version: run.snapshot.version });
}

/**
 * Drops the requests that came as signals and that the row no longer stores. They were decided before: a signal may be sent
 * again after Temporal's store was lost together with the run that knew the answer.
 */
async function checkSignals(run: SubscriptionRun): Promise<void> {
  const { inbox } = run;
  const unchecked = inbox.unchecked();
  inbox.putStored(await readRequests(run));
  inbox.drop(unchecked);
}

const readRequests = ({ subscriptionId, snapshot: { version } }: SubscriptionRun) =>
  local.readRequests({ subscriptionId, version });

/**
 * Steps before which the run does not read the stored changes. They ask about a debit, continue a charge, read the changes
 * themselves, or only end the run.
 */
const withoutRequests: ReadonlySet<Timer['what']> = new Set(['look', 'collect', 'renew', 'finish'] as const);

/** Takes a step that is due, or receives the stored changes that were requested before it. */
async function takeStep(run: SubscriptionRun, due: Timer, atMs: number): Promise<void> {
  const stored = withoutRequests.has(due.what) ? [] : await readRequests(run);
  const earlier = stored.filter((request) => request.atMs <= due.atMs);
  if (earlier.length > 0) return run.inbox.putStored(earlier);
  const step = stepAt(run, atMs);
  switch (due.what) {
    case 'look':
      return lookUpDebit(run, atMs);
    case 'collect':
      return void (await continueCharge(run, atMs));
    case 'renew':
      return collectNextPeriod(run, atMs, due.atMs);
    case 'retry':
      return void (await retry(run, atMs));
    case 'remind':
      run.snapshot = await local.remind({ ...step, reminder: due.reminder });
      return;
    case 'hold':
      run.snapshot = await local.holdSubscription(step);
      return;
    case 'expire':
      return void (await end(run, 'expired', 'retries exhausted', atMs));
    case 'end':
      return void (await end(run, 'canceled', 'canceled before', atMs));
    case 'pause':
      run.snapshot = await local.pauseSubscription(step);
      return;
    case 'resume':
      return void (await resumePaused(run, atMs));
    case 'finish':
      return;
  }
}

/**
 * Ends the subscription permanently, after it gives up open charges. If one was paid in the meantime, that period is
 * recorded first. An expiring subscription then renews instead.
 */
export async function end(
  run: SubscriptionRun,
  to: EndState,
  reason: string,
  atMs: number,
  options: Pick<EndInput, 'isSilent' | 'cancelReason'> = {},
): Promise<ChangeAnswer> {
  const isPaid = (await giveUpOpen(run, atMs)) === 'paid';
  if (isPaid && to === 'expired') return renewed(run, atMs);
  if (isPaid) await renewed(run, atMs, stepAt);
  if (to !== 'revoked' && !options.isSilent) await collectDebt(run, atMs);
  const input = { ...lastStepAt(run, atMs), to, reason, ...options };
  run.snapshot = to === 'expired' ? await local.expireSubscription(input) : await local.endSubscription(input);
  return done(run);
}
