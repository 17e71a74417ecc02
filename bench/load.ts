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
  let next = 0;
  const open = () => {
    const socket = connect({ port: load.port, host: '127.0.0.1', noDelay: true });
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      socket.write(load.requests[(next += 1) % load.requests.length] ?? '');
    };
    socket.on('connect', send);
    onAnswers(socket, (status, answer) => {
      took.push(performance.now() - sentAt);
      result.answers += 1;
      if (status !== '200') {
        result.failures += 1;
        result.firstFailure ||= answer;
      }
      if (performance.now() < endsAt || result.answers < (load.answersAtLeast ?? 0)) send();
      else socket.end();
    });
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

/** Calls back for each whole answer, by its Content-Length. */
function onAnswers(socket: Socket, answered: (status: string, answer: string) => void): void {
  let pending = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    pending += chunk;
    const headEnd = pending.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const [, length] = /content-length: (\d+)/i.exec(pending) ?? [];
    const end = headEnd + 4 + Number(length);
    if (pending.length < end) return;
    const answer = pending.slice(0, end);
    pending = pending.slice(end);
    answered(answer.slice(9, 12), answer);
  });
}
