import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { withClient } from '../database';
import { type Product } from '../parts';
import { type Cost, type Meter } from './costs';

export interface Rebuild {
  cost: Cost;
  /** How much Temporal's store and memory grow by one open run. */
  storeBytesOfEach: number;
  memoryBytesOfEach: number;
}

/**
 * Measures how fast the workers start runs that Temporal has lost, which they find in a round over all rows.
 */
export async function measureRebuild(
  product: Product,
  meter: Meter,
  { storeFile, forMs, atMost }: { storeFile: string; forMs: number; atMost: number },
): Promise<Rebuild> {
  const connection = await Connection.connect({ address: product.temporalAddress });
  const { workflow } = new TemporalClient({ connection });
  const countOpen = async () =>
    (await workflow.count(`WorkflowType = 'subscription' AND ExecutionStatus = 'Running'`)).count;
  try {
    const before = { open: await countOpen(), store: sizeOf(storeFile), memory: meter.temporalMb() };
    const cost = await meter.measure('Runs started again after the loss of Temporal', async () => {
      await beginRound(product.databaseUrl);
      let first: number | undefined;
      for (let opened = 0; ; await sleep(1_000)) {
        opened = (await countOpen()) - before.open;
        // The workers look every ten seconds: time counts from the first run.
        if (opened > 0) first ??= performance.now();
        if (opened >= atMost || (first !== undefined && performance.now() - first > forMs)) return opened;
      }
    });
    await holdRounds(product.databaseUrl);
    await sleep(15_000);
    const opened = (await countOpen()) - before.open;
    return {
      cost,
      storeBytesOfEach: (sizeOf(storeFile) - before.store) / opened,
      memoryBytesOfEach: ((meter.temporalMb() - before.memory) * 2 ** 20) / opened,
    };
  } finally {
    await connection.close();
  }
}

/** With the journal that is not yet written into it. */
const sizeOf = (file: string) =>
  [file, `${file}-wal`].reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);

/** The workers look at all rows when half an hour has passed since the start of the last round. */
const setRound = (at: 'infinity' | '-infinity') => (databaseUrl: string) =>
  withClient(databaseUrl, (client) =>
    client.query(
      `INSERT INTO run_rounds (workflow, began_at) VALUES ('subscription', $1)
       ON CONFLICT (workflow) DO UPDATE SET after_id = 0, began_at = excluded.began_at`,
      [at],
    ),
  );
/** From now on workers start only runs that are overdue. */
export const holdRounds = setRound('infinity');
const beginRound = setRound('-infinity');
