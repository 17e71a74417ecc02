import { pages, routes } from '../../src/endpoints';
import { type Route } from '../../src/kit/routes';
import { type Page } from '../../src/kit/pages/page';
import { type Target } from './requests';

/** All endpoints, and all pages. */
export type FuzzTarget = Target & ({ route: Route } | { page: Page });

const namesOf = (shape: { shape: object } | undefined) => Object.keys(shape?.shape ?? {});

export const targets: readonly FuzzTarget[] = [
  ...routes.map((route) => {
    const { method, path, query, body } = route.endpoint;
    return { route, name: route.name, method: method.toUpperCase(), path, query: namesOf(query), body: namesOf(body) };
  }),
  ...pages
    .flatMap((folder) => Object.entries(folder))
    .map(([name, page]) => {
      const { method, path, query, form } = page;
      return { page, name, method: method.toUpperCase(), path, query: namesOf(query), body: namesOf(form) };
    }),
];
