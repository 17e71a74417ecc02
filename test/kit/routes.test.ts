import { z } from 'zod';
import { anyone } from '../../src/kit/auth';
import { endpoint, type Method } from '../../src/kit/endpoint';
import { expressPath, matchPath, methodsOf, routeFinder, routeTable } from '../../src/kit/routes';
import { pages, routes as allRoutes } from '../../src/endpoints';

const at = (path: string, method: Method = 'get') =>
  endpoint({
    method,
    path,
    summary: path,
    auth: anyone(),
    status: 200,
    response: z.null(),
    errors: [],
    handler: () => Promise.resolve(null),
  });

describe('routeTable refuses', () => {
  test.each([
    ['/vouchers/{id}', '/vouchers/gifts'],
    ['/branding/paywall/{merchant_uuid}/{id}', '/branding/paywall/{merchant_uuid}/default'],
    ['/items/{merchant_uuid}/{id}', '/items/{id}/access'],
    ['/items/{id}', '/items/{item_id}'],
    ['/items', '/items'],
  ])('%s before %s, which would never be reached', (earlier, later) => {
    expect(() => routeTable([{ first: at(earlier) }, { second: at(later) }])).toThrow(
      `second (${later}) is never reached: ${earlier} comes first`,
    );
  });

  test('two endpoints of one name', () =>
    expect(() => routeTable([{ getItem: at('/a') }, { getItem: at('/b') }])).toThrow(
      'Two endpoints are named getItem',
    ));
});

describe('routeTable accepts', () => {
  test.each([
    ['/vouchers/gifts', '/vouchers/{id}'],
    ['/items/{id}/access', '/items/{merchant_uuid}/{id}'],
    ['/items/{id}', '/items/{id}/access'],
    ['/v2/items/{id}', '/items/{id}'],
  ])('%s before %s', (earlier, later) =>
    expect(routeTable([{ first: at(earlier), second: at(later) }]).map(({ name }) => name)).toEqual([
      'first',
      'second',
    ]),
  );

  test('one path with two methods', () =>
    expect(routeTable([{ first: at('/items/{id}'), second: at('/items/{id}', 'delete') }])).toHaveLength(2));
});

test('a path matches as a whole, without case, with or without a slash at its end', () => {
  const [route] = routeTable([{ checkAccess: at('/items/{id}/access') }]);
  if (!route) throw new Error('no route');
  expect(matchPath(route, '/items/5/access')).toEqual({ id: '5' });
  expect(matchPath(route, '/Items/5/access/')).toEqual({ id: '5' });
  for (const path of [
    '/items/5/6/access',
    '/items//access',
    '/v2/items/5/access',
    '/items/5/access/x',
    '/items/5/accessx',
  ])
    expect(matchPath(route, path)).toBeUndefined();
});

test('a colon and a dot in a path are themselves', () => {
  const routes = routeTable([
    { switchPlan: at('/v2/subscriptions/stripe:switch', 'post'), keys: at('/.well-known/jwks.json') },
  ]);
  expect(expressPath('/v2/subscriptions/stripe:switch')).toBe('/v2/subscriptions/stripe\\:switch');
  expect(expressPath('/items/{id}/x')).toBe('/items/:id/x');
  expect(methodsOf(routes, '/v2/subscriptions/stripe:switch')).toEqual(['post']);
  expect(methodsOf(routes, '/.well-known/jwks.json')).toEqual(['get']);
  expect(methodsOf(routes, '/.well-known/jwksXjson')).toEqual([]);
});

const sample = (path: string) => path.replaceAll(/\{\w+\}/g, '7');

describe('an endpoint is found', () => {
  const find = routeFinder(allRoutes);

  test('as if all were tried in turn, each by its own address', () => {
    for (const { endpoint } of allRoutes) {
      const method = endpoint.method.toUpperCase();
      for (const path of [sample(endpoint.path), `${sample(endpoint.path)}/`, sample(endpoint.path).toUpperCase()]) {
        const first = allRoutes.find((route) => route.endpoint.method === endpoint.method && matchPath(route, path));
        expect([method, path, find(method, path)?.route.name]).toEqual([method, path, first?.name]);
      }
    }
  });

  test('with its parameters, decoded once', () =>
    expect(find('GET', '/items/a%2Fb%2525/access')).toMatchObject({ params: { id: 'a/b%25' } }));

  test('by HEAD where there is a GET, and by no other method', () => {
    expect(find('HEAD', '/health/live')?.route.name).toBe(find('GET', '/health/live')?.route.name);
    for (const method of ['POST', 'TRACE', 'OPTIONS', '']) expect(find(method, '/health/live')).toBeUndefined();
  });

  test.each(['', '/', '//', '//health/live', '/health//live', '/health', '/health/live/x', 'health/live', '*'])(
    'by no address such as %j',
    (path) => expect(find('GET', path)).toBeUndefined(),
  );
});

test("no page has an endpoint's address: endpoints are answered first", () => {
  const find = routeFinder(allRoutes);
  for (const { method, path } of pages.flatMap((folder) => Object.values(folder)))
    expect([path, find(method.toUpperCase(), sample(path))?.route.name]).toEqual([path, undefined]);
  for (const path of ['/docs', '/docs/getLiveness', '/openapi.json', '/codec', '/assets/x.js'])
    expect([path, find('GET', path)?.route.name]).toEqual([path, undefined]);
});
