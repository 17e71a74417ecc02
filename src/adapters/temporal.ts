import {
  Client,
  Connection,
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { status } from '@grpc/grpc-js';
import {
  ApplicationFailure,
  defineSearchAttributeKey,
  SearchAttributeType,
  TypedSearchAttributes,
} from '@temporalio/common';
import { config } from '../config';
import { clientDataConverter } from './payloadCodec';
import {
  rerunning,
  searchAttributes,
  wakeSignal,
  type WorkflowInputs,
  type WorkflowName,
} from '../../workflows/messages';

const { IndexedValueType } = temporal.api.enums.v1;

/** Without a deadline a call to a frozen server hangs until it thaws, and may then succeed late. */
const deadlineMs = 3_000;
/** After a failure the request path leaves starts to the relay for this long, instead of waiting out each deadline. */
const restMs = 5_000;

/** What an operator sees of a run in the Temporal UI and can search for. Ids and states only: none of it is encrypted. */
export interface RunLabels {
  merchantId: number;
  /** Absent where the run is about an account. */
  itemId?: number;
  state: string;
  requestId: string;
  /** One line, at most 200 bytes. */
  summary: string;
}

const connection = Connection.lazy({ address: config.TEMPORAL_ADDRESS });
export const client = new Client({
  connection,
  namespace: config.TEMPORAL_NAMESPACE,
  dataConverter: clientDataConverter,
});

const merchantKey = defineSearchAttributeKey(searchAttributes.merchant, SearchAttributeType.INT);
const itemKey = defineSearchAttributeKey(searchAttributes.item, SearchAttributeType.INT);
const stateKey = defineSearchAttributeKey(searchAttributes.state, SearchAttributeType.KEYWORD);

let restingUntilMs = 0;

/** Whether the last call reached the server: a request then tries at once, else it leaves the start to the relay. */
export function temporalAnswers(): boolean {
  return Date.now() >= restingUntilMs;
}

/**
 * Starts a workflow under its id. One that runs, or ever ran, under this id counts as started; of `rerunning` workflows
 * only one that runs.
 */
export async function startWorkflow<N extends WorkflowName>(
  name: N,
  workflowId: string,
  input: WorkflowInputs[N],
  labels: RunLabels,
): Promise<void> {
  const workflowIdReusePolicy = rerunning.includes(name) ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE';
  const policy = { workflowIdConflictPolicy: 'USE_EXISTING', workflowIdReusePolicy } as const;
  try {
    await reach(() => client.workflow.start(name, { ...optionsOf(workflowId, input, labels), ...policy }));
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Signals a workflow, and starts it first when it does not run. */
export async function wakeWorkflow<N extends WorkflowName>(
  name: N,
  workflowId: string,
  input: WorkflowInputs[N],
  labels: RunLabels,
): Promise<void> {
  const options = { ...optionsOf(workflowId, input, labels), workflowIdReusePolicy: 'ALLOW_DUPLICATE' } as const;
  await reach(() => client.workflow.signalWithStart(name, { ...options, signal: wakeSignal, signalArgs: [] }));
}

/** What every run of ours is started with. */
export function optionsOf(
  workflowId: string,
  input: WorkflowInputs[WorkflowName],
  labels: RunLabels,
): WorkflowStartOptions {
  return {
    workflowId,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    args: [input],
    staticSummary: labels.summary,
    // A worker that died between the steps of a task is noticed after this; its tasks take milliseconds.
    workflowTaskTimeout: '5 seconds',
    memo: { requestId: labels.requestId },
    typedSearchAttributes: new TypedSearchAttributes([
      { key: merchantKey, value: labels.merchantId },
      ...(labels.itemId === undefined ? [] : [{ key: itemKey, value: labels.itemId }]),
      { key: stateKey, value: labels.state },
    ]),
    priority: { fairnessKey: String(labels.merchantId) },
  };
}

/**
 * Signals a workflow, and starts it for that where none runs: its start may still wait in the outbox, and rows of a
 * restored backup have none. A workflow that begins anew finds its steps done, and does them no second time.
 */
export async function signalOrStartWorkflow<N extends WorkflowName>(
  name: N,
  workflowId: string,
  input: WorkflowInputs[N],
  labels: RunLabels,
  signal: string,
): Promise<void> {
  const options = {
    ...optionsOf(workflowId, input, labels),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    signal,
  } as const;
  await reach(() => client.workflow.signalWithStart(name, options));
}

/** Signals a running workflow; one that has ended no longer waits for anything. */
export async function signalWorkflow(workflowId: string, signal: string, input: object): Promise<void> {
  try {
    await reach(() => client.workflow.getHandle(workflowId).signal(signal, input));
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/** Whether a run of this id is open. */
export async function workflowRuns(workflowId: string): Promise<boolean> {
  try {
    const { status } = await reach(() => client.workflow.getHandle(workflowId).describe());
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

export type UpdateResult<T> =
  | { result: T }
  /** Its validator said no, with this text. */
  | { refused: string }
  /** There is no such run, or no longer. */
  | { ended: true }
  /** Nobody answered in time: it may happen yet. The same id again asks for the same. */
  | { unanswered: true };

/** Asks a running workflow for a change, and for what came of it. `refusedType` is how its validators say no. */
export async function updateWorkflow<T>(
  workflowId: string,
  update: { name: string; id: string; input: object; refusedType: string },
): Promise<UpdateResult<T>> {
  const handle = client.workflow.getHandle(workflowId);
  try {
    const options = { updateId: update.id, args: [update.input] as [object] };
    return { result: await reach(() => handle.executeUpdate<T, [object]>(update.name, options), isUnreachable) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { ended: true };
    if (error instanceof WorkflowUpdateFailedError) {
      if (isFailureOf(error.cause, update.refusedType)) return { refused: error.cause.message };
      if (isFailureOf(error.cause, 'AcceptedUpdateCompletedWorkflow')) return { ended: true };
      // The server gave it to a worker together with others, and the worker answered without having read it.
      if (isFailureOf(error.cause, 'UnprocessedUpdate')) return { unanswered: true };
    }
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isAway(error)) return { unanswered: true };
    // Whatever else the server says: nobody knows whether the update was heard, and its id makes another try harmless.
    if (error instanceof ServiceError || isGrpcServiceError(error)) return { unanswered: true };
    throw error;
  }
}

function isFailureOf(cause: unknown, type: string): cause is ApplicationFailure {
  return cause instanceof ApplicationFailure && cause.type === type;
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

/** `saysAway`: whether a failure tells that the server is away, so that the next calls need not find out one by one. */
export async function reach<T>(call: () => Promise<T>, saysAway = isAway): Promise<T> {
  try {
    const result = await client.withDeadline(Date.now() + deadlineMs, call);
    restingUntilMs = 0;
    return result;
  } catch (error) {
    if (saysAway(error)) restingUntilMs = Date.now() + restMs;
    throw error;
  }
}

const unreachableCodes: unknown[] = [status.UNAVAILABLE, status.RESOURCE_EXHAUSTED];
const awayCodes: unknown[] = [...unreachableCodes, status.CANCELLED, status.DEADLINE_EXCEEDED];

/** The server was not reached, as against one that refused the call. */
const isAway = (error: unknown) => failedWith(error, awayCodes);
/** Where a worker has to answer as well, its silence says nothing about the server. */
const isUnreachable = (error: unknown) => failedWith(error, unreachableCodes);

function failedWith(error: unknown, codes: unknown[]): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return codes.includes(code) || (cause !== undefined && failedWith(cause, codes));
}
