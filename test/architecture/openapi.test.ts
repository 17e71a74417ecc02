import { routes } from '../../src/endpoints';
import { call } from '../support/client';
import { openApiComplaints } from '../support/openapi';
import { startApp, type TestApp } from '../support/startApp';

type Node = Record<string, unknown>;

let app: TestApp;
let document: Node;

beforeAll(async () => {
  app = await startApp();
  document = (await call<Node>(app, 'GET', '/openapi.json')).body;
});

afterAll(() => app.stop());

describe('the OpenAPI document', () => {
  test('is OpenAPI 3.1', () => expect(openApiComplaints(document)).toEqual([]));

  test('has every endpoint, under its own name', () => {
    const { paths } = document as { paths: Record<string, Record<string, { operationId: string }>> };
    const named = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(named.sort()).toEqual(routes.map(({ name }) => name).sort());
    expect(named.length).toBeGreaterThan(15);
  });

  // An interface changes here before it changes for clients. Meant it? `npx jest test/architecture/openapi -u`, and commit.
  test('is the one that was reviewed', () => expect(document).toMatchSnapshot());
});

/** The document with one value changed. Undefined removes it. */
function spoilt(place: string[], value: unknown): Node {
  const copy = structuredClone(document);
  const name = place.at(-1) ?? '';
  const parent = place.slice(0, -1).reduce<Node>((node, step) => node[step] as Node, copy);
  if (value === undefined) delete parent[name];
  else parent[name] = value;
  return copy;
}

const ownAccount = ['paths', '/accounts', 'get'];
const foreignParameter = { name: 'id', in: 'path', required: true, schema: {} };

describe('the check of the document reports', () => {
  test.each<[string, string[], unknown, string]>([
    ['another version', ['openapi'], '3.0.0', 'openapi: '],
    ['a path without a slash', ['paths', 'accounts'], {}, 'paths.accounts: '],
    ['an unknown method', ['paths', '/accounts', 'fetch'], {}, 'paths./accounts: '],
    ['a field that is none', [...ownAccount, 'auth'], 1, 'paths./accounts.get: '],
    ['two of one name', [...ownAccount, 'operationId'], 'createAccount', 'Two operations are named createAccount'],
    [
      'a path parameter that is not declared',
      ['paths', '/items/{id}/access', 'get', 'parameters'],
      [],
      'checkAccess: id is not declared',
    ],
    [
      'a path parameter that is in no path',
      [...ownAccount, 'parameters'],
      [foreignParameter],
      'getAccount: id is not in the path',
    ],
    [
      'a path parameter that may be left out',
      ['paths', '/items/{id}/access', 'get', 'parameters'],
      [{ ...foreignParameter, required: false }],
      'checkAccess: id must be required',
    ],
    [
      'a reference that leads nowhere',
      ['components', 'schemas', 'Error'],
      undefined,
      '#/components/schemas/Error leads nowhere',
    ],
    [
      'a scheme that is none',
      [...ownAccount, 'security'],
      [{ cookie: [] }],
      'getAccount: no security scheme is named cookie',
    ],
    [
      'a schema that is none',
      ['components', 'schemas', 'Error', 'type'],
      'record',
      'a schema must be equal to one of the allowed values',
    ],
    [
      'an operation that cannot succeed',
      [...ownAccount, 'responses', '200'],
      undefined,
      'getAccount: no answer is a success',
    ],
  ])('%s', (_what, place, value, complaint) =>
    expect(openApiComplaints(spoilt(place, value))).toContainEqual(expect.stringContaining(complaint)),
  );
});
