import { Client, Connection } from '@temporalio/client';
import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { status } from '@grpc/grpc-js';
import { config } from '../config';
import { searchAttributes } from '../../workflows/messages';
import { clientDataConverter } from './payloadCodec';
import { apart } from './postgres/requestWork';
import { temporalSecurity } from './temporalServer';
import { clientTracing } from './clientTracing';

/** The client of the Temporal server, and the common handling of all calls to the server. */

const { IndexedValueType } = temporal.api.enums.v1;

/** Without a deadline a call to a frozen server hangs until the server continues, and may then succeed late. */
const deadlineMs = 3_000;
/** For this long after a failure, the outbox relay starts the runs of requests, so that no request waits for a deadline. */
const restMs = 5_000;

const connection = Connection.lazy({ address: config.TEMPORAL_ADDRESS, ...temporalSecurity() });
export const client = new Client({
  connection,
  namespace: config.TEMPORAL_NAMESPACE,
  dataConverter: clientDataConverter,
  interceptors: { workflow: [clientTracing] },
});

export const merchantKey = defineSearchAttributeKey(searchAttributes.merchant, SearchAttributeType.INT);
export const itemKey = defineSearchAttributeKey(searchAttributes.item, SearchAttributeType.INT);
export const stateKey = defineSearchAttributeKey(searchAttributes.state, SearchAttributeType.KEYWORD);

const attributeTypes = {
  [searchAttributes.merchant]: IndexedValueType.INDEXED_VALUE_TYPE_INT,
  [searchAttributes.item]: IndexedValueType.INDEXED_VALUE_TYPE_INT,
  [searchAttributes.state]: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  [searchAttributes.failureReason]: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
};

let restingUntilMs = 0;

/** False for a few seconds after a call that did not reach the server: requests then leave their work to the relay. */
export function temporalAnswers(): boolean {
  return Date.now() >= restingUntilMs;
}

/** Throws when the server does not answer for our namespace. */
export async function checkTemporal(): Promise<void> {
  await client.withDeadline(Date.now() + deadlineMs, () =>
    connection.workflowService.describeNamespace({ namespace: config.TEMPORAL_NAMESPACE }),
  );
}

export async function closeTemporal(): Promise<void> {
  await connection.close();
}

/** Registers the search attributes that the namespace lacks. The server refuses a start that names an unknown one. */
export async function registerSearchAttributes(): Promise<void> {
  const namespace = config.TEMPORAL_NAMESPACE;
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(attributeTypes).filter(([name]) => !Object.hasOwn(customAttributes, name));
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: Object.fromEntries(missing) });
}

/** Starts a run. A new namespace, such as the one after a lost store, gets the search attributes first. */
export async function begin<T>(start: () => Promise<T>, meansAway = saysAway): Promise<T> {
  try {
    return await reach(start, meansAway);
  } catch (error) {
    if (!/search attribute/i.test(reasonOf(error))) throw error;
    await registerSearchAttributes();
    return reach(start, meansAway);
  }
}

/**
 * Calls the server with a deadline, outside the transaction of the request. `meansAway` decides which failures mean that
 * the server is away: the next calls then do not try it for a while.
 */
export async function reach<T>(call: () => Promise<T>, meansAway = saysAway): Promise<T> {
  try {
    const result = await apart(() => client.withDeadline(Date.now() + deadlineMs, call));
    restingUntilMs = 0;
    return result;
  } catch (error) {
    if (meansAway(error)) restingUntilMs = Date.now() + restMs;
    throw error;
  }
}

/** The server's message about a failed call. The client's message only names the call. */
export function reasonOf(error: unknown): string {
  const { details, message, cause } = error as { details?: unknown; message?: string; cause?: unknown };
  if (typeof details === 'string' && details !== '') return details;
  return cause === undefined ? (message ?? String(error)) : reasonOf(cause);
}

const unreachableCodes: unknown[] = [status.UNAVAILABLE, status.RESOURCE_EXHAUSTED];
const awayCodes: unknown[] = [...unreachableCodes, status.CANCELLED, status.DEADLINE_EXCEEDED];

/** The call did not reach the server. False for a call that the server refused. */
export const saysAway = (error: unknown) => failedWith(error, awayCodes);
/** For calls that a worker answers. If the worker does not answer, the server may still work. */
export const isUnreachable = (error: unknown) => failedWith(error, unreachableCodes);

function failedWith(error: unknown, codes: unknown[]): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return codes.includes(code) || (cause !== undefined && failedWith(cause, codes));
}
