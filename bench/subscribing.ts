import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { bareTaskQueue, bareWorkflowName } from './bare/names';
import { openBuyer } from './buyer';
import { type Product } from './parts';
import { type Seeded } from './seed';
import { type Line, median, percentile } from './table';

const sequential = 120;
/** After the event the workflow goes on to sleep out its period: that must not fall on the other side's time. */
const settleMs = 30;
const inFlight = 50;
const perRound = 100;
const rounds = 3;

interface Setting {
  product: Product;
  seeded: Seeded;
  tell: (what: string) => void;
}

/** From the request to the event on a socket, beside starting a bare workflow and awaiting it: A B A B. */
export async function compareSubscribing({ product, seeded, tell }: Setting): Promise<Line[]> {
  const buyer = await openBuyer(product, seeded);
  const connection = await Connection.connect({ address: product.temporalAddress });
  const { workflow } = new Client({ connection });
  let started = 0;
  const runBare = () =>
    workflow.execute(bareWorkflowName, { workflowId: `bare-${(started += 1)}`, taskQueue: bareTaskQueue });
  try {
    tell(`warming up, then ${sequential} subscriptions and ${sequential} bare workflows in turn`);
    for (let n = 0; n < 30; n += 1) await Promise.all([buyer.subscribe(), runBare()]);
    const took = { product: [] as number[], bare: [] as number[] };
    for (let n = 0; n < sequential; n += 1) {
      took.product.push(await timed(buyer.subscribe));
      await sleep(settleMs);
      took.bare.push(await timed(runBare));
      await sleep(settleMs);
    }
    tell(`${rounds} rounds of ${perRound}, ${inFlight} in flight`);
    const perSecond = { product: [] as number[], bare: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      perSecond.product.push(await throughput(buyer.subscribe));
      perSecond.bare.push(await throughput(runBare));
    }
    const latency = (percent: number) => ({
      what: `Subscribe until the event, p${percent}`,
      unit: 'ms',
      product: percentile(took.product, percent),
      bare: percentile(took.bare, percent),
    });
    return [
      { ...latency(50), aim: { atMost: 1.5 } },
      latency(99),
      {
        what: `Subscriptions with ${inFlight} in flight`,
        unit: '/s',
        product: median(perSecond.product),
        bare: median(perSecond.bare),
      },
    ];
  } finally {
    buyer.close();
    await connection.close();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** A second. */
async function throughput(work: () => Promise<unknown>): Promise<number> {
  let left = perRound;
  const oneByOne = async () => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  const tookMs = await timed(() => Promise.all(Array.from({ length: inFlight }, oneByOne)));
  return (perRound * 1000) / tookMs;
}
