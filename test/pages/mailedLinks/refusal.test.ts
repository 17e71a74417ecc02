import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { call } from '../../support/client';
import { createActivationLink, createNewPasswordLink } from '../../support/mailedLinks';
import { createBrandedMerchant, showPictures } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** A refused link answers a visitor with a page, and a program with JSON. */

const [guesses, general] = [40, 60];
let app: TestApp;
beforeAll(async () => {
  app = await startApp({
    RATE_LIMIT_SIGN_INS: String(guesses),
    RATE_LIMIT_NORMAL: String(general),
    TRUSTED_PROXIES: 'loopback',
  });
});
afterAll(() => app.stop());

const tooLong = 'x'.repeat(201);
let network = 0;

/** A browser with an address of its own, whose limit is unused. */
function browser(language = 'en') {
  network += 1;
  const accept = { Accept: 'text/html,application/xhtml+xml', 'Accept-Language': language };
  const headers = { ...accept, 'X-Forwarded-For': `10.77.0.${network}` };
  return (method: 'GET' | 'POST', path: string, fields?: Record<string, string>) =>
    call<string>(app, method, path, fields, { headers });
}

const useUp = (visit: ReturnType<typeof browser>, path: string) =>
  until(async () => (await visit('GET', path)).status === 429);

/** The answer after the limit is used up. It is used up again if the minute ended between them. */
const visitTooOften = (visit: ReturnType<typeof browser>, ...of: Parameters<ReturnType<typeof browser>>) =>
  until(async () => {
    await useUp(visit, of[1]);
    const reply = await visit(...of);
    return reply.status === 429 && reply;
  });

describe.each([
  ['activation', createActivationLink],
  ['a new password', createNewPasswordLink],
])('the link of %s', (_name, createLink) => {
  test.each(['GET', 'POST'] as const)(
    '429 too_many_requests: %s: a page in the language and looks of its sender',
    async (method) => {
      const { path } = await createLink(app, await createBrandedMerchant(app));
      const visit = browser('ar');
      const fields = method === 'POST' ? { password: 'x' } : undefined;
      const { status, headers, body } = await visitTooOften(visit, method, path, fields);
      expect([status, headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      for (const part of ['dir="rtl"', 'Daily Kick', 'طلبات كثيرة']) expect(body).toContain(part);
    },
  );
});

test.each(['/accounts/activate', '/accounts/forgot-password'])(
  '404 not_found: %s: what is no link of ours',
  async (path) => {
    const { status, headers, body } = await browser()('GET', `${path}/${tooLong}`);
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(body).toContain('This link is not valid');
    expect(await call(app, 'GET', `${path}/${tooLong}`)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  },
);

test('404 payment_not_found: of a payment that waits for nobody, the test bank tells its payer', async () => {
  const { status, body } = await browser()('GET', '/sandbox/authenticate/none');
  expect([status, body.includes('This link is not valid')]).toEqual([404, true]);
});

test('429 too_many_requests: whoever goes on and on is told so in JSON: a page would be looked up each time', async () => {
  const visit = browser();
  await useUp(visit, '/accounts/activate/none');
  const types = new Set<string>();
  await until(async () => {
    const { status, headers } = await visit('GET', '/accounts/activate/none');
    types.add(`${status} ${headers.get('content-type')?.split(';')[0]}`);
    return types.has('429 application/json');
  });
  expect([...types]).toEqual(expect.arrayContaining(['429 text/html', '429 application/json']));
});

describeInBrowser('in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterEach(() => visitor.context.close());
  afterAll(() => chromium.close());

  test.each(['en-GB', 'ar'])('%s: too many requests, and a link that was cut off', async (language) => {
    const { path } = await createNewPasswordLink(app, await createBrandedMerchant(app));
    visitor = await chromium.newVisitor({ language });
    const { page, context } = visitor;
    const visit = browser();
    await context.setExtraHTTPHeaders({ 'X-Forwarded-For': `10.77.0.${network}` });
    await showPictures(page);
    const look = async (name: string) => expect([name, await faultsOf(visitor, name)]).toEqual([name, []]);
    await page.goto(`${app.address}/accounts/forgot-password/${tooLong}`);
    await look(`link-lost-${language}`);
    await useUp(visit, path);
    await page.goto(`${app.address}${path}`);
    await page.getByRole('img', { name: 'Daily Kick' }).waitFor();
    await look(`link-too-often-${language}`);
  });
});
