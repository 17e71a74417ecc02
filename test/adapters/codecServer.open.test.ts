import express from 'express';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import type * as CodecServer from '../../src/adapters/codecServer';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp({ TEMPORAL_UI_URL: 'http://127.0.0.1:8233' })));
afterAll(() => app.stop());

const decode = (address: string, headers: Record<string, string> = {}) =>
  fetch(`${address}/codec/decode`, {
    method: 'POST',
    body: '{"payloads":[]}',
    headers: { 'Content-Type': 'application/json', ...headers },
  });

test('200: the test environment trusts this machine, and both names of its UI', async () => {
  expect((await decode(app.address)).status).toBe(200);
  for (const Origin of ['http://127.0.0.1:8233', 'http://localhost:8233'])
    expect((await decode(app.address, { Origin })).status).toBe(200);
});

test('403: but no other page', async () => {
  for (const Origin of ['http://localhost:8234', 'https://localhost:8233', 'null'])
    expect((await decode(app.address, { Origin })).status).toBe(403);
});

test('404: production without an OPERATOR_TOKEN has no codec server', async () => {
  let codecServer: typeof CodecServer | undefined;
  jest.isolateModules(() => {
    jest.doMock('../../src/config', () => ({
      config: {
        ENVIRONMENT: 'production',
        ENCRYPTION_KEY: Buffer.alloc(32),
        BASE_URL: 'https://x.test',
        DATABASE_URL: process.env['DATABASE_URL'],
        DATABASE_POOL: 1,
        LOG_LEVEL: 'silent',
      },
    }));
    codecServer = jest.requireActual<typeof CodecServer>('../../src/adapters/codecServer');
  });
  const server = express()
    .use(codecServer?.codecServer() ?? [])
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect((await decode(address)).status).toBe(404);
  expect((await fetch(`${address}/codec`)).status).toBe(404);
  server.close();
});
