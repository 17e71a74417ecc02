import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const Attribute = z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) });
const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  links: z.array(z.object({ traceId: z.string() })).default([]),
  attributes: z.array(Attribute).default([]),
  status: z.object({ code: z.number().optional() }).optional(),
});
const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(Attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

export type CollectedSpan = z.output<typeof Span> & { service: string };

export interface TraceCollector {
  address: string;
  spans: CollectedSpan[];
  /** Everything that was received, as it was sent. */
  received: string[];
  stop(): Promise<void>;
}

/** Takes spans by OTLP over HTTP. */
export async function startTraceCollector(authorization?: string): Promise<TraceCollector> {
  const [spans, received]: [CollectedSpan[], string[]] = [[], []];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const isKnown = authorization === undefined || request.headers.authorization === authorization;
      if (request.url !== '/v1/traces' || !isKnown) return response.writeHead(401).end();
      received.push(body);
      for (const { resource, scopeSpans } of Export.parse(JSON.parse(body)).resourceSpans) {
        const named = resource.attributes.find(({ key }) => key === 'service.name')?.value['stringValue'];
        for (const scope of scopeSpans) spans.push(...scope.spans.map((span) => ({ ...span, service: String(named) })));
      }
      return response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    received,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
