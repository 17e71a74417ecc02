import {
  Client,
  Connection,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { status } from '@grpc/grpc-js';
import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import { config } from '../config';
import { searchAttributes, type WorkflowInputs, type WorkflowName } from '../../workflows/messages';

const { IndexedValueType } = temporal.api.enums.v1;

/** Without a deadline a call to a frozen server hangs until it thaws, and may then succeed late. */
const deadlineMs = 3_000;
/** After a failure the request path leaves starts to the relay for this long, instead of waiting out each deadline. */
const restMs = 5_000;

/** What an operator sees of a run in the Temporal UI and can search for. Ids and states only: none of it is encrypted. */
export interface RunLabels {
  merchantId: number;
  itemId: number;
  state: string;
  requestId: string;
  /** One line, at most 200 bytes. */
  summary: string;
}

const connection = Connection.lazy({ address: config.TEMPORAL_ADDRESS });
const client = new Client({ connection, namespace: config.TEMPORAL_NAMESPACE });

const merchantKey = defineSearchAttributeKey(searchAttributes.merchant, SearchAttributeType.INT);
const itemKey = defineSearchAttributeKey(searchAttributes.item, SearchAttributeType.INT);
const stateKey = defineSearchAttributeKey(searchAttributes.state, SearchAttributeType.KEYWORD);

let restingUntilMs = 0;

/** Whether the last call reached the server: a request then tries at once, else it leaves the start to the relay. */
export function temporalAnswers(): boolean {
  return Date.now() >= restingUntilMs;
}

/** Starts a workflow under its id. One that runs, or ever ran, under this id counts as started. */
export async function startWorkflow<N extends WorkflowName>(
  name: N,
  workflowId: string,
  input: WorkflowInputs[N],
  labels: RunLabels,
): Promise<void> {
  const options: WorkflowStartOptions = {
    workflowId,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    staticSummary: labels.summary,
    memo: { requestId: labels.requestId },
    typedSearchAttributes: new TypedSearchAttributes([
      { key: merchantKey, value: labels.merchantId },
      { key: itemKey, value: labels.itemId },
      { key: stateKey, value: labels.state },
    ]),
    priority: { fairnessKey: String(labels.merchantId) },
  };
  try {
    await reach(() => client.workflow.start(name, options));
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Signals a running workflow; one that has ended no longer waits for anything. */
export async function signalWorkflow(workflowId: string, signal: string): Promise<void> {
  try {
    await reach(() => client.workflow.getHandle(workflowId).signal(signal));
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

const attributeTypes = {
  [searchAttributes.merchant]: IndexedValueType.INDEXED_VALUE_TYPE_INT,
  [searchAttributes.item]: IndexedValueType.INDEXED_VALUE_TYPE_INT,
  [searchAttributes.state]: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  [searchAttributes.failureReason]: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
};

/** Registers our search attributes with the namespace; those it has already stay. A start that names others is refused. */
export async function registerSearchAttributes(): Promise<void> {
  const namespace = config.TEMPORAL_NAMESPACE;
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(attributeTypes).filter(([name]) => !Object.hasOwn(customAttributes, name));
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: Object.fromEntries(missing) });
}

export async function checkTemporal(): Promise<void> {
  await client.withDeadline(Date.now() + deadlineMs, () =>
    connection.workflowService.describeNamespace({ namespace: config.TEMPORAL_NAMESPACE }),
  );
}

export async function closeTemporal(): Promise<void> {
  await connection.close();
}

async function reach<T>(call: () => Promise<T>): Promise<T> {
  try {
    const result = await client.withDeadline(Date.now() + deadlineMs, call);
    restingUntilMs = 0;
    return result;
  } catch (error) {
    if (isAway(error)) restingUntilMs = Date.now() + restMs;
    throw error;
  }
}

const awayCodes: unknown[] = [
  status.CANCELLED,
  status.DEADLINE_EXCEEDED,
  status.UNAVAILABLE,
  status.RESOURCE_EXHAUSTED,
];

/** The server was not reached, as against one that refused the call. */
function isAway(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return awayCodes.includes(code) || (cause !== undefined && isAway(cause));
}
