import { WebSocket } from 'ws';
import { listen, type Listening } from '../support/client';
import { createConsumer, createMerchant } from '../support/factories';
import { mqttAddress } from '../support/mqtt';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

const [perAccount, perAddress] = [3, 4];
let app: TestApp;

beforeAll(async () => {
  const limits = { SOCKETS_PER_ACCOUNT: String(perAccount), SOCKETS_PER_ADDRESS: String(perAddress) };
  app = await startApp({ ...limits, TRUSTED_PROXIES: 'loopback' });
});

afterAll(() => app.stop());

/** An anonymous socket, which waits for the answer to its first packet. */
function openStranger(address: string): Promise<WebSocket | number> {
  const headers = { 'X-Forwarded-For': address };
  const socket = new WebSocket(mqttAddress(app, 'no-token'), 'mqtt', { headers });
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('error', reject);
  });
}

const openStrangers = (count: number, address: string) =>
  Promise.all(Array.from({ length: count }, () => openStranger(address)));

test('an account keeps its newest sockets, and the oldest ends with 4429', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const other = await listen(app, await createConsumer(app, await createMerchant(app)));
  const sockets: Listening[] = [];
  for (let count = 0; count < perAccount + 2; count += 1) sockets.push(await listen(app, consumer));
  expect(await Promise.all(sockets.slice(0, 2).map(({ closed }) => closed))).toEqual([4429, 4429]);
  for (const { socket } of [...sockets.slice(2), other]) expect(socket.readyState).toBe(WebSocket.OPEN);
  // A socket that has ended makes room.
  await sockets[4]?.close();
  const next = await listen(app, consumer);
  expect(sockets[2]?.socket.readyState).toBe(WebSocket.OPEN);
  for (const { socket } of [...sockets, next, other]) socket.terminate();
});

test('429: one more socket without a token of one address, until another one ends', async () => {
  const address = '203.0.113.1';
  const open = (await openStrangers(perAddress, address)) as WebSocket[];
  expect(await openStranger(address)).toBe(429);
  const neighbour = (await openStranger('203.0.113.2')) as WebSocket;
  open[0]?.terminate();
  const next = await until(async () => {
    const opened = await openStranger(address);
    return typeof opened === 'number' ? undefined : opened;
  });
  for (const socket of [...open, next, neighbour]) socket.terminate();
});

test('viewers who are signed in are not limited by their address', async () => {
  const merchant = await createMerchant(app);
  const sockets: Listening[] = [];
  for (let count = 0; count < perAddress * 3; count += 1)
    sockets.push(await listen(app, await createConsumer(app, merchant)));
  for (const { socket } of sockets) expect(socket.readyState).toBe(WebSocket.OPEN);
  for (const { socket } of sockets) socket.terminate();
});

test('a message in many empty parts ends the socket', async () => {
  const { socket, closed } = await listen(app, await createConsumer(app, await createMerchant(app)));
  for (let count = 0; count < 5_000 && socket.readyState === WebSocket.OPEN; count += 1)
    socket.send('', { fin: false });
  expect(await closed).toBe(1008);
});
