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
    await page.getByRole('button', { name: 'Execute' }).click();
    const answer = page.locator('.live-responses-table .response');
    await answer.getByText('200', { exact: true }).waitFor();
    expect(await page.locator('.request-url').innerText()).toContain(`${app.address}/health/live`);
    expect(await faultsOf(visitor, 'docs')).toEqual([]);
  });
});
