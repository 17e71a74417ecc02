import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../support/chromium';
import { call } from '../support/client';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('200: the API reference, with every part of it from this host', async () => {
  const page = await call<string>(app, 'GET', '/docs');
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toContain('text/html');
  const parts = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '');
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts) {
    expect(part).toMatch(/^\/docs\//);
    expect((await call(app, 'GET', part)).status).toBe(200);
  }
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
    await page.locator('#operations-tag-health').click();
    await page.locator('#operations-health-getLiveness .opblock-summary-control').click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    const tooMany = page.locator('.response[data-code="429"]');
    expect(await tooMany.locator('.microlight').innerText()).toContain('"message"');
    await page.getByRole('button', { name: 'Execute' }).click();
    const answer = page.locator('.live-responses-table .response');
    await answer.getByText('200', { exact: true }).waitFor();
    expect(await page.locator('.request-url').innerText()).toContain(`${app.address}/health/live`);
    // Swagger UI decides about its landmarks and the levels of its headings.
    const faults = await faultsOf(visitor, 'docs');
    expect(faults.filter((fault) => !/: (?:landmark-|heading-order)/.test(fault))).toEqual([]);
  });
});
