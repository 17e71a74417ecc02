import { setTimeout as sleep } from 'node:timers/promises';
import { type MerchantTime } from '../../adapters/clock';
import { enqueue, type OutboxRow, sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { findRun } from '../../adapters/runs';
import {
  type FindRun,
  queryWorkflow,
  signalWorkflow,
  updateWorkflow,
  type UpdateResult,
} from '../../adapters/temporal';
import { saysAway, temporalAnswers } from '../../adapters/temporalConnection';
import { refusalOf } from '../../billing/guards';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import {
  changeRequestedSignal,
  changeUpdates,
  checkRowSignal,
  isKnownQuery,
  refusedChange,
  subscriptionWorkflowId,
  type Actor,
  type Change,
  type ChangeAnswer,
  type ChangeRequest,
  type DecidedAnswer,
  type DecidedRequest,
} from '../../../workflows/messages';
import { liveStates, Subscription } from '../subscriptions.model';
import { dueAfter, hasBegun, lockSubscription, toSnapshot, type WorkflowRun } from '../lifecycle/steps';
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
  const answer = await updateInSync(row, input);
  if ('result' in answer) return isDecided(answer.result) ? answer.result : undefined;
  if ('unanswered' in answer) return undefined;
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

/** The time that a request waits for a run whose version is not that of the row. */
const outOfSyncMs = 3_000;
const pauseMs = 20;
const longestPauseMs = 320;

/**
 * Repeats the update while the run refuses it by another version than that of the row, and the row allows it. The row can be a
 * step ahead for a moment, as when a client acts immediately after the success event. If the run has lost the step, it must
 * compare itself with the row, and starts again from the row.
 */
async function updateInSync({ token }: ChangedSubscription, input: ChangeRequest): Promise<UpdateResult<ChangeAnswer>> {
  const workflowId = subscriptionWorkflowId(token);
  const update = { name: changeUpdates[input.kind], id: input.id, input, refusedType: refusedChange };
  const find = () => findRun('subscription', workflowId);
  const givesUpAt = Date.now() + outOfSyncMs;
  for (let waitMs = pauseMs; ; waitMs = Math.min(2 * waitMs, longestPauseMs)) {
    const answer = await updateWorkflow<ChangeAnswer>(workflowId, update, find);
    const decision = await decisionOn(token, input, answer);
    if (decision) return decision;
    if (Date.now() >= givesUpAt) return { unanswered: true };
    if (waitMs === 2 * pauseMs) await requestCheck(workflowId, find);
    await sleep(waitMs);
  }
}

/** If the server is away, the next update gets no answer either, and the change is stored. */
async function requestCheck(workflowId: string, find: FindRun): Promise<void> {
  try {
    await signalWorkflow(workflowId, checkRowSignal, {}, find);
  } catch (error) {
    if (!saysAway(error)) throw error;
  }
}

/**
 * The decision on a change. Undefined if the run starts again from the row, or if it has refused the change by another version
 * than that of the row. The row is the authority, so a change that it does not allow either is refused: a run that charges for
 * a new period does not know the row before the provider has answered.
 */
async function decisionOn(
  token: string,
  change: Change,
  answer: UpdateResult<ChangeAnswer>,
): Promise<UpdateResult<ChangeAnswer> | undefined> {
  if ('result' in answer) return isDecided(answer.result) ? answer : undefined;
  if (!('refused' in answer)) return answer;
  const row = await Subscription.findOne({ where: { token } });
  if (!row || answer.details[0] === row.version) return answer;
  const refused = hasBegun(row.state) ? refusalOf(change, toSnapshot(row)) : undefined;
  return refused === undefined ? undefined : { refused, details: [row.version] };
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

/**
 * Stores the change for the run. If the run has already received the change, it ignores the copy. `row` is as the request has
 * read it: a resumption that waited for its answer is not stored after a cancellation that came meanwhile. Throws
 * `subscription_state`.
 */
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
  const stored = await transaction(async (inTransaction) => {
    if (change.kind === 'resume' && (await isCanceledSince(inTransaction, row))) return undefined;
    return storeRequest(inTransaction, row, input);
  });
  if (stored) await sendNow(stored);
  else if (!(await isMade(row.token, input.id)))
    throw new AppError('subscription_state', { explain: 'The subscription was canceled after this request.' });
}

/** Whether a cancellation was made or stored after the row was read. */
async function isCanceledSince(
  inTransaction: Transaction,
  { id, canceledAt, requests }: Subscription,
): Promise<boolean> {
  const row = await lockSubscription(id, inTransaction);
  const isMadeSince = row.canceledAt !== null && row.canceledAt.getTime() !== canceledAt?.getTime();
  const known = new Set(requests.map((request) => request.id));
  return isMadeSince || row.requests.some((request) => request.kind === 'cancel' && !known.has(request.id));
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
