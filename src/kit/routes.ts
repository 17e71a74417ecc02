import { type Endpoint, type Endpoints, type Method } from './endpoint';

export interface Route {
  name: string;
  endpoint: Endpoint;
  pattern: RegExp;
  parameters: string[];
}

/**
 * The declarations in mount order. At start, two declarations of one name are refused, and a path that an earlier one
 * hides.
 */
export function routeTable(modules: readonly Endpoints[]): Route[] {
  const routes = new Map<string, Route>();
  // Only paths of the same method and length can hide each other.
  const alike = new Map<string, { path: string; parts: string[] }[]>();
  for (const [name, endpoint] of modules.flatMap((module) => Object.entries(module))) {
    const { method, path } = endpoint;
    if (routes.has(name)) throw new Error(`Two endpoints are named ${name}`);
    const parts = path.split('/');
    const place = `${method} ${parts.length}`;
    const earlier = alike.get(place) ?? [];
    const shadow = earlier.find((one) => shadows(one.parts, parts));
    if (shadow) throw new Error(`${name} (${path}) is never reached: ${shadow.path} comes first`);
    alike.set(place, earlier);
    earlier.push({ path, parts });
    routes.set(name, { name, endpoint, pattern: pathPattern(path), parameters: parameterNames(path) });
  }
  return [...routes.values()];
}

/** The values of the path's parameters. Throws `URIError` if their escapes are invalid. */
export function matchPath(route: Route, path: string): Record<string, string> | undefined {
  const found = route.pattern.exec(path);
  if (!found) return undefined;
  const params: Record<string, string> = {};
  route.parameters.forEach((name, index) => {
    const value = found[index + 1] ?? '';
    params[name] = value.includes('%') ? decodeURIComponent(value) : value;
  });
  return params;
}

export interface FoundRoute {
  route: Route;
  params: Record<string, string>;
}

/**
 * Finds the first declaration that matches a request, among the few of the same method, length and first word. Express
 * tries all declarations before it, which took more time than most responses do.
 */
export function routeFinder(routes: readonly Route[]): (method: string, path: string) => FoundRoute | undefined {
  const places = new Map<string, Route[]>();
  for (const route of routes) {
    const { method, path } = route.endpoint;
    const place = placeOf(method.toUpperCase(), path);
    const there = places.get(place);
    if (there) there.push(route);
    else places.set(place, [route]);
  }
  return (method, path) => {
    for (const route of places.get(placeOf(method === 'HEAD' ? 'GET' : method, path)) ?? []) {
      const params = matchPath(route, path);
      if (params) return { route, params };
    }
    return undefined;
  };
}

/** `GET 3 items` for `/items/5/access`. A slash at the end is ignored. */
function placeOf(method: string, path: string): string {
  let length = 0;
  for (let slash = 0; slash !== -1 && slash < path.length - 1; slash = path.indexOf('/', slash + 1)) length += 1;
  const end = path.indexOf('/', 1);
  return `${method} ${length} ${path.slice(1, end === -1 ? undefined : end).toLowerCase()}`;
}

/** `/v2/items/{id}` in the syntax of Express. A colon in our paths is literal, as in `stripe:switch`. */
export function expressPath(path: string): string {
  return path.replaceAll(':', '\\:').replaceAll(/\{(\w+)\}/g, ':$1');
}

function parameterNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1] ?? '');
}

export function methodsOf(routes: readonly Route[], path: string): Method[] {
  const matching = routes.filter((route) => route.pattern.test(path));
  return [...new Set(matching.map((route) => route.endpoint.method))];
}

/** Matches the paths of a declaration. */
export function pathPattern(path: string): RegExp {
  const source = path
    .split(/\{\w+\}/)
    .map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('([^/]+)');
  return new RegExp(`^${source}/?$`, 'i');
}

function shadows(earlier: readonly string[], later: readonly string[]): boolean {
  return earlier.every((part, index) => part.startsWith('{') || part === later[index]);
}
