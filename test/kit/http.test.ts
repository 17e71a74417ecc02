import { createConsumer, createItem, createMerchant, type Person } from '../support/factories';
import { form, json, send, speak } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;
let consumer: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
  consumer = await createConsumer(app, merchant);
});

afterAll(() => app.stop());

const jsonType = 'application/json; charset=utf-8';

describe('a path or method that is not ours', () => {
  test.each(['/nothing', '/', '/accounts/', '/v2/items/1/access-fees/1/x', '/v2/nothing'])(
    '404 not_found: GET %s is JSON like every answer',
    async (path) => {
      if (path === '/accounts/') return expect((await send(app, 'GET', path)).status).toBe(401);
      const { status, headers, body } = await send(app, 'GET', path);
      expect({ status, body }).toEqual({
        status: 404,
        body: { code: 404, message: 'Not found', error: 'not_found', explain: 'Not found' },
      });
      expect(headers.get('content-type')).toBe(jsonType);
    },
  );

  test.each([
    ['DELETE', '/accounts/authenticate', 'POST'],
    ['PUT', '/v2/accounts', 'GET, POST'],
    ['POST', '/items/1/access', 'GET'],
    ['PATCH', '/v2/items/1/access-fees', 'GET, POST'],
    ['POST', '/health/live', 'GET'],
  ])('405 method_not_allowed: %s %s allows %s', async (method, path, allowed) => {
    const { status, headers, body } = await send(app, method, path);
    expect({ status, body }).toMatchObject({
      status: 405,
      body: { code: 405, message: 'Method Not Allowed', error: 'method_not_allowed' },
    });
    expect(headers.get('allow')).toBe(allowed);
  });

  test('405 method_not_allowed: TRACE repeats nothing that was sent', async () => {
    const heard = await speak(
      app,
      'TRACE /accounts HTTP/1.1\r\nHost: x\r\nX-Secret: s3cret\r\nConnection: close\r\n\r\n',
    );
    expect(heard).toMatch(/^HTTP\/1\.1 405 /);
    expect(heard).not.toContain('s3cret');
  });

  test.each(['/subscriptions/%zz', '/subscriptions/%ff', '/items/%zz/access', '/items/%E0%A4%A/access-fees'])(
    '4xx: the escapes of %s cannot be read',
    async (path) => {
      const { status, body } = await send(app, 'GET', path, { token: consumer.token });
      expect([400, 404]).toContain(status);
      expect(body.code).toBe(status);
    },
  );

  test('200: an address with its scheme and host, as some proxies send it, and with a query and a fragment', async () => {
    for (const target of [
      'http://other.example/health/live',
      'http://x/health/live?a=1',
      '/health/live?a=1#b',
      '/health/live#b',
    ])
      expect(await speak(app, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 200 /,
      );
  });

  test('404: an id that is none names nothing', async () => {
    for (const id of ['0', '-1', 'abc', '2147483648', '1e3', '1.5', '%00', "1'--"]) {
      const { status, body } = await send(app, 'GET', `/items/${id}/access`, { token: consumer.token });
      expect({ id, status, error: body.error }).toEqual({ id, status: 404, error: 'item_not_found' });
    }
  });

  test.each(['/subscriptions/%00', '/sandbox/authenticate/%00', '/sandbox/authenticate/a%00b'])(
    '404: %s, which PostgreSQL could not even look for',
    async (path) => expect((await send(app, 'GET', path, { token: consumer.token })).status).toBe(404),
  );
});

describe('HEAD and OPTIONS', () => {
  test('200: HEAD is GET without the body', async () => {
    const { status, headers, body } = await send(app, 'HEAD', '/accounts', { token: consumer.token });
    expect({ status, body }).toEqual({ status: 200, body: '' });
    expect(headers.get('content-type')).toBe(jsonType);
    expect(Number(headers.get('content-length'))).toBeGreaterThan(100);
  });

  test('401: HEAD without a token', async () => expect((await send(app, 'HEAD', '/accounts')).status).toBe(401));

  test.each(['/accounts', '/accounts/erase', '/items/1/access', '/openapi.json'])(
    '204: a browser asks before it calls %s from another origin',
    async (path) => {
      const { status, headers } = await send(app, 'OPTIONS', path, {
        headers: {
          Origin: 'https://shop.example.org',
          'Access-Control-Request-Method': 'DELETE',
          'Access-Control-Request-Headers': 'authorization,content-type',
        },
      });
      expect(status).toBe(204);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
        expect(headers.get('access-control-allow-methods')).toContain(method);
      for (const name of ['Authorization', 'Content-Type', 'Accept', 'Idempotency-Key'])
        expect(headers.get('access-control-allow-headers')).toContain(name);
      expect(headers.get('x-request-id')).toMatch(/^[\w-]{8,64}$/);
    },
  );
});

describe('every answer', () => {
  const answers = () =>
    [
      ['a list', 'GET', '/subscriptions', { token: consumer.token }],
      ['the access check', 'GET', '/items/1/access', { token: consumer.token }],
      ['no token', 'GET', '/accounts', {}],
      ['not ours', 'GET', '/nothing', {}],
      ['another method', 'DELETE', '/accounts/authenticate', {}],
      ['unreadable', 'POST', '/accounts', { body: '{', contentType: json }],
      ['another type', 'POST', '/accounts', { body: 'x', contentType: 'text/plain' }],
      ['too large', 'POST', '/accounts', { body: `x=${'x'.repeat(200_000)}`, contentType: form }],
      ['the document', 'GET', '/openapi.json', {}],
    ] as const;

  test('is JSON with the id of its request, and headers that keep browsers from guessing', async () => {
    for (const [what, method, path, sent] of answers()) {
      const { headers } = await send(app, method, path, { ...sent, headers: { 'X-Request-Id': 'trace-4711_abc' } });
      const found = Object.fromEntries(
        ['content-type', 'x-request-id', 'x-content-type-options', 'access-control-allow-origin', 'x-powered-by'].map(
          (name) => [name, headers.get(name)],
        ),
      );
      expect([what, found]).toEqual([
        what,
        {
          'content-type': jsonType,
          'x-request-id': 'trace-4711_abc',
          'x-content-type-options': 'nosniff',
          'access-control-allow-origin': '*',
          'x-powered-by': null,
        },
      ]);
    }
  });

  test('of an API call is stored by nobody and tells no referrer', async () => {
    for (const path of ['/accounts', '/items/1/access', '/nothing']) {
      const { headers } = await send(app, 'GET', path, { token: consumer.token });
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  test('gets an id of its own when the one sent could not stand in a log', async () => {
    for (const sent of ['short', 'with blank in it', 'x'.repeat(65), '<script>alert(1)</script>']) {
      const { headers } = await send(app, 'GET', '/accounts', { headers: { 'X-Request-Id': sent } });
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('is framed and scripted by nobody', async () => {
    for (const [what, method, path, sent] of answers()) {
      const { headers } = await send(app, method, path, sent);
      expect([what, headers.get('content-security-policy')]).toEqual([what, expect.stringContaining("'self'")]);
      expect([what, headers.get('x-frame-options')]).toEqual([what, 'SAMEORIGIN']);
      expect([what, headers.get('cross-origin-resource-policy')]).toEqual([what, 'cross-origin']);
    }
    const { headers } = await send(app, 'GET', '/docs');
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
  });
});

describe('the token', () => {
  test.each([
    ['as bearer', (token: string) => `Bearer ${token}`],
    ['bare, as some clients send it', (token: string) => token],
    ['with another case and more blanks', (token: string) => `bearer   ${token} `],
  ])('200: %s', async (_how, write) => {
    const headers = { Authorization: write(consumer.token) };
    expect((await send(app, 'GET', '/accounts', { headers })).status).toBe(200);
  });

  test('401 invalid_auth_token: in the query, where it would be logged by others', async () => {
    expect((await send(app, 'GET', `/accounts?token=${consumer.token}&access_token=${consumer.token}`)).status).toBe(
      401,
    );
  });
});

test('200: two requests on one connection, the second sent before the first is answered', async () => {
  const item = await createItem(app, merchant);
  const get = (path: string, rest = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${rest}\r\n`;
  const heard = await speak(app, get(`/items/${item.id}/access-fees`) + get('/health/live', 'Connection: close\r\n'));
  expect(heard.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
});
