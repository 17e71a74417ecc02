import {
  condition,
  continueAsNew,
  defineSignal,
  executeChild,
  isCancellation,
  log,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import { type Activities } from '../activities';
import {
  searchAttributes,
  tryNowSignal,
  wakeSignal,
  webhookDeliveryWorkflowId,
  webhookTaskQueue,
  type AttemptOutcome,
  type FoundDelivery,
  type WebhookDeliveryInput,
  type WebhookDeliveryResult,
  type WebhookEndpointInput,
  type WebhookEndpointResult,
} from './messages';
import { brokenDeliveryPauseMs, deliveriesPerRun, quick, webhook, webhookWaitsMs } from './policies';

const { attemptDelivery } = proxyActivities<Activities>(webhook);
const { nextDelivery, giveUpDelivery } = proxyLocalActivities<Activities>(quick);

const merchantKey = defineSearchAttributeKey(searchAttributes.merchant, SearchAttributeType.INT);
const stateKey = defineSearchAttributeKey(searchAttributes.state, SearchAttributeType.KEYWORD);
const failureKey = defineSearchAttributeKey(searchAttributes.failureReason, SearchAttributeType.KEYWORD);

/**
 * One endpoint's queue while there is something in it: an event after the other, each by a delivery of its own, and the
 * next only when that one has ended. A word that comes while the run is about to end keeps it going.
 */
export async function webhookEndpoint(endpoint: WebhookEndpointInput): Promise<WebhookEndpointResult> {
  const wakes = count(wakeSignal, 'There may be something to deliver.');
  for (let taken = 0; ; taken += 1) {
    const seen = wakes.count;
    if (taken >= deliveriesPerRun || workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof webhookEndpoint>(endpoint);
    const next = await nextDelivery(endpoint.endpointId);
    if (next.state === 'found') await deliver(endpoint, next);
    else if (wakes.count === seen) return next;
  }
}

/** What ends it from outside, an operator, ends this attempt at it only: the row says that it is not delivered. */
async function deliver(
  { endpointId, token }: WebhookEndpointInput,
  { merchantId, sequence, type, ...found }: FoundDelivery,
): Promise<void> {
  const { deliveryId, attempts, step } = found;
  setCurrentDetails(`### Event ${sequence}\n${type}`);
  try {
    await executeChild(webhookDelivery, {
      workflowId: webhookDeliveryWorkflowId(token, sequence),
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      args: [{ deliveryId, attempts, step }],
      staticSummary: `event ${sequence}, ${type}, to endpoint ${endpointId}`,
      typedSearchAttributes: new TypedSearchAttributes([
        { key: merchantKey, value: merchantId },
        { key: stateKey, value: 'delivering' },
      ]),
    });
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn('a delivery was ended from outside', { deliveryId });
    await sleep(brokenDeliveryPauseMs, { summary: 'before it is begun again' });
  }
}

/** One event to one endpoint: tried until it is taken, for three days; after that the endpoint is turned off. */
export async function webhookDelivery(input: WebhookDeliveryInput): Promise<WebhookDeliveryResult> {
  const calls = count(tryNowSignal, 'Try at once, and see whether the endpoint is still there.');
  const delivery = { ...input };
  for (; ; delivery.step += 1) {
    const waitMs = input.isSingle ? undefined : webhookWaitsMs[delivery.step];
    const outcome = await tryStep(delivery, calls, waitMs);
    if (outcome.outcome !== 'failed') return ended(outcome.outcome);
    if (waitMs !== undefined && !outcome.isGone) continue;
    const reason = outcome.isGone ? 'gone' : 'failing';
    if (!input.isSingle) await giveUpDelivery({ deliveryId: input.deliveryId, reason });
    return ended('failed', outcome.reason);
  }
}

/** An attempt and the wait after it, in which somebody may ask for more of them. They leave the schedule as it is. */
async function tryStep(delivery: WebhookDeliveryInput, calls: Count, waitMs = 0): Promise<AttemptOutcome> {
  for (let dueMs: number | undefined; ;) {
    const seen = calls.count;
    const leftMs = dueMs === undefined ? waitMs : Math.max(0, dueMs - Date.now());
    const outcome = await attemptOnce(delivery, leftMs);
    if (outcome.outcome !== 'failed' || outcome.isGone || waitMs === 0) return outcome;
    dueMs ??= Date.now() + waitMs;
    const summary = `before attempt ${delivery.attempts + 1}`;
    const isCalled = await condition(() => calls.count > seen, Math.max(1, dueMs - Date.now()), { summary });
    if (!isCalled) return outcome;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof webhookDelivery>(delivery);
  }
}

async function attemptOnce(delivery: WebhookDeliveryInput, retryInMs: number): Promise<AttemptOutcome> {
  const { deliveryId, step } = delivery;
  const attempt = (delivery.attempts += 1);
  const options = { taskQueue: webhookTaskQueue(workflowInfo().taskQueue), summary: `attempt ${attempt}` };
  const input = { deliveryId, attempt, step, ...(retryInMs > 0 && { retryInMs }) };
  const outcome = await attemptDelivery.executeWithOptions(options, [input]);
  if (outcome.outcome === 'failed') {
    const next = retryInMs > 0 ? `The next follows ${new Date(Date.now() + retryInMs).toISOString()}.` : '';
    show('retrying', `### Attempt ${attempt} failed\n${outcome.reason}. ${next}`, outcome.reason);
  }
  return outcome;
}

function ended(state: WebhookDeliveryResult['state'], reason?: string): WebhookDeliveryResult {
  show(state, `### ${state}${reason === undefined ? '' : `\n${reason}`}`, reason);
  return { state };
}

interface Count {
  count: number;
}

function count(signal: string, description: string): Count {
  const counted = { count: 0 };
  setHandler(defineSignal(signal), () => void (counted.count += 1), { description });
  return counted;
}

/** What an operator reads in the Temporal UI, and searches for. */
function show(state: string, details: string, reason?: string): void {
  setCurrentDetails(details);
  const { typedSearchAttributes: shown } = workflowInfo();
  if (shown.get(stateKey) !== state) upsertSearchAttributes([{ key: stateKey, value: state }]);
  if (reason !== undefined && shown.get(failureKey) !== reason)
    upsertSearchAttributes([{ key: failureKey, value: reason }]);
}
