import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { CommonHeaders } from '../../src/kit/headers';

const common = new CommonHeaders({ 'X-Common': 'one', 'Cache-Control': 'no-store' });

/** Everything that a server answers. The last request closes the connection. */
async function hear(answer: (request: IncomingMessage, response: ServerResponse) => void, ...requests: string[]) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(requests.join(''));
  let heard = '';
  for await (const chunk of socket.setEncoding('utf8') as AsyncIterable<string>) heard += chunk;
  server.close();
  return heard;
}

const get = (headers = '') => `GET / HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const last = get('Connection: close\r\n');

/** The first answer's head, line by line, without the time. */
const headOf = (heard: string) => (heard.split('\r\n\r\n')[0] ?? '').replace(/Date: .*/, 'Date: now').split('\r\n');

describe('an answer', () => {
  test('has the head that Node would give it', async () => {
    const own = { 'X-Own': 'two', 'Content-Type': 'application/json; charset=utf-8' };
    const body = '{"name":"Žaklina"}';
    const ours = await hear((_request, response) => common.send(response, 200, own, body), get(), last);
    const nodes = await hear(
      (_request, response) =>
        response.writeHead(200, { ...common.all, ...own, 'Content-Length': Buffer.byteLength(body) }).end(body),
      get(),
      last,
    );
    expect(headOf(ours)).toEqual(headOf(nodes));
    expect(headOf(ours)).toContain('Connection: keep-alive');
    expect(ours.replaceAll(/Date: .*/g, '')).toBe(nodes.replaceAll(/Date: .*/g, ''));
  });

  test('tells the time of the second', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    const heard = await hear((_request, response) => common.send(response, 200, {}, '{}'), get(), last);
    const told = Date.parse(/Date: (.*)/.exec(heard)?.[1] ?? '');
    expect(told).toBeGreaterThanOrEqual(before);
    expect(told).toBeLessThanOrEqual(Date.now());
  });

  test.each([
    ['asked to close', last],
    ['of HTTP/1.0', 'GET / HTTP/1.0\r\nHost: x\r\n\r\n'],
  ])('ends a connection that is %s', async (_what, request) => {
    const heard = await hear((_request, response) => common.send(response, 200, {}, '{}'), request);
    expect(headOf(heard)).toContain('Connection: close');
    expect(heard.endsWith('\r\n\r\n{}')).toBe(true);
  });

  test('may close the connection itself', async () => {
    const heard = await hear((_request, response) => common.send(response, 402, { Connection: 'close' }, '{}'), get());
    expect(headOf(heard)[0]).toBe('HTTP/1.1 402 Payment Required');
    expect(headOf(heard)).toContain('Connection: close');
  });

  test('to HEAD has no body, and its length', async () => {
    const heard = await hear(
      (_request, response) => common.send(response, 200, {}, '{"a":1}'),
      'HEAD / HTTP/1.1\r\nHost: x\r\n\r\n',
      last,
    );
    expect(headOf(heard)).toContain('Content-Length: 7');
    expect(heard.split('{"a":1}')).toHaveLength(2);
  });

  test('may have other values of the common headers', async () => {
    const heard = await hear(
      (_request, response) => common.send(response, 200, { 'cache-control': 'max-age=60' }, '{}'),
      last,
    );
    expect(headOf(heard).filter((line) => /cache-control/i.test(line))).toEqual(['cache-control: max-age=60']);
    expect(headOf(heard)).toContain('X-Common: one');
  });

  test('never has a header with a line of its own', async () => {
    const refusals: unknown[] = [];
    await hear((_request, response) => {
      try {
        common.send(response, 200, { 'X-Own': 'a\r\nSet-Cookie: b' }, '{}');
      } catch (error) {
        refusals.push(error);
        response.end();
      }
    }, last);
    expect(String(refusals[0])).toContain('X-Own');
  });
});
