import { summaryOf } from '../../kit/endpoint';
import { html, type Html } from '../../kit/html';
import { type ApiFacts, tagOf } from '../../kit/openapi';
import { type Route } from '../../kit/routes';
import { marked } from './marked';

/** The first page of the reference: every endpoint, by area. */

/** `find`: words that the name, the path or the summary of an endpoint must contain. */
export function listPage(routes: readonly Route[], { title, description }: ApiFacts, find: string): Html {
  const found = routes.filter((route) => contains(route, find));
  const areas = [...Map.groupBy(found, ({ endpoint }) => tagOf(endpoint.path))];
  return html`<div class="stack roomy">
    <header class="stack">
      <h1>${title}: API reference</h1>
      <p>${description}</p>
      <p>
        Tools read <a href="/openapi.json">/openapi.json</a>, an OpenAPI document. Every field and error here is from
        the same declarations.
      </p>
      ${finder(find)}
      <p role="status" data-found>${found.length} endpoints</p>
    </header>
    <nav aria-label="Areas" class="areas">
      <ul>
        ${areas.map(([area]) => html`<li><a href="#${area}">${area}</a></li>`)}
      </ul>
    </nav>
    ${areas.map(([area, own]) => areaOf(area, own))}
  </div>`;
}

function finder(find: string): Html {
  return html`<form method="get" action="/docs" role="search" class="row finder">
    <label for="find" class="visually-hidden">Find an endpoint</label>
    <input id="find" name="find" type="search" value="${find}" placeholder="Find an endpoint" autocomplete="off" />
    <button type="submit">Find</button>
  </form>`;
}

function areaOf(area: string, routes: readonly Route[]): Html {
  return html`<section class="stack tight" id="${area}" aria-labelledby="area-${area}" data-area>
    <h2 id="area-${area}">${area}</h2>
    <ul class="endpoints">
      ${routes.map(rowOf)}
    </ul>
  </section>`;
}

function rowOf({ name, endpoint }: Route): Html {
  const { method, path } = endpoint;
  return html`<li data-text="${textOf({ name, endpoint })}">
    <a href="/docs/${name}"
      ><span class="verb ${method}">${method.toUpperCase()}</span> <code>${path}</code>
      <span class="quiet">${marked(summaryOf(endpoint))}</span></a
    >
  </li>`;
}

const textOf = ({ name, endpoint }: Pick<Route, 'name' | 'endpoint'>) =>
  `${name} ${endpoint.method} ${endpoint.path} ${summaryOf(endpoint)}`.toLowerCase();

const contains = (route: Route, find: string) =>
  find
    .toLowerCase()
    .split(/\s+/)
    .every((word) => textOf(route).includes(word));
