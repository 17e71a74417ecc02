import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { get } from 'node:https';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { WebSocket, WebSocketServer } from 'ws';
import { provideTls } from '../../scripts/launcher/tls';
import { createHttpServer } from '../../src/kit/server';

const folder = mkdtempSync(join(tmpdir(), 'paywall-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a certificate for this machine, made once, with a key that only its owner reads', () => {
  const files = provideTls({ DATA_DIR: folder });
  const first = readFileSync(files['TLS_CERT'] ?? '', 'utf8');
  expect(statSync(files['TLS_KEY'] ?? '').mode & 0o077).toBe(0);
  expect(provideTls({ DATA_DIR: folder })).toEqual(files);
  expect(readFileSync(files['TLS_CERT'] ?? '', 'utf8')).toBe(first);
  expect(provideTls({ DATA_DIR: folder, TLS_CERT: '/etc/own.pem' })).toEqual({});
});

test('clients that trust the certificate speak https and wss', async () => {
  const { TLS_CERT = '', TLS_KEY = '' } = provideTls({ DATA_DIR: folder });
  const ca = readFileSync(TLS_CERT);
  const app = express().get('/', (request, response) => void response.json({ secure: request.secure }));
  const server = createHttpServer(app, { cert: ca, key: readFileSync(TLS_KEY) }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => socket.send('welcome'));
  const body = await new Promise<string>((resolve, reject) =>
    get(`https://localhost:${port}/`, { ca }, (response) =>
      response.on('data', (chunk: Buffer) => resolve(String(chunk))),
    ).on('error', reject),
  );
  expect(JSON.parse(body)).toEqual({ secure: true });
  const socket = new WebSocket(`wss://127.0.0.1:${port}/`, { ca });
  const [heard] = (await once(socket, 'message')) as [Buffer];
  expect(heard.toString()).toBe('welcome');
  socket.terminate();
  sockets.close();
  server.closeAllConnections();
  server.close();
});
