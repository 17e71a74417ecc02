import {
  isGrpcServiceError,
  QueryNotRegisteredError,
  ServiceError,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type WorkflowStartOptions,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure, TypedSearchAttributes, type Workflow } from '@temporalio/common';
import { rerunning, type WorkflowInputs, type WorkflowName } from '../../workflows/messages';
import { config } from '../config';
import { AppError } from '../kit/errors';
import { begin, client, isUnreachable, itemKey, merchantKey, reach, saysAway, stateKey } from './temporalConnection';

/** Starts, signals, updates and queries of runs. */

/**
 * The labels of a run that the Temporal UI shows and can search for. They contain only ids and states, because they are
 * not encrypted.
 */
export interface RunLabels {
  merchantId: number;
  /** Absent if the run is about an account. */
  itemId?: number;
  state: string;
  requestId: string;
  /** One line, at most 200 bytes. */
  summary: string;
}

/**
 * Starts a workflow under its id. A run under this id counts as started, even one that has ended. A `rerunning` workflow
 * starts again when its last run has ended.
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
    await begin(() => client.workflow.start(name, { ...optionsOf(workflowId, input, labels), ...policy }));
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** The options with which every run starts. */
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
    // The server gives the task of a dead worker to another worker after this time. It is long enough for a busy worker, so
    // that its task is not done twice.
    workflowTaskTimeout: '8 seconds',
    memo: { requestId: labels.requestId },
    typedSearchAttributes: new TypedSearchAttributes([
      { key: merchantKey, value: labels.merchantId },
      ...(labels.itemId === undefined ? [] : [{ key: itemKey, value: labels.itemId }]),
      { key: stateKey, value: labels.state },
    ]),
    priority: { fairnessKey: String(labels.merchantId) },
  };
}

/** Everything that starting a run needs. */
export interface RunStart {
  workflow: WorkflowName;
  workflowId: string;
  input: WorkflowInputs[WorkflowName];
  labels: RunLabels;
}

/** Returns the run that a row needs; undefined once the row has ended. */
export type FindRun = () => Promise<RunStart | undefined>;

/** Starts the run of a row. Returns false when the run exists already. */
export async function startMissingRun({ workflow, workflowId, input, labels }: RunStart): Promise<boolean> {
  const policy = { workflowIdConflictPolicy: 'FAIL', workflowIdReusePolicy: 'ALLOW_DUPLICATE' } as const;
  try {
    await begin(() => client.workflow.start(workflow, { ...optionsOf(workflowId, input, labels), ...policy }));
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

/**
 * Signals a workflow, and starts it first when none runs: its start may still be in the outbox, or the Temporal server may
 * have lost the run. Each step of a workflow finds what an earlier run has done, and does not repeat it.
 */
export async function signalOrStartWorkflow(
  { workflow, workflowId, input, labels }: RunStart,
  signal: string,
  signalArgs: object[] = [],
): Promise<void> {
  const policy = { workflowIdReusePolicy: 'ALLOW_DUPLICATE' } as const;
  const options = { ...optionsOf(workflowId, input, labels), ...policy, signal, signalArgs };
  await begin(() => client.workflow.signalWithStart(workflow, options));
}

/** Signals a workflow. When none runs, its row decides: a row that has ended needs no signal, any other needs a run. */
export async function signalWorkflow(
  workflowId: string,
  signal: string,
  input: object,
  findRun: FindRun,
): Promise<void> {
  try {
    await reach(() => client.workflow.getHandle(workflowId).signal(signal, input));
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    const run = await findRun();
    if (run) await signalOrStartWorkflow(run, signal, [input]);
  }
}

/** Ends a run at once, in the middle of any step. A run that is not open counts as ended. */
export async function endRun(workflowId: string, reason: string): Promise<void> {
  try {
    await reach(() => client.workflow.getHandle(workflowId).terminate(reason));
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/** Whether a run with this id is open. */
export async function workflowRuns(workflowId: string): Promise<boolean> {
  try {
    const { status } = await reach(() => client.workflow.getHandle(workflowId).describe());
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

function startOperation({ workflow, workflowId, input, labels }: RunStart): WithStartWorkflowOperation<Workflow> {
  const policy = { workflowIdConflictPolicy: 'USE_EXISTING', workflowIdReusePolicy: 'ALLOW_DUPLICATE' } as const;
  return new WithStartWorkflowOperation(workflow, { ...optionsOf(workflowId, input, labels), ...policy });
}

export type UpdateResult<T> =
  | { result: T }
  /** The workflow's validator refused the update with this text, and with details of its failure. */
  | { refused: string; details: readonly unknown[] }
  /** The run has ended, or never existed. */
  | { ended: true }
  /** No answer in time: the update may still happen. The same id asks for the same update again. */
  | { unanswered: true };

interface Update {
  name: string;
  id: string;
  input: object;
  /** The type of the failure with which the workflow's validators refuse. */
  refusedType: string;
}

/**
 * Sends an update to a workflow and waits for its result. When no run exists, the row decides: a row that has not ended
 * gets a run first. The same update id can be sent twice without harm.
 */
export async function updateWorkflow<T>(
  workflowId: string,
  update: Update,
  findRun: FindRun,
): Promise<UpdateResult<T>> {
  const handle = client.workflow.getHandle(workflowId);
  const options = { updateId: update.id, args: [update.input] as [object] };
  const updateRun = () => reach(() => handle.executeUpdate<T, [object]>(update.name, options), isUnreachable);
  const startAndUpdate = async (error: unknown) => {
    const run = error instanceof WorkflowNotFoundError && (await findRun());
    if (!run) throw error;
    const start = () => ({ ...options, startWorkflowOperation: startOperation(run) });
    return begin(
      () => client.workflow.executeUpdateWithStart<Workflow, T, [object]>(update.name, start()),
      isUnreachable,
    );
  };
  try {
    return { result: await updateRun().catch(startAndUpdate) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { ended: true };
    if (error instanceof WorkflowUpdateFailedError) {
      if (isFailureOf(error.cause, update.refusedType)) return refusalOf(error.cause);
      if (isFailureOf(error.cause, 'AcceptedUpdateCompletedWorkflow')) return { ended: true };
      // A worker completed the task without reading this update.
      if (isFailureOf(error.cause, 'UnprocessedUpdate')) return { unanswered: true };
    }
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || saysAway(error)) return { unanswered: true };
    // For every other answer of the server the outcome is unknown, and the id makes another try harmless.
    if (error instanceof ServiceError || isGrpcServiceError(error)) return { unanswered: true };
    throw error;
  }
}

/** Queries a run. Undefined when there is none. Throws `service_unavailable` when no worker answers. */
export async function queryWorkflow<T>(workflowId: string, query: string, ...args: unknown[]): Promise<T | undefined> {
  try {
    return await reach(() => client.workflow.getHandle(workflowId).query<T, unknown[]>(query, ...args), isUnreachable);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    if (hasNoAnswer(error)) throw new AppError('service_unavailable', { retryAfterSeconds: 2 });
    throw error;
  }
}

/**
 * Whether the server, a worker or the key of the run is not available. A worker that is starting or stopping may fail a
 * query. The client reports it as a query that is not registered.
 */
const hasNoAnswer = (error: unknown): boolean =>
  saysAway(error) ||
  error instanceof ServiceError ||
  isGrpcServiceError(error) ||
  error instanceof QueryNotRegisteredError;

const refusalOf = ({ message, details }: ApplicationFailure) => ({ refused: message, details: details ?? [] });

function isFailureOf(cause: unknown, type: string): cause is ApplicationFailure {
  return cause instanceof ApplicationFailure && cause.type === type;
}
