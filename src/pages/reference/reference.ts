import { Router } from 'express';
import { html, type Html } from '../../kit/html';
import { type ApiFacts } from '../../kit/openapi';
import { type Route } from '../../kit/routes';
import { assetAddress } from '../layout/assets';
import { documentOf } from '../layout/page';
import { textsFor } from '../layout/texts';
import { houseTheme, themeProperties } from '../layout/theme';
import { listPage } from './list';
import { operationPage } from './operation';

/** The API reference, drawn from the declarations. Each endpoint has a page of its own. */
export function referencePages(routes: readonly Route[], facts: ApiFacts): Router {
  const byName = new Map(routes.map((route) => [route.name, route]));
  const router = Router();
  router.get('/docs', ({ query: { find } }, response) => {
    const words = typeof find === 'string' ? find : '';
    response.type('html').send(whole(`${facts.title}: API reference`, listPage(routes, facts, words)));
  });
  router.get('/docs/:name', ({ params: { name } }, response, next) => {
    const route = byName.get(name);
    if (!route) return void next();
    response.type('html').send(whole(`${name} · API reference`, operationPage(route)));
  });
  return router;
}

/** A page without a session. The API is described in English only. */
function whole(title: string, content: Html): string {
  const head = html`<link rel="icon" href="data:," />
    <link rel="stylesheet" href="${assetAddress('reference.css')}" />
    <style>
      ${themeProperties(houseTheme)}
    </style>
    <script src="${assetAddress('reference.js')}" defer></script>`;
  return documentOf({ texts: textsFor({ languages: ['en'] }), frame: { title }, head }, content).text;
}
