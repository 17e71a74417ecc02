import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Gauge } from 'prom-client';
import { config } from '../config';
import { processRegistry } from './processMetrics';

/** For the metrics: the certificates that a process has read at its start and uses until it ends. */

const files = { tls: config.TLS_CERT, temporal_client: config.TEMPORAL_TLS_CLIENT_CERT_PATH };

/** A file holds a chain. Its first certificate is the one of this service. */
export function gaugeCertificates(): void {
  const ends = Object.entries(files).flatMap(([certificate, path]) =>
    path === undefined ? [] : [{ certificate, endsAtMs: Date.parse(new X509Certificate(readFileSync(path)).validTo) }],
  );
  new Gauge({
    name: 'paywall_certificate_seconds_left',
    help: 'The time until a certificate of this process expires; alert below 1209600',
    labelNames: ['certificate'],
    registers: [processRegistry],
    collect() {
      for (const { certificate, endsAtMs } of ends) this.set({ certificate }, (endsAtMs - Date.now()) / 1000);
    },
  });
}
