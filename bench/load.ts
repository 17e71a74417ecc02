import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Load {
  port: number;
  connections: number;
  /** Whole HTTP requests, sent in turn. */
  requests: string[];
}

export interface Round {
  seconds: number;
  /** The round continues after `seconds` until this many answers have arrived. */
  answersAtLeast?: number;
}

export interface LoadResult {
  answers: number;
  failures: number;
  firstFailure: string;
  seconds: number;
  /** The latency of an answer, in milliseconds. */
  p50: number;
  p99: number;
}

/** The load generator. It runs in a process of its own, so that it does not use the server's event loop. */
export class Loader {
  private readonly child: ChildProcess = fork(__filename);

  constructor(load: Load) {
    this.child.send(load);
  }

  /** Throws if an answer is not 200. */
  async run(round: Round): Promise<LoadResult> {
    this.child.send(round);
    const [result] = (await once(this.child, 'message')) as [LoadResult];
    if (result.failures > 0) throw new Error(`${result.failures} answers were not 200: ${result.firstFailure}`);
    return result;
  }

  stop(): void {
    this.child.disconnect();
  }
}

/**
 * The code of the child process. One process serves all rounds, so that its start and compilation do not use the
 * processors while a server is measured. It uses plain sockets and examines each answer once, because Node's HTTP
 * client would cost more than the server.
 */
if (require.main === module)
  process.once('message', ({ port, connections, requests: texts }: Load) => {
    const requests = texts.map((text) => Buffer.from(text, 'latin1'));
    let next = 0;
    const nextRequest = () => requests[(next += 1) % requests.length] ?? Buffer.alloc(0);
    process.on('message', (round: Round) => {
      void runRound(port, connections, nextRequest, round).then((result) => process.send?.(result));
    });
  });

async function runRound(port: number, connections: number, nextRequest: () => Buffer, round: Round) {
  const { seconds, answersAtLeast = 0 } = round;
  const result: LoadResult = { answers: 0, failures: 0, firstFailure: '', seconds: 0, p50: 0, p99: 0 };
  const took: number[] = [];
  const began = performance.now();
  const endsAt = began + seconds * 1000;
  const open = () => {
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      socket.write(nextRequest());
    };
    const socket = connectReading(port, (isFine, answer) => {
      const at = performance.now();
      took.push(at - sentAt);
      result.answers += 1;
      if (!isFine) {
        result.failures += 1;
        result.firstFailure ||= answer();
      }
      if (at < endsAt || result.answers < answersAtLeast) send();
      else socket.end();
    });
    socket.on('connect', send);
    return new Promise((resolve) => socket.on('close', resolve));
  };
  await Promise.all(Array.from({ length: connections }, open));
  result.seconds = (performance.now() - began) / 1000;
  took.sort((a, b) => a - b);
  result.p50 = took[Math.floor(took.length * 0.5)] ?? 0;
  result.p99 = took[Math.floor(took.length * 0.99)] ?? 0;
  return result;
}

const readMax = 64 * 1024;

/**
 * Calls back for each complete answer, by its Content-Length. All sockets read into one buffer, and only incomplete
 * answers are copied.
 */
const shared = Buffer.allocUnsafe(readMax);

function connectReading(port: number, answered: (isFine: boolean, answer: () => string) => void): Socket {
  let pending: Buffer | undefined;
  const callback = (size: number) => {
    const chunk = shared.subarray(0, size);
    const received = pending ? Buffer.concat([pending, chunk]) : chunk;
    const length = answerLength(received);
    if (length === undefined || received.length < length) pending = pending ? received : Buffer.from(chunk);
    else {
      pending = undefined;
      answered(isFine(received), () => received.toString('latin1', 0, length));
    }
    return true;
  };
  return connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer: shared, callback } });
}

const headEnd = Buffer.from('\r\n\r\n');
const lengthName = Buffer.from('Content-Length: ');

/**
 * The length of head and body; undefined while the head is incomplete. Only one request is sent at a time, so nothing
 * follows the answer.
 */
function answerLength(received: Buffer): number | undefined {
  const end = received.indexOf(headEnd);
  if (end === -1) return undefined;
  const start = received.indexOf(lengthName) + lengthName.length;
  return end + headEnd.length + Number.parseInt(received.toString('latin1', start, start + 10), 10);
}

/** `HTTP/1.1 200`. */
function isFine(received: Buffer): boolean {
  return received.toString('latin1', 9, 12) === '200';
}
