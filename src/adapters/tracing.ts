import { config } from '../config';
import { lazily } from '../kit/lazily';
import { setTracing } from '../kit/tracing';
import type * as ExporterModule from './traceExporter';

const exporterModule = lazily<typeof ExporterModule>(require, './traceExporter');

/**
 * Starts to send the spans of this process to a collector, if the settings name one. Returns a function that sends the
 * last spans and stops.
 */
export function startTracing(serviceName: string): () => Promise<void> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return () => Promise.resolve();
  const stop = exporterModule().startExporter({
    serviceName,
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    sampleRatio: config.TRACE_SAMPLE_RATIO,
  });
  setTracing(true);
  return async () => {
    setTracing(false);
    await stop();
  };
}
