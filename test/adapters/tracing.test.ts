import { listen } from '../support/client';
import { cards, createShop, password, reaches, subscribe, type Shop } from '../support/factories';
import { type ChildApi, prepareApi } from '../support/startApi';
import { type CollectedSpan, startTraceCollector, type TraceCollector } from '../support/traceCollector';
import { until } from '../support/until';

let collector: TraceCollector;
let api: ChildApi;
let known: Shop;

beforeAll(async () => {
  collector = await startTraceCollector('Bearer of=the collector');
  api = await prepareApi();
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.address}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20of%3Dthe%20collector',
  };
  await api.start(settings);
  await api.startWorker(settings);
  known = await createShop(api);
});

afterAll(async () => {
  await api.stop();
  await collector.stop();
});

const purchases = () => collector.spans.filter(({ name }) => name === 'POST /subscriptions');
const of = ({ traceId }: CollectedSpan) => collector.spans.filter((span) => span.traceId === traceId);
const namesOf = (request: CollectedSpan) => of(request).map(({ service, name }) => `${service}: ${name}`);
const parentOf = ({ parentSpanId }: CollectedSpan) => collector.spans.find(({ spanId }) => spanId === parentSpanId);

async function buy(shop: Shop, number: string, status: 'active' | 'incomplete_expired'): Promise<CollectedSpan> {
  const before = purchases().length;
  const { body } = await subscribe(api, shop, number);
  await reaches(api, shop.consumer, body.subscription_id, status);
  await until(() => purchases().length > before);
  const [request] = purchases().slice(-1);
  if (!request) throw new Error('no span of the request');
  return request;
}

test('one trace per purchase: from the request through outbox, steps and provider to the event of the socket', async () => {
  const reader = await listen(api, known.consumer);
  const request = await buy(known, cards.success, 'active');
  await until(() => namesOf(request).includes('paywall-api: event subscribe.success'));
  reader.socket.terminate();
  expect(request.parentSpanId ?? '').toBe('');
  const start = await until(() => of(request).find(({ name }) => name === 'send start subscription'));
  expect(start.parentSpanId).toBe(request.spanId);
  const isCharge = ({ service, name }: CollectedSpan) => service === 'paywall-worker' && name === 'sandbox POST';
  const charge = await until(() => of(request).find(isCharge));
  // A span is sent after its parts, and may be sent a second later.
  const step = await until(() => parentOf(charge));
  expect(step.name).toMatch(/^step /);
  expect(parentOf(step)?.spanId).toBe(start.spanId);
});

test('a declined purchase has a trace up to its event too', async () => {
  const shop = await createShop(api);
  const reader = await listen(api, shop.consumer);
  const request = await buy(shop, cards.declined, 'incomplete_expired');
  await until(() => namesOf(request).includes('paywall-api: event subscribe.failed'));
  reader.socket.terminate();
});

test('a trace that a client names is linked, and not continued', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  await fetch(`${api.address}/health/live?lead=1`, { headers: { traceparent } });
  await fetch(`${api.address}/items/public/0?lead=1`, { headers: { traceparent: 'not a trace' } });
  const linked = () => collector.spans.filter(({ links }) => links.some((link) => link.traceId === traceId));
  await until(() => linked().length === 1);
  expect(linked()[0]?.traceId).not.toBe(traceId);
});

test('spans contain no address, name, password, card number or token', () => {
  const { email, token } = known.consumer;
  const received = collector.received.join('\n');
  expect(received).toContain('http.route');
  for (const secret of [email, token, password, cards.success, cards.declined, 'lead=1'])
    expect(received).not.toContain(secret);
});
