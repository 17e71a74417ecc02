import { createHmac, randomUUID, webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import qs from 'qs';
import { type z } from 'zod';
import { type EventType } from '../../src/notifications/events';
import { type DeliveryPage, type DeliveryResponse } from '../../src/webhooks/deliveries.schemas';
import { type NewWebhookResponse } from '../../src/webhooks/webhooks.schemas';
import { call } from './client';
import { createMerchant, type Person } from './factories';
import { startApp, type TestApp } from './startApp';
import { until } from './until';

export type NewWebhook = z.output<typeof NewWebhookResponse>;
export type Delivery = z.output<typeof DeliveryResponse>;

export interface ReceivedWebhook {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A merchant's server on loopback that stores what it receives and answers as the test says. */
export interface Receiver {
  url: string;
  received: ReceivedWebhook[];
  answer: (response: ServerResponse, request: ReceivedWebhook) => void;
  stop: () => Promise<void>;
}

export const answering =
  (status: number, body = '') =>
  (response: ServerResponse) =>
    void response.writeHead(status).end(body);

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { headers, url = '' } = request;
      const webhook = { path: url, headers, body: Buffer.concat(parts).toString('utf8') };
      receiver.received.push(webhook);
      receiver.answer(response, webhook);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received: [],
    answer: answering(204),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return receiver;
}

type App = Pick<TestApp, 'address'>;

export async function createWebhook(
  app: App,
  merchant: Person,
  fields: Record<string, unknown> = {},
): Promise<NewWebhook> {
  const body = { url: 'https://hooks.example.org/in', ...fields };
  return (await call<NewWebhook>(app, 'POST', '/webhooks', body, merchant)).body;
}

/** The service with its worker. It may send webhooks to receivers on this machine. */
export async function startWebhookApp(): Promise<TestApp> {
  const app = await startApp({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  await app.startWorker();
  return app;
}

export interface ReceivingMerchant {
  receiver: Receiver;
  merchant: Person;
  /** Of the webhook. */
  id: number;
}

/** For one test: a new merchant with a webhook to a receiver of its own. */
export async function createReceivingMerchant(app: App): Promise<ReceivingMerchant> {
  const receiver = await startReceiver();
  const merchant = await createMerchant(app);
  const { id } = await createWebhook(app, merchant, { url: receiver.url });
  return { receiver, merchant, id };
}

export async function listDeliveries(app: App, merchant: Person, webhookId: number, state = ''): Promise<Delivery[]> {
  const path = `/webhooks/${webhookId}/deliveries?size=100&state=${state}`;
  return (await call<z.output<typeof DeliveryPage>>(app, 'GET', path, undefined, merchant)).body.collection;
}

/** Waits until a webhook has so many deliveries and none is pending. */
export function settledDeliveries(app: App, merchant: Person, webhookId: number, count: number): Promise<Delivery[]> {
  return until(async () => {
    const found = await listDeliveries(app, merchant, webhookId);
    return found.length === count && found.every(({ state }) => state !== 'pending') && found;
  });
}

/** Waits until an event was sent this many times. */
export function attempted(
  app: App,
  merchant: Person,
  webhookId: number,
  { event, attempts }: { event: number; attempts: number },
): Promise<Delivery> {
  return until(async () => {
    const found = (await listDeliveries(app, merchant, webhookId)).find(({ event_id: id }) => id === event);
    return found && found.attempts >= attempts && found;
  });
}

/** Events of the merchant's own account, each in a transaction of its own. */
export async function publishEvents(merchant: Person, types: EventType[]): Promise<void> {
  const { publish } = await import('../../src/notifications/publish.js');
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  for (const type of types) {
    const event = { type, accountId: merchant.id, dedupeKey: randomUUID(), resource: { item_id: 1 } };
    await transaction((inTransaction) => publish(inTransaction, merchant.id, [event as never]));
  }
}

/** The received events, in the order of arrival. */
export const eventsOf = ({ received }: Receiver): [number, string][] =>
  received.map(({ body }) => {
    const { id, type } = JSON.parse(body) as { id: number; type: string };
    return [id, type];
  });

/** Verifies Standard Webhooks with code of its own: whether one of the signatures was made with this secret. */
export async function isSigned({ headers, body }: ReceivedWebhook, secret: string): Promise<boolean> {
  const keyText = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(secret)?.[1] ?? '';
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await webcrypto.subtle.importKey('raw', Buffer.from(keyText, 'base64'), algorithm, false, ['verify']);
  const id = String(headers['webhook-id']);
  const timestamp = String(headers['webhook-timestamp']);
  const signed = new TextEncoder().encode([id, timestamp, body].join('.'));
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const signatures = String(headers['webhook-signature']).split(' ');
  const verdicts = signatures.map(async (signature) => {
    const [version, value = ''] = signature.split(',');
    return version === 'v1' && webcrypto.subtle.verify('HMAC', key, Buffer.from(value, 'base64'), signed);
  });
  return (await Promise.all(verdicts)).includes(true);
}

/** Verifies a request as older back ends of merchants do. */
export function isSignedForm({ headers, body }: ReceivedWebhook, secret: string): boolean {
  return headers['x-paywall-signature'] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

export const readForm = ({ body }: ReceivedWebhook) => qs.parse(body);

/** Publishes events about customers in one transaction, in the order of the list. */
export async function publishAbout(merchant: Person, accountIds: number[], type: EventType = 'access.revoked') {
  const { publish } = await import('../../src/notifications/publish.js');
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const events = accountIds.map((accountId) => {
    return { type, accountId, dedupeKey: randomUUID(), resource: { item_id: 1 } } as never;
  });
  await transaction((inTransaction) => publish(inTransaction, merchant.id, events));
}

/** Makes pending deliveries older by so many seconds, then wakes the run of the webhook. */
export async function letPass(app: TestApp, merchant: Person, webhookId: number, seconds: number): Promise<void> {
  await app.pool.query(
    `UPDATE webhook_deliveries SET next_attempt_at = next_attempt_at - make_interval(secs => $2),
       first_failed_at = first_failed_at - make_interval(secs => $2)
     WHERE endpoint_id = $1 AND state = 'pending'`,
    [webhookId, seconds],
  );
  await app.pool.query(
    `UPDATE webhook_outcomes SET hour_starts_at = hour_starts_at - make_interval(secs => $2) WHERE endpoint_id = $1`,
    [webhookId, seconds],
  );
  await call(app, 'PATCH', `/webhooks/${webhookId}`, { description: 'Some time has passed' }, merchant);
}

/** The workflow id of a webhook. */
export async function runOf(app: Pick<TestApp, 'pool'>, webhookId: number): Promise<string> {
  const text = 'SELECT token FROM webhook_endpoints WHERE id = $1';
  const { rows } = await app.pool.query<{ token: string }>(text, [webhookId]);
  return `webhook-endpoint-${rows[0]?.token ?? ''}`;
}
