import { z } from 'zod';
import { anyone, consumer, merchant } from '../../src/kit/auth';
import { endpoint } from '../../src/kit/endpoint';
import { html } from '../../src/kit/html';
import { page, Redirect, PageResponse } from '../../src/kit/pages/page';
import { mountPages } from '../../src/kit/pages/serve';
import { AppError } from '../../src/kit/errors';
import { type Kit } from '../support/kit';
import { startPages } from '../support/pages';
import { form, speak } from '../support/raw';

const uuid = '00000000-0000-4000-8000-000000000001';
const otherUuid = '00000000-0000-4000-8000-000000000002';

const saveItem = endpoint({
  method: 'post',
  path: '/items',
  summary: 'Save',
  auth: merchant('items:write'),
  limit: 'credentials',
  body: z.object({ title: z.string().min(3), count: z.string().optional() }),
  status: 200,
  response: z.object({ title: z.string() }),
  errors: [],
  handler: ({ body, caller }) => Promise.resolve({ title: `${body.title} of ${caller.accountId}` }),
});

const customer = { area: 'customer', params: z.object({ merchant_uuid: z.uuid() }) } as const;
const console_ = { area: 'console' } as const;

const pages = {
  showHello: page({
    ...customer,
    method: 'get',
    path: '/hello/{merchant_uuid}',
    summary: 'Hello',
    auth: anyone(),
    query: z.object({ name: z.string().optional() }),
    isEmbeddable: true,
    handler: ({ query, caller, pageToken, nonce, request, isEmbedded, isFragment }) =>
      Promise.resolve(
        new PageResponse(
          html`<p data-token="${pageToken}" data-nonce="${nonce}" data-host="${request.host ?? ''}">
            ${query.name} ${caller?.accountId ?? 'nobody'} ${isEmbedded ? 'embedded' : ''} ${isFragment ? 'part' : ''}
          </p>`,
        ),
      ),
  }),
  signIn: page({
    ...customer,
    method: 'post',
    path: '/sign-in/{merchant_uuid}',
    summary: 'Sign in',
    auth: anyone(),
    form: z.object({ token: z.string() }),
    isEmbeddable: true,
    handler: async ({ form, signedIn, request }) => {
      const { caller } = await signedIn(form.token);
      return new PageResponse(html`<p data-host="${request.host ?? ''}">${caller?.accountId}</p>`, {
        signIn: { token: form.token, expiresAtSeconds: 2_000_000_000 },
      });
    },
  }),
  showOwn: page({
    ...customer,
    method: 'get',
    path: '/own/{merchant_uuid}',
    summary: 'Own',
    auth: consumer(),
    signInAt: ({ params }) => `/hello/${params.merchant_uuid}`,
    handler: ({ caller }) => Promise.resolve(new PageResponse(html`<p>${caller.accountId}</p>`)),
  }),
  saveItem: page({
    ...console_,
    method: 'post',
    path: '/console/items',
    summary: 'Save',
    auth: merchant('items:write'),
    form: z.object({ title: z.string().optional() }),
    handler: async ({ call, form }) =>
      new PageResponse(html`<p>${(await call(saveItem, { body: { title: form.title } })).title}</p>`),
  }),
  saveOpenly: page({
    ...console_,
    method: 'post',
    path: '/console/openly',
    summary: 'A page that anyone may use calls an endpoint that not anyone may',
    auth: anyone(),
    form: z.object({ title: z.string().optional() }),
    handler: async ({ call, form }) => {
      await call(saveItem, { body: { ...form } });
      return new Redirect('/done', { signOut: true });
    },
  }),
  showContent: page({
    ...console_,
    method: 'get',
    path: '/console/content',
    summary: 'A text that is not ours',
    auth: anyone(),
    isForFrames: true,
    handler: () => Promise.resolve(new PageResponse('<script>alert(1)</script>', { isForeign: true })),
  }),
  showContentAsPage: page({
    ...console_,
    method: 'get',
    path: '/console/content-as-page',
    summary: 'A text that is not ours, on a page that is not declared for frames',
    auth: anyone(),
    handler: () => Promise.resolve(new PageResponse('<script>alert(1)</script>', { isForeign: true })),
  }),
  breakDown: page({
    ...console_,
    method: 'get',
    path: '/console/broken',
    summary: 'Broken',
    auth: anyone(),
    handler: () => Promise.reject(new Error('secret')),
  }),
};

let kit: Kit;
beforeAll(async () => (kit = await startPages(pages)));
afterAll(() => kit.stop());

interface Asked {
  cookies?: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
  address?: string;
}

async function ask(path: string, { cookies, headers, form, address = kit.address }: Asked = {}) {
  const response = await fetch(`${address}${path}`, {
    redirect: 'manual',
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    headers: { ...(cookies !== undefined && { Cookie: cookies }), ...headers },
  });
  return {
    status: response.status,
    headers: response.headers,
    cookies: response.headers.getSetCookie(),
    text: await response.text(),
  };
}

/** What a page that was opened knows: the visitor's cookie and the token. */
async function open(asked: Asked = {}) {
  const { cookies, text } = await ask(`/hello/${uuid}`, asked);
  return { cookies: cookies[0]?.split(';')[0] ?? '', token: /data-token="([^"]*)"/.exec(text)?.[1] ?? '', text };
}

const own = () => ({ Origin: kit.address });

describe('a page', () => {
  test('200: escapes what it is given, and lets the browser load nothing without this answer’s nonce', async () => {
    const first = await ask(`/hello/${uuid}?name=<script>alert(1)</script>`);
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(first.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt; nobody');
    const nonce = /data-nonce="([^"]*)"/.exec(first.text)?.[1] ?? '';
    const policy = first.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src 'nonce-${nonce}';`);
    expect(policy).not.toMatch(/unsafe|http:\/\//);
    expect((await open()).text).not.toContain(nonce);
    expect(first.headers.get('cache-control')).toBe('no-store');
  });

  test('is shown in frames of other pages only where it says so', async () => {
    const embeddable = await ask(`/hello/${uuid}`);
    const other = await ask('/console/broken');
    expect(embeddable.headers.get('content-security-policy')).toContain('frame-ancestors *');
    expect(other.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(embeddable.headers.get('x-frame-options')).toBeNull();
  });

  test('500 internal_error: tells nothing of what broke', async () => {
    const { status, text } = await ask('/console/broken');
    expect([status, text]).toEqual([500, '<p>internal_error</p>']);
  });

  test('404 not_found: an address that can name nothing', async () => {
    expect((await ask('/hello/no-uuid')).status).toBe(404);
  });

  test('text that is not ours gets an origin of nobody', async () => {
    const { headers, text } = await ask('/console/content', { headers: { 'Sec-Fetch-Dest': 'iframe' } });
    expect(text).toBe('<script>alert(1)</script>');
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/^sandbox (?!.*allow-same-origin)/);
    expect(policy).toContain("form-action 'none'");
  });

  test.each([{ 'Sec-Fetch-Dest': 'document' }, { 'Sec-Fetch-Dest': 'empty' }, {}])(
    'text that is not ours is framed by a page of ours when its address is opened: %j',
    async (headers) => {
      const opened = await ask('/console/content?part=2', { headers });
      expect(opened.text).not.toContain('alert');
      expect(opened.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
      expect(opened.text).toMatch(/^<iframe src="\/console\/content\?part=2&amp;_token=[^"]+">/);
    },
  );

  test('a browser without Fetch metadata gets the text for the token of a frame, and for no other browser’s token', async () => {
    const opened = await ask('/console/content');
    const frame = /src="([^"]+)"/.exec(opened.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const cookies = opened.cookies.map((cookie) => cookie.split(';')[0]).join('; ');
    expect((await ask(frame, { cookies })).text).toBe('<script>alert(1)</script>');
    expect((await ask(frame, { cookies, headers: { 'Sec-Fetch-Dest': 'document' } })).text).not.toContain('alert');
    expect((await ask(frame)).text).toBe('<p>page_expired</p>');
  });

  test('a page that is not declared for frames cannot answer text that is not ours', async () => {
    expect((await ask('/console/content-as-page')).status).toBe(500);
  });

  test('every page refuses cameras, microphones and the like', async () => {
    const { headers } = await ask('/console/content');
    expect(headers.get('permissions-policy')).toMatch(/\bcamera=\(\).*\bgeolocation=\(\).*\bmicrophone=\(\)/);
  });

  test('two of one name or one address are refused at start', () => {
    const app = { get: () => undefined, post: () => undefined } as never;
    const parts = {} as never;
    const twin = { ...pages.showOwn, path: '/own/{id}' };
    expect(() => mountPages(app, [pages, { showHello: pages.showOwn }], parts)).toThrow('Two pages are showHello');
    expect(() => mountPages(app, [pages, { twin }], parts)).toThrow('Two pages are get /own/{}');
  });
});

describe('what a page sends', () => {
  test('200: with its visitor’s token, from our own page', async () => {
    const { cookies, token } = await open();
    const reply = await ask(`/sign-in/${uuid}`, {
      cookies,
      headers: own(),
      form: { _token: token, token: 'consumer' },
    });
    expect(reply.status).toBe(200);
    expect(reply.cookies).toEqual([
      `customer_${uuid}=consumer; Path=/; HttpOnly; SameSite=Lax; Expires=Wed, 18 May 2033 03:33:20 GMT`,
      expect.stringMatching(/^browser=[\w-]{22}; Path=\/; HttpOnly; SameSite=Lax; Expires=/) as string,
    ]);
  });

  test.each([
    ['without a token', {}, {}],
    ['with one that was made up', {}, { _token: 'YQ.YQ' }],
    ['with an empty signature', {}, { _token: 'YQ..' }],
    ['with a signature of one byte', {}, { _token: 'YQ.YQ.YQ' }],
    ['with a signature of the right length', {}, { _token: `YQ.${'A'.repeat(43)}.${'A'.repeat(43)}` }],
    ['from another site', { Origin: 'https://evil.example' }, undefined],
    ['from another site, as a new browser tells it', { 'Sec-Fetch-Site': 'cross-site' }, undefined],
    ['from a neighbouring host', { 'Sec-Fetch-Site': 'same-site' }, undefined],
    ['by who tells nothing', undefined, undefined],
  ])('403 page_expired: %s', async (_how, headers, form) => {
    const { cookies, token } = await open();
    const reply = await ask(`/sign-in/${uuid}`, {
      cookies,
      headers: headers === undefined ? {} : { ...own(), ...headers },
      form: { token: 'consumer', ...(form ?? { _token: token }) },
    });
    expect([reply.status, reply.text, reply.cookies]).toEqual([403, '<p>page_expired</p>', []]);
  });

  test('200: with the token of each page of the visitor, and no two pages have the same', async () => {
    const first = await open();
    const { cookies } = first;
    const second = await open({ cookies });
    const parts = [first, second].map(({ token }) => token.split('.'));
    expect(parts[1]?.[0]).toBe(parts[0]?.[0]);
    for (const at of [1, 2]) expect(parts[1]?.[at]).not.toBe(parts[0]?.[at]);
    for (const { token } of [first, second]) {
      const form = { _token: token, token: 'consumer' };
      expect((await ask(`/sign-in/${uuid}`, { cookies, headers: own(), form })).status).toBe(200);
    }
  });

  test('403 page_expired: with the token of another visitor', async () => {
    const [one, other] = [await open(), await open()];
    const form = { _token: other.token, token: 'consumer' };
    expect((await ask(`/sign-in/${uuid}`, { cookies: one.cookies, headers: own(), form })).status).toBe(403);
  });
});

describe('a session', () => {
  const signedInAt = (merchantUuid: string, token = 'consumer') => `customer_${merchantUuid}=${token}`;

  test('200: is its merchant’s only', async () => {
    expect((await ask(`/own/${uuid}`, { cookies: signedInAt(uuid) })).text).toBe('<p>2</p>');
    for (const cookies of [
      signedInAt(otherUuid),
      signedInAt(uuid, 'merchant'),
      signedInAt(uuid, 'dead'),
      'console=consumer',
    ])
      expect((await ask(`/own/${uuid}`, { cookies })).status).toBe(303);
    expect((await ask(`/own/${otherUuid}`, { cookies: signedInAt(otherUuid) })).status).toBe(303);
  });

  test('303: who has none is led to where one signs in, also out of a part of a page', async () => {
    const reply = await ask(`/own/${uuid}`);
    expect([reply.status, reply.headers.get('location')]).toEqual([303, `/hello/${uuid}`]);
    const part = await ask(`/own/${uuid}`, { headers: { 'HX-Request': 'true' } });
    expect([part.status, part.headers.get('hx-redirect'), part.text]).toEqual([200, `/hello/${uuid}`, '']);
  });

  test('over https its cookies are for this host alone, and in a frame for that site alone', async () => {
    const secure = await startPages(pages, { origin: 'https://pay.example' });
    const framed = { 'Sec-Fetch-Dest': 'iframe', Referer: 'https://news.example/page' };
    try {
      const [plain] = (await ask(`/hello/${uuid}`, { address: secure.address })).cookies;
      expect(plain).toMatch(/^__Host-visitor=[\w-]{22}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
      const [embedded] = (await ask(`/hello/${uuid}`, { address: secure.address, headers: framed })).cookies;
      expect(embedded).toMatch(/^__Host-visitor=[\w-]{22}; Path=\/; HttpOnly; SameSite=None; Partitioned; Secure$/);
    } finally {
      await secure.stop();
    }
  });

  test('which page shows ours is remembered in the token, and cannot be changed there', async () => {
    const framed = { 'Sec-Fetch-Dest': 'iframe', Referer: 'https://news.example/page' };
    const { cookies, token, text } = await open({ headers: framed });
    expect(text).toContain('data-host="news.example"');
    const form = { token: 'consumer', _token: token };
    expect((await ask(`/sign-in/${uuid}`, { cookies, headers: own(), form })).text).toContain(
      'data-host="news.example"',
    );
    const [, ...signature] = token.split('.');
    const place = Buffer.from('frame good.example').toString('base64url');
    const forged = { ...form, _token: [place, ...signature].join('.') };
    expect((await ask(`/sign-in/${uuid}`, { cookies, headers: own(), form: forged })).status).toBe(403);
    const silent = await open({ headers: { 'Sec-Fetch-Dest': 'iframe' } });
    expect(silent.text).toContain('data-host=""');
    const later = await ask(`/hello/${uuid}`, { cookies: silent.cookies, headers: { 'X-Page-Token': silent.token } });
    expect(later.text).toMatch(/data-host=""[^]*embedded/);
  });
});

describe('an endpoint that a page calls', () => {
  const submit = async (path: string, form: Record<string, string>, session = 'console=merchant') => {
    const { cookies, token } = await open();
    const all = { ...form, _token: token };
    return ask(path, { cookies: `${cookies}; ${session}`, headers: own(), form: all });
  };

  test('200: answers the page’s caller', async () => {
    expect((await submit('/console/items', { title: 'News' })).text).toBe('<p>News of 1</p>');
  });

  test('400 missing_parameter, 422 invalid_input: checks what it is sent by its own schema', async () => {
    expect((await submit('/console/items', { title: '' })).text).toBe('<p>missing_parameter</p>');
    expect((await submit('/console/items', { title: 'x' })).text).toBe('<p>invalid_input</p>');
  });

  test('401 invalid_auth_token: whatever page calls it, it asks for a session', async () => {
    expect((await submit('/console/openly', { title: 'News' }, '')).text).toBe('<p>invalid_auth_token</p>');
    const done = await submit('/console/openly', { title: 'News' });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/done']);
    expect(done.cookies).toEqual(['console=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0']);
  });

  test('400 card_number_refused: neither the page nor the endpoint takes a card number in another field', async () => {
    expect((await submit('/console/items', { title: '4242 4242 4242 4242' })).text).toBe('<p>card_number_refused</p>');
  });

  test('429 too_many_requests: its limit of failed attempts counts', async () => {
    const states = [1, 2].map((remaining) => ({ limit: 1, remaining, resetSeconds: 7, isExceeded: remaining === 2 }));
    const rateLimiter = {
      count: () => ({ limit: 9, remaining: 9, resetSeconds: 1, isExceeded: false }),
      readStrictly: () => Promise.resolve(states.shift()),
      read: () => ({ limit: 9, remaining: 9, resetSeconds: 1, isExceeded: false }),
    } as never;
    const limited = await startPages(pages, { rateLimiter });
    try {
      const first = await ask(`/hello/${uuid}`, { address: limited.address });
      const visitor = first.cookies[0]?.split(';')[0] ?? '';
      const token = /data-token="([^"]*)"/.exec(first.text)?.[1] ?? '';
      const asked = {
        address: limited.address,
        cookies: `${visitor}; console=merchant`,
        headers: { Origin: limited.address },
        form: { title: 'News', _token: token },
      };
      expect((await ask('/console/items', asked)).status).toBe(200);
      const second = await ask('/console/items', asked);
      expect([second.status, second.headers.get('retry-after')]).toEqual([429, '7']);
    } finally {
      await limited.stop();
    }
  });

  test('429 too_many_requests: a form is counted before it is read, and its connection ends', async () => {
    const count = () => ({ limit: 1, remaining: 0, resetSeconds: 7, isExceeded: true });
    const limited = await startPages(pages, { rateLimiter: { count } as never });
    try {
      const head = ['POST /console/items HTTP/1.1', 'Host: localhost', `Origin: ${limited.address}`];
      const announced = [...head, `Content-Type: ${form}`, 'Content-Length: 100000', '', 'title='];
      const heard = await speak(limited, announced.join('\r\n'));
      expect(heard).toMatch(/^HTTP\/1\.1 429 /);
      expect(heard).toMatch(/\r\nConnection: close\r\n/i);
    } finally {
      await limited.stop();
    }
  });

  test('403 forbidden: a page refuses whom its declaration refuses', async () => {
    const refused = page({
      ...console_,
      method: 'get',
      path: '/console/money',
      summary: 'Money',
      auth: merchant('payments:read'),
      handler: () => Promise.reject(new AppError('internal_error')),
    });
    const guarded = await startPages({ refused });
    try {
      const { status } = await ask('/console/money', { address: guarded.address, cookies: 'console=merchant' });
      expect(status).toBe(403);
    } finally {
      await guarded.stop();
    }
  });
});
