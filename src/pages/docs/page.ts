import { dirname } from 'node:path';
import { static as serveStatic, Router } from 'express';
import { html } from '../../kit/html';

const page = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Subscription paywall: API reference</title>
      <link rel="stylesheet" href="/docs/assets/swagger-ui.css" />
      <link rel="icon" href="/docs/assets/favicon-32x32.png" />
    </head>
    <body>
      <div id="reference"></div>
      <script src="/docs/assets/swagger-ui-bundle.js"></script>
      <script src="/docs/reference.js"></script>
    </body>
  </html>`.text;

const script = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, docExpansion: 'list',
  defaultModelsExpandDepth: -1, displayRequestDuration: true, persistAuthorization: true, validatorUrl: null });`;

/** The API reference, from the OpenAPI document alone and without any other host. */
export function docsPage(): Router {
  const assets = dirname(require.resolve('swagger-ui-dist/package.json'));
  const router = Router();
  router.get('/docs', (_request, response) => void response.type('html').send(page));
  router.get('/docs/reference.js', (_request, response) => void response.type('js').send(script));
  router.use('/docs/assets', serveStatic(assets, { index: false, maxAge: '1h' }));
  return router;
}
