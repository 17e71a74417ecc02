import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Connection } from '@temporalio/client';

/** How a connection to Temporal is secured, with single settings. */

let before: NodeJS.ProcessEnv;

beforeEach(() => {
  before = { ...process.env };
  jest.resetModules();
});

afterEach(() => {
  process.env = before;
});

async function securityWith(settings: Record<string, string>) {
  Object.assign(process.env, settings);
  return (await import('../../src/adapters/temporalServer.js')).temporalSecurity();
}

/** The first bytes that a client with these settings sends to a server. */
async function firstBytes(settings: Record<string, string>): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const connecting = Connection.connect({ address, connectTimeout: 1_000, ...(await securityWith(settings)) });
  const refused = expect(connecting).rejects.toThrow();
  const [socket] = await connected;
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  server.close();
  socket.destroy();
  await refused;
  return bytes;
}

const handshake = 0x16;

test('an API key alone turns on TLS: nobody on the way reads it', async () => {
  expect((await firstBytes({ TEMPORAL_API_KEY: 'a-key' }))[0]).toBe(handshake);
});

test('without a setting the connection is plain', async () => {
  expect((await firstBytes({})).toString()).toMatch(/^PRI \* HTTP\/2/);
});

test.each([
  { TEMPORAL_TLS: 'true' },
  { TEMPORAL_API_KEY: 'a-key' },
  { TEMPORAL_TLS_SERVER_NAME: 'temporal.example.org' },
  { TEMPORAL_TLS_SERVER_CA_CERT_PATH: __filename },
  { TEMPORAL_TLS_CLIENT_CERT_PATH: __filename, TEMPORAL_TLS_CLIENT_KEY_PATH: __filename },
])('%j turns on TLS', async (settings: Record<string, string>) => {
  expect((await securityWith(settings)).tls).not.toBe(false);
});
