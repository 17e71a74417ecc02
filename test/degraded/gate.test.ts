import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { startGate } from './gate';

const text = async (socket: NodeJS.ReadableStream) => String((await once(socket, 'data'))[0]);

test('a closed gate accepts connections and passes nothing on, until it is open again', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('welcome');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const gate = await startGate((server.address() as AddressInfo).port);
  try {
    const first = connect(gate.port, '127.0.0.1');
    expect(await text(first)).toBe('welcome');
    gate.close();
    const second = connect(gate.port, '127.0.0.1');
    await once(second, 'connect');
    const arrives = text(second);
    expect(second.bytesRead).toBe(0);
    const breaks = once(first, 'close');
    gate.open();
    expect(await arrives).toBe('welcome');
    await breaks;
    second.destroy();
  } finally {
    await gate.stop();
    server.close();
  }
});
