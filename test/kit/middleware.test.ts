import { type RequestHandler } from 'express';
import { z } from 'zod';
import { anyone } from '../../src/kit/auth';
import { endpoint, type Endpoints } from '../../src/kit/endpoint';
import { AppError } from '../../src/kit/errors';
import { startKit } from '../support/kit';

const declared: Endpoints = {
  getThing: endpoint({
    method: 'get',
    path: '/things/{id}',
    summary: 'A thing',
    auth: anyone(),
    params: z.object({ id: z.string() }),
    status: 200,
    response: z.object({ id: z.string() }),
    errors: [],
    handler: ({ params }) => Promise.resolve(params),
  }),
};

/** What a client gets for a path, with a middleware mounted before the endpoints. */
async function get(path: string, ...middleware: RequestHandler[]) {
  const kit = await startKit(declared, {}, middleware);
  try {
    const response = await fetch(kit.address + path);
    return { status: response.status, headers: response.headers, body: await response.json() };
  } finally {
    await kit.stop();
  }
}

test('200: a middleware before the endpoints sees every request, also those that an endpoint answers', async () => {
  const seen: string[] = [];
  const watch: RequestHandler = (request, _response, next) => {
    seen.push(`${request.method} ${request.originalUrl}`);
    next();
  };
  expect(await get('/things/5?a=1', watch)).toMatchObject({ status: 200, body: { id: '5' } });
  expect(await get('/nothing', watch)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  expect(seen).toEqual(['GET /things/5?a=1', 'GET /nothing']);
});

test('503: a middleware answers in place of an endpoint', async () => {
  const close: RequestHandler = (_request, response) => void response.status(503).json({ message: 'Closed' });
  expect(await get('/things/5', close)).toMatchObject({ status: 503, body: { message: 'Closed' } });
});

test('200: an answer of an endpoint has the headers that a middleware set', async () => {
  const mark: RequestHandler = (_request, response, next) => {
    response.set({ 'X-Served-By': 'replica-1', 'Cache-Control': 'public' });
    next();
  };
  const { status, headers } = await get('/things/5', mark);
  expect(status).toBe(200);
  expect(headers.get('x-served-by')).toBe('replica-1');
  // The headers of the endpoint replace those of the same name.
  expect(headers.get('cache-control')).toBe('no-store');
});

test('200: a middleware that replaces writeHead is called for an answer of an endpoint', async () => {
  const measure: RequestHandler = (_request, response, next) => {
    const writeHead = response.writeHead.bind(response);
    response.writeHead = (...head: unknown[]) => {
      response.setHeader('Server-Timing', 'app;dur=1');
      return Reflect.apply(writeHead, response, head) as typeof response;
    };
    next();
  };
  const { status, headers } = await get('/things/5', measure);
  expect({ status, timing: headers.get('server-timing') }).toEqual({ status: 200, timing: 'app;dur=1' });
});

test.each([
  ['422 invalid_input', new AppError('invalid_input'), 422, 'invalid_input'],
  ['500 internal_error', new Error('broken'), 500, 'internal_error'],
])('%s: the error handler answers an error that a middleware passes on', async (_title, error, status, key) => {
  const fail: RequestHandler = (_request, _response, next) => next(error);
  const { headers, ...found } = await get('/things/5', fail);
  expect(found).toMatchObject({ status, body: { code: status, error: key } });
  expect(headers.get('x-request-id')).toMatch(/^[\w-]{8,64}$/);
});

test('400 malformed_request: the escapes of a path cannot be read', async () => {
  const { headers, ...found } = await get('/things/%zz');
  expect(found).toMatchObject({ status: 400, body: { error: 'malformed_request' } });
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});
