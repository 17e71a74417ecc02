import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { type Activities } from '../activities';
import {
  searchAttributes,
  wakeSignal,
  webhookTaskQueue,
  type WebhookEndpointInput,
  type WebhookEndpointResult,
  type WebhookRound,
} from './messages';
import { roundsPerRun, webhook } from './policies';

const { deliverWebhooks } = proxyActivities<Activities>(webhook);

const stateKey = defineSearchAttributeKey(searchAttributes.state, SearchAttributeType.KEYWORD);
const failureKey = defineSearchAttributeKey(searchAttributes.failureReason, SearchAttributeType.KEYWORD);

/**
 * Sends the deliveries of one endpoint while there are any: rounds, and the waits between them. A wake signal before
 * the run ends keeps it running; during a wait it begins the next round at once.
 */
export async function webhookEndpoint(endpoint: WebhookEndpointInput): Promise<WebhookEndpointResult> {
  let wakes = 0;
  setHandler(defineSignal(wakeSignal), () => void (wakes += 1), { description: 'There may be something to deliver.' });
  for (let rounds = 0; ; rounds += 1) {
    if (rounds >= roundsPerRun || workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof webhookEndpoint>(endpoint);
    const seen = wakes;
    const taskQueue = webhookTaskQueue(workflowInfo().taskQueue);
    const round = await deliverWebhooks.executeWithOptions({ taskQueue, summary: `round ${rounds + 1}` }, [
      endpoint.endpointId,
    ]);
    show(round);
    if (round.state === 'retrying')
      await condition(() => wakes > seen, round.dueInMs, { summary: 'before the next attempt' });
    else if (round.state !== 'delivering' && wakes === seen) return { state: round.state };
  }
}

/** Shows the state in the Temporal UI and sets the search attributes. */
function show(round: WebhookRound): void {
  const failure = round.state === 'retrying' ? round.failure : undefined;
  const due = round.state === 'retrying' ? `\nNext attempt: ${new Date(Date.now() + round.dueInMs).toISOString()}` : '';
  const last = failure === undefined ? '' : `\nLast failure: ${failure}`;
  setCurrentDetails(`### ${round.state}${due}${last}`);
  const { typedSearchAttributes: shown } = workflowInfo();
  if (shown.get(stateKey) !== round.state) upsertSearchAttributes([{ key: stateKey, value: round.state }]);
  if (failure !== undefined && shown.get(failureKey) !== failure)
    upsertSearchAttributes([{ key: failureKey, value: failure }]);
}
