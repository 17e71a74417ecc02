import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import WebSocket from 'ws';
import { findFreePort } from '../../scripts/embedded/ports';
import { registration } from '../support/factories';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { until } from '../support/until';

/** What `npm start -- --tls` runs, with the database and the Temporal server of the tests. */

const folder = mkdtempSync(join(tmpdir(), 'paywall-launch-'));
let database: TestDatabase;

beforeAll(async () => (database = await createTestDatabase()));
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** The status of an answer to a client that trusts the certificate only. */
const statusAt = (url: string, ca: Buffer) =>
  new Promise<number | undefined>((answer) => {
    get(url, { ca }, (response) => {
      response.resume();
      answer(response.statusCode);
    }).on('error', () => answer(undefined));
  });

interface Registered {
  access_token: string;
  account: { uuid: string };
}

/** Registers a merchant over https. */
const register = (address: string, ca: Buffer) =>
  new Promise<Registered>((answer, fail) => {
    const headers = { 'Content-Type': 'application/json' };
    const sent = request(`${address}/accounts`, { ca, method: 'POST', headers }, (response) => {
      let text = '';
      response.on('data', (part: Buffer) => (text += String(part)));
      response.on('end', () => answer(JSON.parse(text) as Registered));
    });
    sent.on('error', fail).end(JSON.stringify(registration('merchant', 'platform')));
  });

/** The code with which a socket ends, or its error. The client sends a ping, and leaves after the answer if it may stay. */
const endOfSocket = (url: string, { ca, token, stays }: { ca?: Buffer; token: string; stays?: true }) =>
  new Promise<number | string>((answer) => {
    const socket = new WebSocket(url, { ...(ca && { ca }), headers: { Authorization: `Bearer ${token}` } });
    if (stays) socket.on('open', () => socket.ping()).on('pong', () => socket.close(1000));
    socket.on('close', answer).on('error', ({ message }) => answer(message));
  });

test('npm start -- --tls: the pages, the API and the sockets speak https with a certificate of this machine', async () => {
  const [port, tlsPort] = [await findFreePort(), await findFreePort()];
  const launcher = resolve(__dirname, '../../dist/scripts/launch.js');
  const environment = Object.entries(process.env).filter(([name]) => name !== 'BASE_URL');
  const running = spawn(process.execPath, [launcher, '--tls'], {
    env: {
      ...Object.fromEntries(environment),
      ...{ DATABASE_URL: database.url, DATA_DIR: folder, PORT: String(port), TLS_PORT: String(tlsPort) },
      ...{ METRICS_PORT: '0', STORE_SIMULATOR: 'off', SANDBOX_API_BASE: process.env['TEST_PAYMENT_SIMULATOR'] },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(running, 'exit');
  let printed = '';
  for (const stream of [running.stdout, running.stderr]) stream.on('data', (text: Buffer) => (printed += String(text)));
  const address = `https://127.0.0.1:${tlsPort}`;
  await until(() => {
    if (running.exitCode !== null) throw new Error(`the launcher ended: ${printed}`);
    return printed.includes(address);
  });
  const ca = readFileSync(join(folder, 'tls', 'certificate.pem'));
  expect(await statusAt(`${address}/health/live`, ca)).toBe(200);
  expect(await statusAt(`${address}/console/sign-in`, ca)).toBe(200);
  const { access_token: token, account } = await register(address, ca);
  const channel = `${address.replace('https', 'wss')}/notifications?merchant_uuid=${account.uuid}`;
  expect(await endOfSocket(channel, { ca, token, stays: true })).toBe(1000);
  expect(await endOfSocket(channel, { ca, token: 'nobody' })).toBe(4401);
  // A client that does not know the certificate does not connect.
  expect(await endOfSocket(channel, { token })).toMatch(/self-signed/);
  running.kill('SIGTERM');
  expect((await ended)[0]).toBe(0);
});
