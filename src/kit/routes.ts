import { type Endpoint, type Endpoints, type Method } from './endpoint';

export interface Route {
  name: string;
  endpoint: Endpoint;
  pattern: RegExp;
  parameters: string[];
}

/** The declarations in mount order. Refuses, at start, two of one name and a path that an earlier one shadows. */
export function routeTable(modules: readonly Endpoints[]): Route[] {
  const routes: Route[] = [];
  for (const [name, endpoint] of modules.flatMap((module) => Object.entries(module))) {
    if (routes.some((route) => route.name === name)) throw new Error(`Two endpoints are named ${name}`);
    const shadow = routes.find((route) => shadows(route.endpoint, endpoint));
    if (shadow) throw new Error(`${name} (${endpoint.path}) is never reached: ${shadow.endpoint.path} comes first`);
    routes.push({ name, endpoint, pattern: pathPattern(endpoint.path), parameters: parameterNames(endpoint.path) });
  }
  return routes;
}

export function matchPath(route: Route, path: string): Record<string, string> | undefined {
  const found = route.pattern.exec(path);
  if (!found) return undefined;
  return Object.fromEntries(route.parameters.map((name, index) => [name, found[index + 1] ?? '']));
}

/** `/v2/items/{id}` as Express writes it; a colon of ours is literal (`stripe:switch`, wire 0.17). */
export function expressPath(path: string): string {
  return path.replaceAll(':', '\\:').replaceAll(/\{(\w+)\}/g, ':$1');
}

export function parameterNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1] ?? '');
}

export function methodsOf(routes: readonly Route[], path: string): Method[] {
  const matching = routes.filter((route) => route.pattern.test(path));
  return [...new Set(matching.map((route) => route.endpoint.method))];
}

function pathPattern(path: string): RegExp {
  const source = path
    .split(/\{\w+\}/)
    .map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('([^/]+)');
  return new RegExp(`^${source}/?$`, 'i');
}

function shadows(earlier: Endpoint, later: Endpoint): boolean {
  const ours = earlier.path.split('/');
  const theirs = later.path.split('/');
  if (earlier.method !== later.method || ours.length !== theirs.length) return false;
  return ours.every((part, index) => part.startsWith('{') || part === theirs[index]);
}
