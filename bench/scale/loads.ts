import { openBuyer } from '../buyer';
import { inParallel } from '../inParallel';
import { Loader } from '../load';
import { type Product } from '../parts';
import { seed } from '../seed';
import { openSockets } from '../sockets';
import { measureWebhooks, webhookEvents } from '../webhooks';
import { type Cost, type Meter } from './costs';
import { openSubscribers, type Subscribers } from './subscribers';

interface Setting {
  product: Product;
  meter: Meter;
  subscribers: Subscribers;
  tell: (what: string) => void;
}

const connections = 64;
const warmUpSeconds = 4;
const checkSeconds = 15;
const viewers = 10_000;

/** Access checks by many customers of the large merchant. */
export async function measureChecks({ product, meter, subscribers }: Setting): Promise<Cost> {
  const requests = (await openSubscribers(product, subscribers, viewers)).map(
    ({ itemId, token }) =>
      `GET /items/${itemId}/access HTTP/1.1\r\nHost: bench.test\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  const loader = new Loader({ port: product.apiPort, connections, requests });
  await loader.run({ seconds: warmUpSeconds, answersAtLeast: viewers });
  try {
    return await meter.measure('Access checks', async () => (await loader.run({ seconds: checkSeconds })).answers);
  } finally {
    loader.stop();
  }
}

const purchases = 600;
const warmUps = 100;
const inFlight = 50;

/** Purchases with a new card, from the request to the event and the work that follows. */
export async function measurePurchases({ product, meter }: Setting): Promise<Cost> {
  const buyer = await openBuyer(product, await seed(product.databaseUrl, 'purchases', purchases + warmUps));
  await inParallel(warmUps, inFlight, buyer.subscribe);
  try {
    return await meter.measure(
      'Purchases',
      async () => (await inParallel(purchases, inFlight, buyer.subscribe)).length,
    );
  } finally {
    buyer.close();
  }
}

export async function measureDeliveries({ product, meter, tell }: Setting): Promise<Cost> {
  const seeded = await seed(product.databaseUrl, 'webhooks');
  return meter.measure('Webhook events', async () => {
    await measureWebhooks({ product, seeded, tell });
    return webhookEvents;
  });
}

export interface SocketCosts {
  memoryKb: number;
  /** Events that one API hands to sockets in a second. */
  perSecond: number;
}

export async function measureSocketEvents({ product, tell }: Setting): Promise<SocketCosts> {
  const seeded = await seed(product.databaseUrl, 'sockets', 1);
  const { sockets, kilobytesOfEach, reachedMs } = await openSockets({ product, seeded, tell });
  return { memoryKb: kilobytesOfEach, perSecond: (sockets * 1000) / reachedMs };
}
