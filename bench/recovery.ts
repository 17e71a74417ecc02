import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { config } from '../src/config';
import { openBuyer } from './buyer';
import { type Setting } from './parts';
import { median, type Line } from './table';

const rounds = 5;
const inFlight = 50;
/** The worker is killed after this many purchases have succeeded. */
const succeededBefore = 5;

/** Measures how long the last of the running purchases takes when one of two workers is killed. */
export async function measureRecovery({ product, seeded, tell }: Setting): Promise<Line[]> {
  tell(`${rounds} times: one of two workers is killed with ${inFlight} purchases under way`);
  const buyer = await openBuyer(product, seeded);
  const connection = await Connection.connect({ address: product.temporalAddress });
  let victim = product.workerPid;
  const took: number[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const other = await product.startWorker();
      await polls(connection, other.pid);
      took.push(await recoverySeconds(buyer.subscribe, () => process.kill(victim, 'SIGKILL')));
      victim = other.pid;
    }
  } finally {
    buyer.close();
    await connection.close();
  }
  const line = (what: string, product: number): Line => ({ what, unit: 's', product });
  return [
    line('A worker of two is killed: all is through, median', median(took)),
    { ...line('A worker of two is killed: all is through, at the latest', Math.max(...took)), aim: { atMost: 10 } },
  ];
}

async function recoverySeconds(subscribe: () => Promise<void>, kill: () => void): Promise<number> {
  let succeeded = 0;
  let killedAt: number | undefined;
  const one = async () => {
    await subscribe();
    succeeded += 1;
    if (succeeded !== succeededBefore) return;
    kill();
    killedAt = performance.now();
  };
  await Promise.all(Array.from({ length: inFlight }, one));
  return (performance.now() - (killedAt ?? performance.now())) / 1000;
}

/** Waits until a worker polls for workflow tasks. */
async function polls(connection: Connection, pid: number): Promise<void> {
  const request = {
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: { name: config.TEMPORAL_TASK_QUEUE },
    taskQueueType: 1,
  };
  for (;;) {
    const { pollers } = await connection.workflowService.describeTaskQueue(request);
    if (pollers.some(({ identity }) => identity === `${pid}@${hostname()}`)) return;
    await sleep(50);
  }
}
