import { setTimeout as sleep } from 'node:timers/promises';
import { type MerchantTime } from '../../../adapters/clock';
import { enqueue, type OutboxRow, sendNow } from '../../../adapters/outbox';
import { transaction, type Transaction } from '../../../adapters/postgres/connection';
import { updateWorkflow, type UpdateResult } from '../../../adapters/temporal';
import { type Caller } from '../../../kit/auth';
import { type RequestFacts } from '../../../kit/endpoint';
import { AppError } from '../../../kit/errors';
import {
  changeRequestedSignal,
  changeUpdates,
  notBegunYet,
  refusedChange,
  subscriptionWorkflowId,
  type Actor,
  type Change,
  type ChangeAnswer,
  type ChangeRequest,
} from '../../../../workflows/messages';
import { liveStates, type Subscription, type SubscriptionState } from '../../model';

/** How a change reaches the subscription's workflow: asked and answered, or promised while nobody answers. */

/** Undefined when nobody answered: whether it happens is not known yet. Throws `subscription_state`. */
export async function ask(
  caller: Caller,
  row: Asked,
  change: Change,
  time: MerchantTime,
  request: RequestFacts,
): Promise<ChangeAnswer | undefined> {
  const { requestId } = request;
  const input: ChangeRequest = {
    id: requestName(change, request),
    ...time,
    ...requested(caller, row, change, requestId),
  };
  const update = { name: changeUpdates[change.kind], id: input.id, input, refusedType: refusedChange };
  const asked = await askUntilItKnows(row, update);
  if ('result' in asked) return asked.result;
  if ('unanswered' in asked || isBehind(row, asked)) return undefined;
  const explain = 'refused' in asked ? asked.refused : 'The subscription has ended.';
  throw new AppError('subscription_state', { explain });
}

/** The subscription that is to change; its state where that is known. */
type Asked = Pick<Subscription, 'token' | 'accountId'> & { state?: SubscriptionState };

/** Who asks for what; whether somebody else than the subscriber does is told to the merchant's log. */
export function requested(caller: Caller, row: Asked, change: Change, requestId: string) {
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

/** How long a run may take to hear of what is recorded, before its caller is told to come again. */
const behindMs = 3_000;
const askAgainMs = 20;

/** A run that has yet to hear of its first period is asked again: whoever was told of the success need not know. */
async function askUntilItKnows(row: Asked, update: Update) {
  for (const givesUpAt = Date.now() + behindMs; ; await sleep(askAgainMs)) {
    const asked = await updateWorkflow<ChangeAnswer>(subscriptionWorkflowId(row.token), update);
    if (!isBehind(row, asked) || Date.now() >= givesUpAt) return asked;
  }
}

type Update = Parameters<typeof updateWorkflow>[1];

/** The first period is recorded, and the run has yet to hear of it: as after the death of a worker between the two. */
function isBehind({ state }: { state?: SubscriptionState }, asked: UpdateResult<unknown>): boolean {
  return 'refused' in asked && asked.refused === notBegunYet && state !== undefined && state !== 'incomplete';
}

/** One that is sent again with its key is the same request. */
const requestName = (change: Change, { idempotencyKey, requestId }: RequestFacts) =>
  `${change.kind}:${idempotencyKey ?? requestId}`;

export async function promise(
  caller: Caller,
  row: Subscription,
  change: Change,
  time: MerchantTime,
  request: RequestFacts,
): Promise<void> {
  if (!liveStates.some((state) => state === row.state)) throw new AppError('subscription_state');
  const { requestId } = request;
  const input = { ...requested(caller, row, change, requestId), ...time, id: requestName(change, request) };
  await sendNow(await transaction((inTransaction) => enqueueChange(inTransaction, row, input)));
}

export function enqueueChange(
  inTransaction: Transaction,
  row: Subscription,
  input: ChangeRequest & { actor: Actor },
): Promise<OutboxRow> {
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
