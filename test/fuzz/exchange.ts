import { Agent, request } from 'node:http';
import { type FuzzRequest } from './requests';

export const agent = new Agent({ keepAlive: true, maxSockets: 16 });

const patienceMs = 60_000;

/** The answer, or why there was none. */
export type Answer = { status: number; text: string } | { broken: string };

/** Sends the request byte by byte as it is. A connection that the server has closed between two requests is opened again. */
export async function exchange(address: string, sent: FuzzRequest): Promise<Answer> {
  const { answer, isStale } = await once(address, sent);
  return isStale ? (await once(address, sent)).answer : answer;
}

function once(
  address: string,
  { method, path, headers, body }: FuzzRequest,
): Promise<{ answer: Answer; isStale: boolean }> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(address);
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request({
      agent,
      hostname,
      port,
      method,
      path,
      headers: { ...headers, ...length },
      timeout: patienceMs,
    });
    const fail = (broken: string) =>
      resolve({ answer: { broken }, isStale: outgoing.reusedSocket && broken.includes('ECONNRESET') });
    outgoing.on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', (error) => fail(error.message));
      response.on('end', () =>
        resolve({
          answer: { status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() },
          isStale: false,
        }),
      );
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer in ${patienceMs} ms`)));
    outgoing.on('error', (error: Error & { code?: string }) => fail(`${error.code ?? ''} ${error.message}`));
    outgoing.end(body);
  });
}
