import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { openBuyer } from './buyer';
import { inParallel } from './inParallel';
import { type Setting } from './parts';
import { type Line } from './table';

const purchases = 1_000;
const inFlight = 50;
const pollEveryMs = 50;

/** Measures how long it takes to start the runs of purchases that were made while Temporal was unavailable. */
export async function measureBacklog({ product, seeded, tell }: Setting): Promise<Line[]> {
  tell(`${purchases} purchases while Temporal hangs`);
  const buyer = await openBuyer(product, seeded);
  const database = new Client(product.databaseUrl);
  await database.connect();
  const isSent = async () =>
    (await database.query<{ isSent: boolean }>('SELECT NOT EXISTS (SELECT FROM outbox) AS "isSent"')).rows[0]?.isSent;
  try {
    process.kill(product.temporalPid, 'SIGSTOP');
    const submitted = await inParallel(purchases, inFlight, buyer.submit).finally(() =>
      process.kill(product.temporalPid, 'SIGCONT'),
    );
    tell('Temporal answers again');
    const beganAt = performance.now();
    const seconds = () => (performance.now() - beganAt) / 1000;
    while (!(await isSent())) await sleep(pollEveryMs);
    const sentAfter = seconds();
    await Promise.all(submitted.map(({ success }) => success));
    return [
      { what: `${purchases} waiting runs are started`, unit: 's', product: sentAfter, aim: { atMost: 60 } },
      { what: `${purchases} waiting purchases have their event`, unit: 's', product: seconds() },
    ];
  } finally {
    buyer.close();
    await database.end();
  }
}
