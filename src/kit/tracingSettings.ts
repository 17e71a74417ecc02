import { z } from 'zod';
import { readHeaders } from './settings';

/** The collector of OpenTelemetry. Other programs read the same names. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe('The address of a collector that takes traces by OTLP over HTTP. Without one, no traces are recorded.'),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .default('')
    .transform(readHeaders)
    .describe('Headers for the collector: `name=value` pairs with commas between them, percent-encoded.'),
  TRACE_SAMPLE_RATIO: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('The share of requests whose traces are recorded, from 0 to 1.'),
};
