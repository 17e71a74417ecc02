import { type z } from 'zod';
import { shortened, step } from './screen';

/** The server is unavailable, or its answer does not fit the story. */
export class Unexpected extends Error {}

interface Call<Body> {
  token?: string;
  expect: number;
  read: z.ZodType<Body>;
  /** The part of the answer to print. */
  tell: (body: Body) => string;
}

type Fields = Record<string, string | number>;

export interface Api {
  get<Body>(what: string, path: string, call: Call<Body>): Promise<Body>;
  post<Body>(what: string, path: string, fields: Fields, call: Call<Body>): Promise<Body>;
  put<Body>(what: string, path: string, fields: Fields, call: Call<Body>): Promise<Body>;
}

/** Calls the API as existing clients do: form-encoded, with a bearer token. */
export async function connectApi(baseUrl: string): Promise<Api> {
  await refuseAbsentServer(baseUrl);
  const ask = async <Body>(method: Method, what: string, path: string, call: Call<Body>, fields?: Fields) => {
    const began = performance.now();
    const answer = await fetch(baseUrl + path, {
      method,
      ...(fields && { body: formOf(fields) }),
      ...(call.token !== undefined && { headers: { Authorization: `Bearer ${call.token}` } }),
    });
    const text = await answer.text();
    const tookMs = performance.now() - began;
    if (answer.status !== call.expect)
      throw new Unexpected(`${method} ${path} was to answer ${call.expect}, and answered ${answer.status}\n${text}`);
    const body = call.read.parse(JSON.parse(text));
    step(what, `${method} ${shortened(path)}`, answer.status, tookMs, call.tell(body));
    return body;
  };
  return {
    get: (what, path, call) => ask('GET', what, path, call),
    post: (what, path, fields, call) => ask('POST', what, path, call, fields),
    put: (what, path, fields, call) => ask('PUT', what, path, call, fields),
  };
}

type Method = 'GET' | 'POST' | 'PUT';

function formOf(fields: Fields): URLSearchParams {
  return new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]));
}

async function refuseAbsentServer(baseUrl: string): Promise<void> {
  const signal = AbortSignal.timeout(5_000);
  const answer = await fetch(`${baseUrl}/health/ready`, { signal }).catch(() => undefined);
  const help = 'Run `npm start` in another terminal, or name the server by BASE_URL or PORT.';
  if (!answer) throw new Unexpected(`No server answers at ${baseUrl}. ${help}`);
  if (!answer.ok) throw new Unexpected(`The server at ${baseUrl} is not ready: ${await answer.text()}`);
}
