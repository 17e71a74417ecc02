import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { logger } from './logger';

export interface ExporterSettings {
  serviceName: string;
  /** The collector's address for traces. */
  url: string;
  headers: Record<string, string>;
  /** The share of traces to record, from 0 to 1. */
  sampleRatio: number;
}

/** For this long the process waits for the collector when it ends. */
const stopWithinMs = 2_000;

/** Returns a function that sends the last spans and removes the exporter. */
export function startExporter({ serviceName, url, headers, sampleRatio }: ExporterSettings): () => Promise<void> {
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: stopWithinMs });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    // A span below a recorded one is recorded in every process, so that no trace has gaps.
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1_000 })],
  });
  trace.setGlobalTracerProvider(provider);
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return async () => {
    await provider.shutdown().catch((error: unknown) => {
      logger.warn({ reason: (error as Error).message }, 'the last spans were not sent');
    });
    trace.disable();
    propagation.disable();
    context.disable();
  };
}
