import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { bareTaskQueue, bareWorkflowName } from './bare/names';
import { openBuyer } from './buyer';
import { inParallel } from './inParallel';
import { type Setting } from './parts';
import { type Line, median, percentile } from './table';
import { inTurn, timed } from './timed';

const sequential = 120;
/**
 * After the event the workflow still has work until it waits for its period. That work must not count for the other
 * side.
 */
const settleMs = 30;
const inFlight = 50;
const perRound = 100;
const rounds = 3;

/** Measures the time from the request to the event on a socket, and compares it with a bare workflow: A B A B. */
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
    const took = await inTurn(sequential, timedAlone(buyer.subscribe), timedAlone(runBare));
    tell(`${rounds} rounds of ${perRound}, ${inFlight} in flight`);
    const perSecond = await inTurn(rounds, throughput(buyer.subscribe), throughput(runBare));
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

type Work = () => Promise<unknown>;

const timedAlone = (work: Work) => async () => {
  const tookMs = await timed(work);
  await sleep(settleMs);
  return tookMs;
};

/** Runs per second. */
const throughput = (work: Work) => async () => {
  const tookMs = await timed(() => inParallel(perRound, inFlight, work));
  return (perRound * 1000) / tookMs;
};
