import { readFileSync } from 'node:fs';
import { type TLSConfig } from '@temporalio/client';
import { config } from '../config';

/** How every connection to the Temporal server is secured: TLS, a client certificate, an API key. */
export function temporalSecurity(): { tls: TLSConfig | false; apiKey?: string } {
  const { TEMPORAL_API_KEY: apiKey } = config;
  return { tls: tlsOptions(), ...(apiKey !== undefined && { apiKey }) };
}

function tlsOptions(): TLSConfig | false {
  const authorities = read(config.TEMPORAL_TLS_SERVER_CA_CERT_PATH);
  const crt = read(config.TEMPORAL_TLS_CLIENT_CERT_PATH);
  const key = read(config.TEMPORAL_TLS_CLIENT_KEY_PATH);
  const { TEMPORAL_TLS_SERVER_NAME: serverName, TEMPORAL_API_KEY: apiKey } = config;
  // An API key over a plain connection could be read on the way.
  if (!config.TEMPORAL_TLS && !authorities && !crt && serverName === undefined && apiKey === undefined) return false;
  return {
    ...(authorities && { serverRootCACertificate: authorities }),
    ...(serverName !== undefined && { serverNameOverride: serverName }),
    ...(crt && key && { clientCertPair: { crt, key } }),
  };
}

const read = (path: string | undefined): Buffer | undefined => (path === undefined ? undefined : readFileSync(path));
