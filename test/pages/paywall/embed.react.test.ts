import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { transformSync } from '@swc/core';
import { type Chromium, describeInBrowser, startChromium, untilTrue } from '../../support/chromium';
import { createFee, createShop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

/** The React component of `docs/embedding.md`, as it is written there. */

const written = readFileSync(resolve(__dirname, '../../../docs/embedding.md'), 'utf8');
const [, component = ''] = /```jsx\n(.*?)```/s.exec(written) ?? [];

const packaged = (path: string) => readFileSync(resolve(__dirname, '../../../node_modules', path), 'utf8');

const compile = (text: string) =>
  transformSync(text, {
    jsc: {
      parser: { syntax: 'ecmascript', jsx: true },
      transform: { react: { runtime: 'classic' } },
      target: 'es2022',
    },
    module: { type: 'commonjs' },
  }).code;

/** React has no file for a `<script>`: each file becomes a function that receives `require`. */
function bundle(service: string): string {
  const files = {
    react: packaged('react/cjs/react.development.js'),
    scheduler: packaged('scheduler/cjs/scheduler.development.js'),
    'react-dom': packaged('react-dom/cjs/react-dom.development.js'),
    'react-dom/client': packaged('react-dom/cjs/react-dom-client.development.js'),
    paywall: compile(`import * as React from 'react';\n${component.replace('https://pay.example.org', service)}`),
  };
  const parts = Object.entries(files).map(
    ([name, text]) => `${JSON.stringify(name)}: (require, module, exports) => {\n${text}\n}`,
  );
  return `var process = { env: { NODE_ENV: 'development' } };
    const files = {${parts.join(',')}};
    const loaded = {};
    const require = (name) => {
      if (!loaded[name]) files[name](require, (loaded[name] = { exports: {} }), loaded[name].exports);
      return loaded[name].exports;
    };
    const React = require('react');
    const { Paywall } = require('paywall');
    const heard = [];
    const root = require('react-dom/client').createRoot(document.querySelector('main'));
    const show = (fields) => root.render(React.createElement(React.StrictMode, null, fields &&
      React.createElement(Paywall, { ...fields, onMessage: ({ type }) => heard.push(type),
        onError: ({ message }) => heard.push(message) })));`;
}

describeInBrowser('the paywall in a page of React', () => {
  let app: TestApp;
  let chromium: Chromium;
  let site: Server;

  beforeAll(async () => {
    app = await startApp();
    const script = bundle(app.address);
    chromium = await startChromium();
    site = createServer((request, response) => {
      const isScript = request.url === '/app.js';
      response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
      response.end(
        isScript ? script : '<!doctype html><title>News</title><main></main><script src="/app.js"></script>',
      );
    });
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
  });

  afterAll(async () => {
    await chromium.close();
    site.closeAllConnections();
    site.close();
    await once(site, 'close');
    await app.stop();
  });

  const openSite = async () => {
    const visitor = await chromium.newVisitor();
    await visitor.page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    const show = (fields: object | null) => visitor.page.evaluate(`show(${JSON.stringify(fields)})`);
    return { ...visitor, show };
  };

  test('shows one frame, follows its properties, and leaves nothing behind', async () => {
    const { merchant, item } = await createShop(app);
    await createFee(app, merchant, item.id);
    const { page, context, show } = await openSite();
    await show({ merchant: merchant.uuid, item: item.id });
    await page.frameLocator('main iframe').getByRole('link', { name: 'Get access' }).waitFor();
    // Strict mode mounts each component twice.
    expect(await page.locator('iframe').count()).toBe(1);
    await untilTrue(page, `heard.includes('paywall.shown')`);
    await show({ merchant: merchant.uuid, item: item.id, language: 'ar' });
    await page.frameLocator('main iframe').locator('html[lang="ar"]').waitFor();
    expect(await page.locator('iframe').count()).toBe(1);
    await show(null);
    await page.locator('iframe').waitFor({ state: 'detached' });
    expect(await page.locator('script[src$="/embed.js"]').count()).toBe(1);
    await context.close();
  });

  test('reports a script that does not load, and loads it at the next attempt', async () => {
    const { merchant, item } = await createShop(app);
    const { page, context, show } = await openSite();
    await page.route('**/embed.js', (route) => route.abort());
    await show({ merchant: merchant.uuid, item: item.id });
    await untilTrue(page, `heard.includes('The paywall did not load.')`);
    await page.unroute('**/embed.js');
    await show({ merchant: merchant.uuid, item: item.id, language: 'en' });
    await page.locator('main iframe').waitFor();
    await context.close();
  });
});
