import { connect, type Socket } from 'node:net';

export interface Load {
  port: number;
  connections: number;
  seconds: number;
  /** Goes on beyond `seconds` until there were so many. */
  answersAtLeast?: number;
  /** Whole requests, sent in turn. */
  requests: string[];
}

export interface LoadResult {
  answers: number;
  failures: number;
  firstFailure: string;
  seconds: number;
  /** Of an answer, in milliseconds. */
  p50: number;
  p99: number;
}

/**
 * A process of its own, so that it takes no turn of the server's event loop. Plain sockets and one look at each answer:
 * Node's HTTP client would cost more than the server it measures.
 */
process.once('message', (load: Load) => {
  const result: LoadResult = { answers: 0, failures: 0, firstFailure: '', seconds: 0, p50: 0, p99: 0 };
  const took: number[] = [];
  const began = performance.now();
  const endsAt = began + load.seconds * 1000;
  const requests = load.requests.map((text) => Buffer.from(text, 'latin1'));
  let next = 0;
  const open = () => {
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      socket.write(requests[(next += 1) % requests.length] ?? '');
    };
    const socket = connectReading(load.port, (status, answer) => {
      took.push(performance.now() - sentAt);
      result.answers += 1;
      if (status !== '200') {
        result.failures += 1;
        result.firstFailure ||= answer();
      }
      if (performance.now() < endsAt || result.answers < (load.answersAtLeast ?? 0)) send();
      else socket.end();
    });
    socket.on('connect', send);
    return new Promise((resolve) => socket.on('close', resolve));
  };
  void Promise.all(Array.from({ length: load.connections }, open)).then(() => {
    result.seconds = (performance.now() - began) / 1000;
    took.sort((a, b) => a - b);
    result.p50 = took[Math.floor(took.length * 0.5)] ?? 0;
    result.p99 = took[Math.floor(took.length * 0.99)] ?? 0;
    process.send?.(result, () => process.exit(0));
  });
});

const readMax = 64 * 1024;

/** Calls back for each whole answer, by its Content-Length. All sockets read into one place, and copy only what is cut. */
const shared = Buffer.allocUnsafe(readMax);

function connectReading(port: number, answered: (status: string, answer: () => string) => void): Socket {
  let pending: Buffer | undefined;
  const callback = (size: number) => {
    const chunk = shared.subarray(0, size);
    const received = pending ? Buffer.concat([pending, chunk]) : chunk;
    const length = answerLength(received);
    if (length === undefined || received.length < length) pending = pending ? received : Buffer.from(chunk);
    else {
      pending = undefined;
      answered(received.toString('latin1', 9, 12), () => received.toString('latin1', 0, length));
    }
    return true;
  };
  return connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer: shared, callback } });
}

/** Of head and body; undefined while the head is not whole. One request is under way at a time, so nothing follows it. */
function answerLength(received: Buffer): number | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const head = received.toString('latin1', 0, headEnd);
  const [, length] = /content-length: (\d+)/i.exec(head) ?? [];
  return headEnd + 4 + Number(length);
}
