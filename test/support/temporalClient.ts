import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { subscriptionWorkflowId } from '../../workflows/messages';

export interface TemporalClient {
  client: Client;
  /** A subscription's history, as the Temporal UI exports it. */
  history: (subscriptionToken: string) => Promise<string>;
  /** Of any workflow, by its id. */
  historyOf: (workflowId: string) => Promise<string>;
  close: () => Promise<void>;
}

/** Looks into the workflow server as an operator does. */
export async function connectTemporal(): Promise<TemporalClient> {
  const connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' });
  const client = new Client({ connection });
  const historyOf = async (workflowId: string) =>
    historyToJSON(await client.workflow.getHandle(workflowId).fetchHistory());
  return {
    client,
    history: (token) => historyOf(subscriptionWorkflowId(token)),
    historyOf,
    close: () => connection.close(),
  };
}
