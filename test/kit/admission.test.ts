import { z } from 'zod';
import { anyone, merchant } from '../../src/kit/auth';
import { endpoint } from '../../src/kit/endpoint';
import { html } from '../../src/kit/html';
import { page, PageResponse } from '../../src/kit/pages/page';
import { startKit, type Kit } from '../support/kit';
import { startPages } from '../support/pages';

/** One declaration behind the three ways to a handler: the API, a page, and a page's call of an endpoint. */
const rules = {
  auth: merchant('items:write'),
  feature: 'vouchers',
  params: z.object({ id: z.string().max(3) }),
} as const;
const Fields = z.object({ title: z.string().min(3) });

const saveThing = endpoint({
  ...rules,
  method: 'post',
  path: '/things/{id}',
  summary: 'Save',
  body: Fields,
  status: 200,
  response: z.object({}),
  errors: [],
  handler: () => Promise.resolve({}),
});

const inConsole = { area: 'console', method: 'post' } as const;
const done = new PageResponse(html`<p>done</p>`);

const pages = {
  showToken: page({
    ...inConsole,
    method: 'get',
    path: '/token',
    summary: 'The token of a form',
    auth: anyone(),
    handler: ({ pageToken }) => Promise.resolve(new PageResponse(pageToken)),
  }),
  saveByPage: page({
    ...inConsole,
    ...rules,
    path: '/page/{id}',
    summary: 'Save',
    form: Fields,
    handler: () => Promise.resolve(done),
  }),
  saveByCall: page({
    ...inConsole,
    path: '/call/{id}',
    summary: 'Save by a call of an endpoint',
    auth: anyone(),
    params: z.object({ id: z.string() }),
    form: Fields.partial().extend({ card: z.string().optional() }),
    // Under another name, so that the page itself accepts the card number.
    cardNumberFields: ['card'],
    handler: async ({ call, params, form: { card, ...form } }) => {
      await call(saveThing, { params, body: { ...form, ...(card !== undefined && { title: card }) } });
      return done;
    },
  }),
};

let api: Kit;
let site: Kit;
let off: Set<string>;

beforeAll(async () => {
  const featuresOff = () => Promise.resolve(off);
  api = await startKit({ saveThing }, { featuresOff });
  site = await startPages(pages, { featuresOff });
});

afterAll(() => Promise.all([api.stop(), site.stop()]));

interface Sent {
  token: string;
  id?: string;
  title?: string;
}

async function byApi({ token, id = '1', title = '' }: Sent) {
  const headers = { Authorization: `Bearer ${token}` };
  const body = new URLSearchParams({ title });
  const response = await fetch(`${api.address}/things/${id}`, { method: 'POST', headers, body });
  return ((await response.json()) as { error?: string }).error ?? 'done';
}

const byForm =
  (path: string, field: string) =>
  async ({ token, id = '1', title = '' }: Sent) => {
    const opened = await fetch(`${site.address}/token`);
    const visitor = opened.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const headers = { Origin: site.address, Cookie: `${visitor}; console=${token}` };
    const body = new URLSearchParams({ _token: await opened.text(), [field]: title });
    const response = await fetch(`${site.address}${path}/${id}`, { method: 'POST', headers, body });
    return /<p>(.*)<\/p>/.exec(await response.text())?.[1];
  };

const card = '4242 4242 4242 4242';

describe.each([
  ['a request to the API', byApi],
  ['a page', byForm('/page', 'title')],
  ['a call of a page', byForm('/call', 'card')],
])('%s', (_way, send) => {
  test('401 invalid_auth_token: without a caller, whatever it sends', async () => {
    off = new Set(['vouchers']);
    expect(await send({ token: 'nobody', title: card })).toBe('invalid_auth_token');
  });

  test('400 card_number_refused: a card number, although the feature is off', async () => {
    off = new Set(['vouchers']);
    expect(await send({ token: 'merchant', title: card })).toBe('card_number_refused');
  });

  test('403 feature_disabled: wrong input, although the feature is off', async () => {
    off = new Set(['vouchers']);
    expect(await send({ token: 'merchant', title: 'x' })).toBe('feature_disabled');
    expect(await send({ token: 'merchant', id: 'long', title: 'x' })).toBe('feature_disabled');
  });

  test('404 not_found, 422 invalid_input, 200: the path and the fields come last', async () => {
    off = new Set();
    expect(await send({ token: 'merchant', id: 'long', title: 'x' })).toBe('not_found');
    expect(await send({ token: 'merchant', title: 'x' })).toBe('invalid_input');
    expect(await send({ token: 'merchant', title: 'News' })).toBe('done');
  });
});

test('403 forbidden: the API checks rights before it reads the body', async () => {
  off = new Set(['vouchers']);
  expect(await byApi({ token: 'consumer', title: card })).toBe('forbidden');
});
