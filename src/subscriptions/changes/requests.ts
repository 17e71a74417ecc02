import { setTimeout as sleep } from 'node:timers/promises';
import { type MerchantTime } from '../../adapters/clock';
import { enqueue, type OutboxRow, sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { findRun } from '../../adapters/runs';
import { queryWorkflow, updateWorkflow, type UpdateResult } from '../../adapters/temporal';
import { temporalAnswers } from '../../adapters/temporalConnection';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import {
  changeRequestedSignal,
  changeUpdates,
  isKnownQuery,
  notBegunYet,
  refusedChange,
  subscriptionWorkflowId,
  type Actor,
  type Change,
  type ChangeAnswer,
  type ChangeRequest,
  type DecidedAnswer,
  type DecidedRequest,
} from '../../../workflows/messages';
import { liveStates, type Subscription, type SubscriptionState } from '../subscriptions.model';
import { dueAfter, lockSubscription, type WorkflowRun } from '../lifecycle/steps';
import { addRequest, hasRequests, isMade } from './requests.model';

/** Sends a change to the subscription's workflow and waits for the answer, or stores the change without one. */

/**
 * Undefined if no answer came in time: the outcome is not known yet. A change waits for stored ones before it, because it
 * could overtake them. Throws `subscription_state`.
 */
export async function requestChange(
  caller: Caller,
  row: ChangedSubscription,
  change: Change,
  time: MerchantTime,
  request: RequestFacts,
): Promise<DecidedAnswer | undefined> {
  if (await isMadeByKey(row, change, request)) return madeAnswer(row, change);
  if (row.requests !== undefined && row.requests.length > 0 && !(await waitUntilDecided(row))) return undefined;
  const { requestId } = request;
  const input: ChangeRequest = {
    id: requestName(change, request),
    ...time,
    ...changeBy(caller, row, change, requestId),
  };
  const update = { name: changeUpdates[change.kind], id: input.id, input, refusedType: refusedChange };
  const answer = await updateUntilBegun(row, update);
  if ('result' in answer) return isDecided(answer.result) ? answer.result : undefined;
  if ('unanswered' in answer || isBehind(row, answer)) return undefined;
  const explain = 'refused' in answer ? answer.refused : 'The subscription has ended.';
  throw new AppError('subscription_state', { explain });
}

/**
 * Whether an earlier request with the same Idempotency-Key made the change. A new card is set before its charge, so only the
 * run knows the answer.
 */
const isMadeByKey = async ({ token }: ChangedSubscription, change: Change, request: RequestFacts): Promise<boolean> =>
  request.idempotencyKey !== undefined && change.kind !== 'useCard' && isMade(token, requestName(change, request));

/** `isPending` is for changes that charge. */
const madeAnswer = ({ state = 'incomplete', processingAt }: ChangedSubscription, { kind }: Change): DecidedAnswer => ({
  done: true,
  state,
  ...(processingAt && (kind === 'retry' || kind === 'resume') && { isPending: true }),
});

const isDecided = (answer: ChangeAnswer): answer is DecidedAnswer => answer.done || answer.why !== 'again';

/** The time that a change waits for the stored changes before it. Usually the run decides on them within it. */
const storedMs = 1_000;

/** Waits until the run has decided on the stored changes of a subscription. False if it has not in time. */
async function waitUntilDecided({ token }: ChangedSubscription): Promise<boolean> {
  for (const givesUpAt = Date.now() + storedMs; await hasRequests(token); await sleep(pauseMs))
    if (!temporalAnswers() || Date.now() >= givesUpAt) return false;
  return true;
}

/** A change as the message that the run receives. */
type StoredChange = ChangeRequest & { actor: Actor };

/** The subscription to change, with its state and its stored changes if they are known. */
type ChangedSubscription = Pick<Subscription, 'token' | 'accountId'> &
  Partial<Pick<Subscription, 'state' | 'requests' | 'processingAt'>>;

/** The change and its actor. A change by any account other than the subscriber's is audited. */
export function changeBy(
  caller: Pick<Caller, 'accountId' | 'actorUuid'>,
  row: ChangedSubscription,
  change: Change,
  requestId: string,
) {
  const { accountId, actorUuid: actedBy } = caller;
  const isOwn = accountId === row.accountId && actedBy === undefined;
  const actor: Actor = {
    accountId,
    ...(actedBy !== undefined && { actedBy }),
    requestId,
    ...(!isOwn && { audited: `subscription.${change.kind}` as const }),
  };
  return { actor, ...change };
}

/** The time that a request waits for a run that has not seen a saved step yet. */
const behindMs = 3_000;
const pauseMs = 20;

/**
 * Repeats the update until the run has seen the first period, so that a client can act immediately after the success
 * event.
 */
async function updateUntilBegun(row: ChangedSubscription, update: Update) {
  const workflowId = subscriptionWorkflowId(row.token);
  for (const givesUpAt = Date.now() + behindMs; ; await sleep(pauseMs)) {
    const answer = await updateWorkflow<ChangeAnswer>(workflowId, update, () => findRun('subscription', workflowId));
    if (!isBehind(row, answer) || Date.now() >= givesUpAt) return answer;
  }
}

type Update = Parameters<typeof updateWorkflow>[1];

/** Whether the first period is saved but unknown to the run, as after the loss of a worker between the two. */
function isBehind({ state }: { state?: SubscriptionState }, answer: UpdateResult<unknown>): boolean {
  return 'refused' in answer && answer.refused === notBegunYet && state !== undefined && state !== 'incomplete';
}

/** A request that is repeated with the same Idempotency-Key has the same id. */
const requestName = (change: Change, { idempotencyKey, requestId }: RequestFacts) =>
  `${change.kind}:${idempotencyKey ?? requestId}`;

/**
 * Checks a request, unless its Idempotency-Key was used before: the check would fail because the change has been made.
 * The history contains the change, the row stores the request until the run has decided on it, or the run knows the answer.
 */
export async function unlessKnown(
  row: ChangedSubscription,
  change: Change,
  request: RequestFacts,
  check: () => void | Promise<void>,
): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof AppError) || request.idempotencyKey === undefined) throw error;
    const id = requestName(change, request);
    if (row.requests?.some((stored) => stored.id === id) || (await isMade(row.token, id))) return;
    if (!(await queryWorkflow<boolean>(subscriptionWorkflowId(row.token), isKnownQuery, id))) throw error;
  }
}

/** Stores the change for the run. If the run has already received the change, it ignores the copy. */
export async function storeChange(
  caller: Caller,
  row: Subscription,
  change: Change,
  time: MerchantTime,
  request: RequestFacts,
): Promise<void> {
  if (!liveStates.some((state) => state === row.state))
    throw new AppError('subscription_state', { explain: 'The subscription has ended.' });
  const { requestId } = request;
  const input = { ...changeBy(caller, row, change, requestId), ...time, id: requestName(change, request) };
  await sendNow(await transaction((inTransaction) => storeRequest(inTransaction, row, input)));
}

/** Stores the change in the row until the run has decided on it, and its message. */
export async function storeRequest(
  inTransaction: Transaction,
  row: Subscription,
  request: StoredChange,
): Promise<OutboxRow> {
  await addRequest(inTransaction, row.id, request);
  return enqueueChange(inTransaction, row, request);
}

/** The run has carried out the stored change, or refused it. */
export function closeRequest({ subscriptionId, id }: DecidedRequest, run: WorkflowRun): Promise<void> {
  return transaction(async (inTransaction) => {
    const row = await lockSubscription(subscriptionId, inTransaction, run);
    row.requests = row.requests.filter((stored) => stored.id !== id);
    row.nextDueAt = dueAfter(row, row.nextDueAt);
    await row.save({ transaction: inTransaction });
  });
}

function enqueueChange(inTransaction: Transaction, row: Subscription, input: StoredChange): Promise<OutboxRow> {
  const { token, merchantId, itemId, state } = row;
  return enqueue(inTransaction, {
    messageId: `${token}:${input.id}`,
    workflow: 'subscription',
    workflowId: subscriptionWorkflowId(token),
    signal: changeRequestedSignal,
    input,
    labels: { merchantId, itemId, state, requestId: input.actor.requestId, summary: '' },
  });
}
