import { createMerchant } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

/** An address that does not exist answers a visitor with a page, and a program with JSON. */

let app: TestApp;
let merchantUuid: string;

beforeAll(async () => {
  app = await startApp();
  merchantUuid = (await createMerchant(app)).uuid;
});
afterAll(() => app.stop());

const ofBrowsers = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const ask = async (path: string, accept: string, language = 'en', method = 'GET') => {
  const response = await fetch(`${app.address}${path}`, {
    method,
    headers: { Accept: accept, 'Accept-Language': language },
  });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
};

const addresses = () => [
  '/console/nowhere',
  '/console/vouchers/1/2/3',
  '/portal',
  `/portal/${merchantUuid}/nowhere`,
  '/paywall',
  `/paywall/${merchantUuid}`,
  `/paywall/${merchantUuid}/1/nowhere`,
];

test('404 not_found: a browser is shown a page, in its language', async () => {
  for (const path of addresses()) {
    const { status, type, text } = await ask(path, ofBrowsers);
    expect([path, status, type]).toEqual([path, 404, 'text/html; charset=utf-8']);
    expect(text).toContain('Page not found');
    expect(text).toContain('This page does not exist.');
  }
  expect((await ask('/console/nowhere', ofBrowsers, 'ar')).text).toContain('dir="rtl"');
});

test('404 item_not_found: an item that does not exist, in the language of the visitor', async () => {
  const path = `/paywall/${merchantUuid}/2000000000`;
  const texts = { en: 'This page does not exist.', ar: 'هذه الصفحة غير موجودة.', de: 'Diese Seite gibt es nicht.' };
  for (const [language, text] of Object.entries(texts)) {
    const page = await ask(path, ofBrowsers, language);
    expect([language, page.status, page.text.includes(text)]).toEqual([language, 404, true]);
  }
});

test('404 not_found: the page leads on to the console or to the portal', async () => {
  const portal = `/portal/${merchantUuid}`;
  expect((await ask('/console/nowhere', ofBrowsers)).text).toContain('href="/console"');
  expect((await ask(`${portal}/nowhere`, ofBrowsers)).text).toContain(`href="${portal}"`);
  expect((await ask('/portal', ofBrowsers)).text).not.toContain('class="button"');
});

test('404 not_found: a program is told so in JSON, and so is who asks for no page', async () => {
  for (const path of addresses()) {
    const { status, type, text } = await ask(path, '*/*');
    expect([path, status, type]).toEqual([path, 404, 'application/json; charset=utf-8']);
    expect(JSON.parse(text)).toMatchObject({ error: 'not_found' });
  }
  expect((await ask('/nowhere', ofBrowsers)).type).toContain('application/json');
  expect((await ask('/console/nowhere', ofBrowsers, 'en', 'POST')).type).toContain('application/json');
});

test('paywall and portal say that no money moves, to every visitor', async () => {
  for (const path of [`/portal/${merchantUuid}/sign-in`, '/console/sign-in', `/paywall/${merchantUuid}/1`]) {
    const { text } = await ask(path, ofBrowsers);
    expect([path, text.includes('<aside class="ribbon">Test mode')]).toEqual([path, true]);
  }
});
