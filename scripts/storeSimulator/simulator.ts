import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Face, type FaceAnswer, type FaceRequest, type Sending } from './face';
import { type Market } from './market';
import { type MarketEvent } from './purchase';

/** How notifications reach the paywall: at once, never, twice, or stored until they are sent in any order. */
export const deliveries = ['at once', 'never', 'twice', 'kept'] as const;
export type Delivery = (typeof deliveries)[number];

/** How the stores' servers answer: normally, slowly, with errors, or not at all. */
export const healths = ['well', 'slow', 'failing', 'down'] as const;
export type Health = (typeof healths)[number];

type Answering = (request: FaceRequest) => Promise<FaceAnswer | undefined> | FaceAnswer | undefined;

const slowMs = 3_000;
const triesMax = 3;

/** One HTTP server for all stores. It delivers their notifications to the paywall. */
export class Simulator {
  url = '';
  /** The address of the paywall, without a path. */
  target = '';
  /** The paywall's answers, newest last. */
  readonly answers: { path: string; status: number }[] = [];
  private delivery: Delivery = 'at once';
  private health: Health = 'well';
  private readonly kept: Sending[] = [];
  private readonly running = new Set<Promise<void>>();
  private readonly overrides: Answering[] = [];
  private readonly server = createServer((request, response) => {
    void readRequest(request).then((received) => this.serve(received, response));
  });

  constructor(
    readonly market: Market,
    private readonly faces: readonly Face[],
  ) {
    // If a connection were closed while a client uses it again, the store would look unavailable.
    this.server.keepAliveTimeout = 0;
    market.onEvent((event) => this.notify(event));
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  setTarget(url: string): void {
    this.target = url;
  }

  setDelivery(delivery: Delivery): void {
    this.delivery = delivery;
  }

  setHealth(health: Health): void {
    this.health = health;
  }

  /** Called before the stores, whatever their health, for answers that no real store gives. */
  onRequest(answer: Answering): void {
    this.overrides.push(answer);
  }

  /** Sends the stored notifications in the order of `arrange`; by default in the order of the events. */
  async sendKept(arrange = (kept: Sending[]) => kept): Promise<void> {
    for (const sending of arrange(this.kept.splice(0))) await this.send(sending);
  }

  /** Resolves when all notifications have been answered. */
  async settled(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  /** The server does not keep the process running on its own. */
  unref(): void {
    this.server.unref();
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private notify(event: MarketEvent): void {
    const sending = this.faces.find(({ store }) => store === event.purchase.store)?.notify(event);
    if (!sending || this.delivery === 'never') return;
    if (this.delivery === 'kept') return void this.kept.push(sending);
    if (this.target === '') return;
    void this.send(sending);
    if (this.delivery === 'twice') void this.send(sending);
  }

  private send(sending: Sending): Promise<void> {
    const sent = deliver(this.target, sending, this.answers).finally(() => this.running.delete(sent));
    this.running.add(sent);
    return sent;
  }

  private async serve(request: FaceRequest, response: ServerResponse): Promise<void> {
    for (const override of this.overrides) {
      const answer = await override(request);
      if (answer) return write(response, answer);
    }
    if (this.health === 'down') return void response.destroy();
    if (this.health === 'failing') return write(response, { status: 503, body: { error: 'unavailable' } });
    if (this.health === 'slow') await new Promise((resolve) => setTimeout(resolve, slowMs));
    for (const face of this.faces) {
      const answer = face.answer(request);
      if (answer) return write(response, answer);
    }
    write(response, { status: 404, body: { error: 'no store answers here' } });
  }
}

export async function startSimulator(market: Market, faces: readonly Face[], port = 0): Promise<Simulator> {
  const simulator = new Simulator(market, faces);
  await simulator.listen(port);
  return simulator;
}

/** A store sends a notification again if the answer is not a success. */
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

function write(response: ServerResponse, { status, body, headers }: FaceAnswer): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'Content-Type': isText ? 'text/plain' : 'application/json', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
