import { Client, Connection, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils';
import { subscriptionWorkflowId } from '../../workflows/messages';
import { until } from './until';

type StoredPayload = { metadata?: Record<string, string>; data?: string };

export interface TemporalClient {
  client: Client;
  /** The run of this id, once the outbox has begun it. */
  begun: (workflowId: string) => Promise<WorkflowHandle>;
  /** Whether the workflow server knows a run of this id that has not ended. */
  isRunning: (workflowId: string) => Promise<boolean>;
  /** A subscription's history, as the Temporal UI exports it: with its payloads opened. */
  history: (subscriptionToken: string) => Promise<string>;
  /** The same of any workflow. */
  historyOf: (workflowId: string, runId?: string) => Promise<string>;
  /** The same as it is stored. */
  sealedHistory: (subscriptionToken: string) => Promise<string>;
  /** Of every workflow that this file's workers were asked to run. */
  workflowIds: () => Promise<string[]>;
  close: () => Promise<void>;
}

/** Reads the workflow server as an operator does, with the keys of this file's database. */
export async function connectTemporal(): Promise<TemporalClient> {
  const { clientDataConverter } = await import('../../src/adapters/payloadCodec.js');
  const connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' });
  const client = new Client({ connection, dataConverter: clientDataConverter });
  const begun = async (workflowId: string, runId?: string) => {
    const handle = client.workflow.getHandle(workflowId, runId);
    await until(() => handle.describe().catch(orNotBegun));
    return handle;
  };
  const fetchHistory = async (workflowId: string, runId?: string) =>
    historyToJSON(await (await begun(workflowId, runId)).fetchHistory());
  const historyOf = async (workflowId: string, runId?: string) => {
    const opened: unknown = await openPayloads(JSON.parse(await fetchHistory(workflowId, runId)));
    return historyToJSON(historyFromJSON(opened));
  };
  return {
    client,
    begun,
    isRunning: async (workflowId) => {
      const found = await client.workflow.getHandle(workflowId).describe().catch(orNotBegun);
      return found?.status.name === 'RUNNING';
    },
    historyOf,
    history: (token) => historyOf(subscriptionWorkflowId(token)),
    sealedHistory: (token) => fetchHistory(subscriptionWorkflowId(token)),
    workflowIds: async () => {
      const query = `TaskQueue = '${process.env['TEMPORAL_TASK_QUEUE'] ?? ''}'`;
      const ids = new Set<string>();
      for await (const { workflowId } of client.workflow.list({ query })) ids.add(workflowId);
      return [...ids];
    },
    close: () => connection.close(),
  };
}

function orNotBegun(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}

/** A history as JSON, with every sealed payload in it replaced by what it holds. */
async function openPayloads(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(openPayloads));
  if (typeof value !== 'object' || value === null) return value;
  if (isSealed(value)) return openPayload(value);
  const opened = Object.entries(value).map(async ([name, inner]) => [name, await openPayloads(inner)] as const);
  return Object.fromEntries(await Promise.all(opened));
}

function isSealed(value: StoredPayload): boolean {
  return Buffer.from(value.metadata?.['encoding'] ?? '', 'base64').toString() === 'binary/encrypted';
}

async function openPayload({ metadata = {}, data = '' }: StoredPayload): Promise<StoredPayload> {
  const { readingCodec } = await import('../../src/adapters/payloadCodec.js');
  const bytes = (text: string) => Buffer.from(text, 'base64');
  const fields = Object.entries(metadata).map(([name, text]) => [name, bytes(text)] as const);
  const [opened] = await readingCodec.decode([{ metadata: Object.fromEntries(fields), data: bytes(data) }]);
  const base64 = (content: Uint8Array | null | undefined) => Buffer.from(content ?? []).toString('base64');
  const names = Object.entries(opened?.metadata ?? {}).map(([name, content]) => [name, base64(content)] as const);
  return { metadata: Object.fromEntries(names), data: base64(opened?.data) };
}
