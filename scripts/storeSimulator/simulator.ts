import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Face, type FaceAnswer, type FaceRequest, type Sending } from './face';
import { Market } from './market';

/** How notifications reach the paywall: as they happen, not at all, twice, or kept until they are sent in any order. */
export type Delivery = 'at once' | 'never' | 'twice' | 'kept';

/** How the stores' servers answer: as they should, late, with errors, or not at all. */
export type Health = 'well' | 'slow' | 'failing' | 'down';

type Answering = (request: FaceRequest) => Promise<FaceAnswer | undefined> | FaceAnswer | undefined;

export interface Simulator {
  url: string;
  market: Market;
  /** Where the paywall listens: its address, without a path. */
  setTarget(url: string): void;
  readonly target: string;
  setDelivery(delivery: Delivery): void;
  setHealth(health: Health): void;
  /** Sends what was kept, in the order given by `arrange`; by default as it happened. */
  sendKept(arrange?: (kept: Sending[]) => Sending[]): Promise<void>;
  /** Resolves when all that was sent has been answered. */
  settled(): Promise<void>;
  /** Asked before the stores are, whatever their health: for what no real store has. */
  onRequest(answer: Answering): void;
  /** What the paywall answered, newest last. */
  answers: { path: string; status: number }[];
  stop(): Promise<void>;
  /** It alone no longer keeps the process running. */
  unref(): void;
}

const slowMs = 3_000;
const triesMax = 3;

export async function startSimulator(
  faces: (market: Market, url: () => string) => Face[],
  port = 0,
): Promise<Simulator> {
  const market = new Market();
  let url = '';
  let target = '';
  let delivery: Delivery = 'at once';
  let health: Health = 'well';
  const kept: Sending[] = [];
  const answers: { path: string; status: number }[] = [];
  const running = new Set<Promise<void>>();
  const besides: Answering[] = [];
  const known = faces(market, () => url);

  const send = (sending: Sending) => {
    const sent = deliver(target, sending, answers).finally(() => running.delete(sent));
    running.add(sent);
    return sent;
  };
  market.onEvent((event) => {
    const sending = known.find(({ store }) => store === event.purchase.store)?.notify(event);
    if (!sending || delivery === 'never' || (target === '' && delivery !== 'kept')) return;
    if (delivery === 'kept') return void kept.push(sending);
    void send(sending);
    if (delivery === 'twice') void send(sending);
  });

  const server = createServer((request, response) => {
    void readRequest(request).then(async (asked) => {
      for (const one of besides) {
        const answer = await one(asked);
        if (answer) return write(response, answer.status, answer.body, answer.headers);
      }
      if (health === 'down') return request.socket.destroy();
      if (health === 'failing') return write(response, 503, { error: 'unavailable' });
      if (health === 'slow') await new Promise((resolve) => setTimeout(resolve, slowMs));
      for (const face of known) {
        const answer = face.answer(asked);
        if (answer) return write(response, answer.status, answer.body, answer.headers);
      }
      write(response, 404, { error: 'no store answers here' });
    });
  });
  // A connection that is closed while somebody uses it again would look as if the store were down.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    market,
    answers,
    onRequest: (answer) => void besides.push(answer),
    setTarget: (to) => void (target = to),
    get target() {
      return target;
    },
    setDelivery: (to) => void (delivery = to),
    setHealth: (to) => void (health = to),
    sendKept: async (arrange = (all) => all) => {
      for (const sending of arrange(kept.splice(0))) await send(sending);
    },
    settled: async () => {
      while (running.size > 0) await Promise.all(running);
    },
    unref: () => void server.unref(),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Stores try again when the answer is no success. */
async function deliver(target: string, sending: Sending, answers: Simulator['answers']): Promise<void> {
  const { path, headers, body } = sending;
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const answer = await fetch(`${target}${path}`, { method: 'POST', headers, body }).catch(() => undefined);
    answers.push({ path, status: answer?.status ?? 0 });
    if (answer?.ok) return;
  }
}

async function readRequest(request: IncomingMessage): Promise<FaceRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://store');
  const { method = 'GET', headers } = request;
  return { method, path: pathname, query: searchParams, headers, body: Buffer.concat(chunks).toString('utf8') };
}

function write(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'Content-Type': isText ? 'text/plain' : 'application/json', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
