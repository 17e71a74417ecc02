import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { config } from '../src/config';
import { openBuyer } from './buyer';
import { type Product, type Setting } from './parts';
import { median, type Line } from './table';

const rounds = 5;
const inFlight = 50;
/** The processes are killed after this many purchases have succeeded. */
const succeededBefore = 5;

/** Measures how long the last of the running purchases takes when workers are killed, and how long an API is away. */
export async function measureRecovery({ product, seeded, tell }: Setting): Promise<Line[]> {
  const buyer = await openBuyer(product, seeded);
  const connection = await Connection.connect({ address: product.temporalAddress });
  const startWorker = async () => {
    const { pid } = await product.startWorker();
    await polls(connection, pid);
    return pid;
  };
  let last = product.workerPid;
  const one: number[] = [];
  const both: number[] = [];
  try {
    tell(`${rounds} times: one of two workers is killed with ${inFlight} purchases under way`);
    for (let round = 0; round < rounds; round += 1) {
      const other = await startWorker();
      one.push(await recoverySeconds(buyer.subscribe, () => process.kill(last, 'SIGKILL')));
      last = other;
    }
    tell(`${rounds} times: both workers are killed, and another one is started at once`);
    for (let round = 0; round < rounds; round += 1) {
      const victims = [last, await startWorker()];
      let next: Promise<number> | undefined;
      const killBoth = () => {
        for (const pid of victims) process.kill(pid, 'SIGKILL');
        next = startWorker();
      };
      both.push(await recoverySeconds(buyer.subscribe, killBoth));
      last = (await next) ?? last;
    }
  } finally {
    buyer.close();
    await connection.close();
  }
  tell(`${rounds} times: the API is killed, and started again at once`);
  const api = await restartSeconds(product);
  const line = (what: string, product: number): Line => ({ what, unit: 's', product });
  return [
    line('A worker of two is killed: all is through, median', median(one)),
    { ...line('A worker of two is killed: all is through, at the latest', Math.max(...one)), aim: { atMost: 10 } },
    line('Both workers are killed: all is through, median', median(both)),
    { ...line('Both workers are killed: all is through, at the latest', Math.max(...both)), aim: { atMost: 20 } },
    line('The API is killed and started: it is ready, median', median(api)),
    { ...line('The API is killed and started: it is ready, at the latest', Math.max(...api)), aim: { atMost: 10 } },
  ];
}

async function restartSeconds(product: Product): Promise<number[]> {
  const took: number[] = [];
  for (let round = 0, pid = product.apiPid; round < rounds; round += 1) {
    const killedAt = performance.now();
    process.kill(pid, 'SIGKILL');
    pid = (await product.startApi()).pid;
    took.push((performance.now() - killedAt) / 1000);
  }
  return took;
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
