import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { subscriptionWorkflowId } from '../../workflows/messages';

export interface TemporalClient {
  client: Client;
  /** A subscription's history, as the Temporal UI exports it. */
  history: (subscriptionToken: string) => Promise<string>;
  close: () => Promise<void>;
}

/** Looks into the workflow server as an operator does. */
export async function connectTemporal(): Promise<TemporalClient> {
  const connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' });
  const client = new Client({ connection });
  return {
    client,
    history: async (token) =>
      historyToJSON(await client.workflow.getHandle(subscriptionWorkflowId(token)).fetchHistory()),
    close: () => connection.close(),
  };
}
