import { type IncomingMessage } from 'node:http';
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Link,
  type Span,
} from '@opentelemetry/api';

/**
 * Spans of OpenTelemetry. Without an exporter no span is created, and nothing here costs time. Attributes contain ids and
 * states only: no address, name, card or token.
 */

/** The position in a trace, as the header `traceparent` of W3C Trace Context. */
export type TraceParent = string;

interface SpanFacts {
  name: string;
  kind?: SpanKind;
  attributes?: Attributes;
  links?: Link[];
}

const tracer = trace.getTracer('paywall');

let isOn = false;

/** Called once an exporter is registered. */
export function setTracing(to: boolean): void {
  isOn = to;
}

export const isTracing = (): boolean => isOn;

/** Runs the work in a span below the active span. */
export function inSpan<T>(facts: SpanFacts, work: (span?: Span) => Promise<T>): Promise<T> {
  return isOn ? run(context.active(), facts, work) : work();
}

/** Runs the work in a span below the one that another process has stored. Without one, a new trace begins. */
export function continueTrace<T>(
  parent: TraceParent | null | undefined,
  facts: SpanFacts,
  work: (span?: Span) => Promise<T>,
): Promise<T> {
  return isOn ? run(contextOf(parent), facts, work) : work();
}

/** Records that something has happened, in the trace that another process has stored. */
export function recordSpan(parent: TraceParent | null | undefined, { name, ...facts }: SpanFacts): void {
  if (isOn && parent) tracer.startSpan(name, facts, contextOf(parent)).end();
}

/** A request to a payment provider. Its address is left out: it may name a card or a customer. */
export const providerSpan = (provider: string, method: string): SpanFacts => ({
  name: `${provider} ${method}`,
  kind: SpanKind.CLIENT,
  attributes: { 'http.request.method': method, 'paywall.provider': provider },
});

/** The active span, to be stored for another process. Null outside a trace. */
export function currentTrace(): TraceParent | null {
  if (!isOn) return null;
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

/** The fields of a log line that is written inside a span. */
export function traceIds(): { trace_id?: string; span_id?: string } {
  const active = isOn ? trace.getSpanContext(context.active()) : undefined;
  return active ? { trace_id: active.traceId, span_id: active.spanId } : {};
}

/**
 * Runs the handling of a request in a span. The span begins a trace: a client cannot decide what is recorded. A trace
 * that the client names is linked.
 */
export function traceRequest(
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  response: { statusCode: number },
  route: string,
  handle: () => Promise<void>,
): Promise<void> {
  if (!isOn) return handle();
  const method = request.method ?? '';
  const attributes = { 'http.request.method': method, 'http.route': route };
  const { traceparent } = request.headers;
  const caller = typeof traceparent === 'string' ? trace.getSpanContext(contextOf(traceparent)) : undefined;
  const links = caller ? [{ context: caller }] : [];
  const facts = { name: `${method} ${route}`, kind: SpanKind.SERVER, attributes, links };
  return run(ROOT_CONTEXT, facts, async (span) => {
    await handle();
    span.setAttribute('http.response.status_code', response.statusCode);
    if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  });
}

const contextOf = (parent: TraceParent | null | undefined): Context =>
  parent ? propagation.extract(ROOT_CONTEXT, { traceparent: parent }) : ROOT_CONTEXT;

function run<T>(parent: Context, { name, ...options }: SpanFacts, work: (span: Span) => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(name, options, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      // The message is left out: it may contain personal data.
      span.setAttribute('error.type', typeOf(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

function typeOf(error: unknown): string {
  const { code, type, name } = error as { code?: unknown; type?: unknown; name?: unknown };
  return [code, type, name].find((each): each is string => typeof each === 'string') ?? 'unknown';
}
