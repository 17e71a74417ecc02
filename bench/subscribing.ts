import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { WebSocket } from 'ws';
import { bareTaskQueue, bareWorkflowName } from './bare/names';
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

interface Buyer {
  /** Resolves when the socket has heard of the success. */
  subscribe: () => Promise<void>;
  close: () => void;
}

/** The merchant's socket hears the events of all its customers; each subscription is another customer's. */
async function openBuyer({ apiPort }: Product, { merchant, subscribers, feeId }: Seeded): Promise<Buyer> {
  const heard = new Map<string, () => void>();
  const early = new Set<string>();
  const socket = new WebSocket(`ws://127.0.0.1:${apiPort}/notifications?merchant_uuid=${merchant.uuid}`, {
    headers: { Authorization: `Bearer ${merchant.token}` },
  });
  socket.on('message', (text: Buffer) => {
    const { type, resource } = JSON.parse(text.toString()) as { type: string; resource: { subscription_id: string } };
    if (type !== 'subscribe.success') return;
    const resolve = heard.get(resource.subscription_id);
    if (resolve) resolve();
    else early.add(resource.subscription_id);
  });
  await once(socket, 'open');
  const agent = new Agent({ keepAlive: true });
  const form = `access_fee=${feeId}&payment_method=1&number=4242424242424242&card_name=B&exp_month=2&exp_year=2040&cvv=123`;
  let next = 0;
  return {
    subscribe: async () => {
      const token = subscribers[(next += 1)] ?? '';
      const { subscription_id: id } = await postForm({ agent, port: apiPort, path: '/subscriptions', form, token });
      await new Promise<void>((resolve) => (early.delete(id) ? resolve() : heard.set(id, resolve)));
    },
    close: () => {
      socket.close();
      agent.destroy();
    },
  };
}

interface Post {
  agent: Agent;
  port: number;
  path: string;
  form: string;
  token: string;
}

async function postForm({ agent, port, path, form, token }: Post): Promise<{ subscription_id: string }> {
  const sending = request({
    agent,
    port,
    path,
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': Buffer.byteLength(form),
    },
  });
  sending.end(form);
  const [response] = (await once(sending, 'response')) as [AsyncIterable<Buffer> & { statusCode: number }];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  if (response.statusCode !== 202) throw new Error(`POST ${path} answered ${response.statusCode}: ${text}`);
  return JSON.parse(text) as { subscription_id: string };
}
