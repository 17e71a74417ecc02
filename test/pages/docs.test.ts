import { routes } from '../../src/endpoints';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../support/chromium';
import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('200: the API reference, with every part of it from this host', async () => {
  const page = await call<string>(app, 'GET', '/docs');
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toContain('text/html');
  const parts = [...page.body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, address]) => address ?? '');
  expect(parts.length).toBe(2);
  for (const part of parts) expect((await call(app, 'GET', part)).status).toBe(200);
  expect(page.body).not.toMatch(/(?:src|href)="https?:/);
});

test('200: it lists every endpoint, and each has a page with its parameters, fields, answers and errors', async () => {
  const { body } = await call<string>(app, 'GET', '/docs');
  const listed = [...body.matchAll(/href="\/docs\/(\w+)"/g)].map(([, name]) => name);
  expect(listed.sort()).toEqual(routes.map(({ name }) => name).sort());
  for (const { name, endpoint } of routes) {
    const page = await call<string>(app, 'GET', `/docs/${name}`);
    expect([name, page.status]).toEqual([name, 200]);
    const names = [endpoint.params, endpoint.query, endpoint.body].flatMap((shape) => Object.keys(shape?.shape ?? {}));
    const missing = names.filter((field) => !page.body.includes(`<code>${field}</code>`));
    expect([name, missing]).toEqual([name, []]);
    expect(page.body).toContain(`<code>${endpoint.status}</code>`);
    for (const code of endpoint.errors) expect(page.body).toContain(`<code>${code}</code>`);
  }
});

test('200: words find endpoints by name, path and summary, also without a script', async () => {
  const names = async (words: string) =>
    [...(await call<string>(app, 'GET', `/docs?find=${words}`)).body.matchAll(/href="\/docs\/(\w+)"/g)].map(
      ([, name]) => name,
    );
  expect(await names('GETliveness')).toEqual(['getLiveness']);
  expect(await names('delete+voucher+rule')).toEqual(['removeVoucherRule']);
  expect(await names('nothing+has+this')).toEqual([]);
  expect((await names('')).length).toBe(routes.length);
});

test('404: an endpoint that does not exist has no page', async () => {
  expect((await call(app, 'GET', '/docs/getNothing')).status).toBe(404);
});

test('200: no page of ours may read a style or a font of another host', async () => {
  const { headers } = await call<string>(app, 'GET', '/docs');
  expect(headers.get('content-security-policy')).not.toMatch(/https?:/);
});

test('200: the document is sent packed to whom reads that, and is the same for others', async () => {
  const packed = await fetch(`${app.address}/openapi.json`);
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  const plain = await fetch(`${app.address}/openapi.json`, { headers: { 'Accept-Encoding': 'identity' } });
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(await plain.json()).toEqual(await packed.json());
});

test('200: every POST operation tells what a used Idempotency-Key is answered', async () => {
  const document = (await (await fetch(`${app.address}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>>;
  };
  const posts = Object.values(document.paths).flatMap(({ post }) => (post ? [post] : []));
  expect(posts.length).toBeGreaterThan(20);
  for (const { responses } of posts) {
    expect(responses['422']?.description).toContain('idempotency_key_reused');
    expect(responses['409']?.description).toContain('request_in_progress');
  }
});

test('200: the references of the document lead to its own components, and these refer to nothing', async () => {
  const document = await (await fetch(`${app.address}/openapi.json`)).json();
  const { schemas } = (document as { components: { schemas: Record<string, unknown> } }).components;
  const references = new Set([...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target));
  expect([...references].sort()).toEqual(Object.keys(schemas).map((name) => `#/components/schemas/${name}`));
  expect(JSON.stringify(schemas)).not.toContain('$ref');
});

describeInBrowser('the API reference', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => {
    chromium = await startChromium();
    visitor = await chromium.newVisitor();
  });
  afterAll(() => chromium.close());

  test('calls an operation, whatever name the server was reached by', async () => {
    const { page } = visitor;
    await page.goto(`${app.address}/docs`);
    expect(await faultsOf(visitor, 'docs')).toEqual([]);
    await page.getByRole('searchbox', { name: 'Find an endpoint' }).fill('liveness');
    await page.getByText('1 endpoint', { exact: true }).waitFor();
    await page.getByRole('link', { name: /\/health\/live/ }).click();
    await page.getByRole('button', { name: 'Send request' }).click();
    const answer = page.getByRole('status');
    await answer.getByText(/^200 OK in \d+ ms$/).waitFor();
    expect(await answer.innerText()).toContain(`curl -X GET '${app.address}/health/live'`);
    expect(await faultsOf(visitor, 'docs-operation')).toEqual([]);
  });

  test('sends parameters, a body of JSON and the token, and keeps the token for the next page', async () => {
    const merchant = await createMerchant(app);
    const { page } = visitor;
    await page.goto(`${app.address}/docs/createItem`);
    await page.getByLabel('Token').fill(merchant.token);
    const body = JSON.parse(await page.getByLabel('Body as JSON').inputValue()) as object;
    await page.getByLabel('Body as JSON').fill(JSON.stringify({ ...body, title: 'Made in the reference' }));
    await page.getByRole('button', { name: 'Send request' }).click();
    await page
      .getByRole('status')
      .getByText(/^201 Created in/)
      .waitFor();
    const { body: kept } = await call<{ collection: { title: string }[] }>(
      app,
      'GET',
      '/v2/items',
      undefined,
      merchant,
    );
    expect(kept.collection.map(({ title }) => title)).toEqual(['Made in the reference']);

    await page.goto(`${app.address}/docs/listItems`);
    await page.getByLabel('search').first().fill('title:Another');
    await page.getByRole('button', { name: 'Send request' }).click();
    const answer = page.getByRole('status');
    await answer.getByText(/^200 OK in/).waitFor();
    expect(await answer.innerText()).toContain('"collection": []');
  });

  test('without a script, the form says that it needs one', async () => {
    const { page, context } = await chromium.newVisitor({ hasScripts: false });
    await page.goto(`${app.address}/docs/getLiveness`);
    expect(await page.locator('noscript p').isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Send request' }).isDisabled()).toBe(true);
    await context.close();
  });
});
