import { readFileSync } from 'node:fs';
import { Connection, type ConnectionOptions } from '@temporalio/client';
import { call } from '../support/client';
import { createShop, reaches, subscribe } from '../support/factories';
import { startSecuredTemporal, type SecuredTemporal } from '../support/securedTemporal';
import { startApp, type TestApp } from '../support/startApp';

/** A Temporal server that requires TLS with its own name, a client certificate and an API key. */

let server: SecuredTemporal;
let app: TestApp;

beforeAll(async () => {
  server = await startSecuredTemporal();
  app = await startApp({ ...server.settings, TEMPORAL_ADDRESS: server.address });
});

afterAll(async () => {
  await app.stop();
  await server.stop();
});

/** A refused handshake is not repeated for long. */
async function connect(options: ConnectionOptions): Promise<void> {
  const connection = await Connection.connect({ address: server.address, connectTimeout: 1_000, ...options });
  await connection.close();
}

const fileOf = (name: string) => readFileSync(server.settings[name] ?? '');

function clientTls() {
  const pair = { crt: fileOf('TEMPORAL_TLS_CLIENT_CERT_PATH'), key: fileOf('TEMPORAL_TLS_CLIENT_KEY_PATH') };
  const name = server.settings['TEMPORAL_TLS_SERVER_NAME'] ?? '';
  return {
    serverRootCACertificate: fileOf('TEMPORAL_TLS_SERVER_CA_CERT_PATH'),
    serverNameOverride: name,
    clientCertPair: pair,
  };
}

test('subscribe.success: API and worker reach the server, and a purchase runs', async () => {
  await app.startWorker();
  expect((await call(app, 'GET', '/health/ready')).body).toMatchObject({ status: 'ready', temporal: 'up' });
  const shop = await createShop(app);
  const { status, body } = await subscribe(app, shop);
  expect(status).toBe(202);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  expect(server.refusals()).toBe(0);
});

test('the server refuses whoever has no certificate, knows no authority, or has no key', async () => {
  const apiKey = server.settings['TEMPORAL_API_KEY'] ?? '';
  const tls = clientTls();
  const { clientCertPair, ...withoutCertificate } = tls;
  const { serverRootCACertificate, ...withoutAuthority } = tls;
  expect([clientCertPair, serverRootCACertificate]).not.toContain(undefined);
  await expect(connect({ connectTimeout: 10_000, tls, apiKey })).resolves.toBeUndefined();
  await expect(connect({ tls: withoutCertificate, apiKey })).rejects.toThrow();
  await expect(connect({ tls: withoutAuthority, apiKey })).rejects.toThrow();
  await expect(connect({ tls: false })).rejects.toThrow();
  const before = server.refusals();
  await expect(connect({ tls })).rejects.toThrow();
  await expect(connect({ tls, apiKey: 'another-key' })).rejects.toThrow();
  expect(server.refusals()).toBeGreaterThan(before);
});
