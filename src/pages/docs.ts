import { dirname } from 'node:path';
import { static as serveStatic, Router } from 'express';
import { html } from '../kit/html';

const page = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Subscription paywall: API reference</title>
      <link rel="stylesheet" href="/docs/assets/swagger-ui.css" />
      <link rel="stylesheet" href="/docs/reference.css" />
      <link rel="icon" href="/docs/assets/favicon-32x32.png" />
    </head>
    <body>
      <main id="reference"></main>
      <script src="/docs/assets/swagger-ui-bundle.js"></script>
      <script src="/docs/reference.js"></script>
    </body>
  </html>`.text;

/**
 * The resolver of the bundle copies the whole document for each opened operation, which stops the page for seconds. The
 * document refers only to its own components, so the plugin looks these up.
 *
 * Tags are folded at first, because there are many operations. The script adds two things that the bundle does not have
 * for screen readers and keyboards: a name for the list of servers, and examples that can be scrolled. Links to
 * operations are off, because they would be links inside buttons.
 */
const script = `const read = (node, steps) => steps.reduce((parent, step) => parent?.[step], node);
const resolve = (document, node) => {
  if (node === null || typeof node !== 'object') return node;
  if (Array.isArray(node)) return node.map((element) => resolve(document, element));
  if ('$ref' in node) return resolve(document, read(document, node.$ref.slice('#/'.length).split('/')));
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolve(document, value)]));
};
const resolveSubtree = async (document, steps) => ({ spec: resolve(document, read(document, steps)), errors: [] });
SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: false, docExpansion: 'none',
  filter: true, defaultModelsExpandDepth: -1, displayRequestDuration: true, persistAuthorization: true, validatorUrl: null,
  plugins: [() => ({ fn: { resolveSubtree } })],
  syntaxHighlight: { activated: false } });
const mend = () => {
  document.querySelector('#servers')?.setAttribute('aria-label', 'Server');
  document.querySelector('.operation-filter-input')?.setAttribute('aria-label', 'Filter the areas by name');
  for (const example of document.querySelectorAll('.microlight')) example.tabIndex = 0;
  for (const input of document.querySelectorAll('tr :is(input, select, textarea):not([aria-label])')) {
    const { propertyName, paramName } = input.closest('tr').dataset;
    input.setAttribute('aria-label', propertyName ?? paramName ?? 'Value');
  }
};
new MutationObserver(mend).observe(document.getElementById('reference'), { childList: true, subtree: true });`;

/** Colours with enough contrast to the background. */
const style = `
.swagger-ui .info { margin: 2rem 0; }
.swagger-ui .info .title small { background: #5c5c66; }
.swagger-ui .info .title small.version-stamp { background: #3c6600; }
.swagger-ui .info .base-url, .swagger-ui .info a, .swagger-ui .url { color: #1d4ed8; }
.swagger-ui .btn.authorize, .swagger-ui .btn.authorize span { color: #166534; border-color: #166534; }
.swagger-ui .btn.authorize svg { fill: #166534; }
.swagger-ui .btn.cancel { color: #a3161a; border-color: #a3161a; }
.swagger-ui .btn.execute { background: #1d4ed8; border-color: #1d4ed8; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #166534; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1e4a8a; }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #7a4a00; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0b5c60; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #a3161a; }
.swagger-ui .parameter__name.required span, .swagger-ui .parameter__name.required::after,
.swagger-ui .opblock-section-request-body .opblock-section-header h4 .required, .swagger-ui .prop-type { color: #a3161a; }
.swagger-ui .parameter__in, .swagger-ui .parameter__deprecated { color: #5c5c66; }
.swagger-ui .download-contents { background: #4b5563; }
.swagger-ui .opblock .opblock-section-header { flex-wrap: wrap; gap: 0.5rem; }
.swagger-ui .table-container, .swagger-ui .responses-inner, .swagger-ui .opblock-description-wrapper { overflow-x: auto; }
.swagger-ui :focus-visible { outline: 3px solid #2f6fed; outline-offset: 2px; }
`;

/** The API reference, built from the OpenAPI document. It loads nothing from other hosts. */
export function docsPage(): Router {
  const assets = dirname(require.resolve('swagger-ui-dist/package.json'));
  const router = Router();
  router.get('/docs', (_request, response) => void response.type('html').send(page));
  router.get('/docs/reference.js', (_request, response) => void response.type('js').send(script));
  router.get('/docs/reference.css', (_request, response) => void response.type('css').send(style));
  router.use('/docs/assets', serveStatic(assets, { index: false, maxAge: '1h' }));
  return router;
}
