import '../support/generatedSettings';
import { type Route } from '../../src/kit/routes';
import { type BadRequest, badBodies, badRequests, badSegments, shareOf } from '../support/badInput';
import { type Example, examplesOf } from '../support/examples';
import { tablesChangedBy } from '../support/fingerprint';
import {
  faultOf,
  fromNewAddress,
  generatedRoutes,
  inParallel,
  methodOf,
  naturalRole,
  pathOf,
  patiently,
} from '../support/generated';
import { expectNone, type Findings, inGroups } from '../support/groups';
import { send } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';
import { createWorld, type World } from '../support/world';
import { callerFor } from '../support/operators';

interface Sent extends Omit<BadRequest, 'field' | 'expect'> {
  expect: readonly number[] | undefined;
  /** The field that the answer has to name. */
  field?: string;
  path: string;
}

interface Prepared {
  route: Route;
  sent: Sent;
  token: string;
}

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app);
});

afterAll(() => app.stop());

describe('400, 404, 413, 415, 422: bad input in any field is refused by name, and nothing is stored', () => {
  const reading = generatedRoutes.filter(([, { endpoint }]) => endpoint.params ?? endpoint.query ?? endpoint.body);

  const findingsOf = inGroups(
    reading.map(([, route]) => route),
    findings,
  );
  test.each(reading)('%s', (_name, route) => expectNone(route, findingsOf, findings));
});

async function findings(routes: readonly Route[]): Promise<Findings> {
  const prepared = (await inParallel(routes, requestsOf)).flat();
  const complaints: Record<string, string[]> = {};
  const sendAll = (requests: Prepared[]) =>
    inParallel(requests, async ({ route, sent, token }) => {
      const faults = await faultOfSent(route, sent, token);
      if (faults.length > 0) (complaints[route.name] ??= []).push(...faults);
    });
  const isBad = ({ sent }: Prepared) => sent.expect !== undefined;
  const changed = await tablesChangedBy(app.pool, () => sendAll(prepared.filter(isBad)));
  // A request that the fields' rules allow can succeed or fail. It comes last, because it can use up the valid request.
  await sendAll(prepared.filter((one) => !isBad(one)));
  return { complaints, changed };
}

async function requestsOf(route: Route): Promise<Prepared[]> {
  const [example] = examplesOf(route.name);
  const caller = await callerFor(naturalRole(route), world, example);
  const sound = await example.request(world, caller);
  const path = pathOf(route, { ...(sound.params && { params: sound.params }) });
  const fields = badRequests(route, example, sound).map(({ expect, field, query, ...bad }) => ({
    ...bad,
    path: query ? `${path}?${query}` : path,
    ...(expect === 'refused' && { field }),
    expect: expect === 'refused' ? [400, 422] : undefined,
  }));
  const bodies = shareOf(badBodies, route.name).map((bad) => ({ ...bad, path, expect: [400, 413, 415] }));
  const all = [...fields, ...(route.endpoint.body ? bodies : []), ...segmentsOf(route, example, sound.params)];
  return all.map((sent) => ({ route, sent, token: caller.token }));
}

function segmentsOf(route: Route, { forgiving = {} }: Example, params: Record<string, string | number> = {}): Sent[] {
  return Object.keys(params).flatMap((name) =>
    shareOf(badSegments, route.name + name).map((segment) => ({
      what: `${name} ${segment.slice(0, 20)}`,
      path: pathOf(route, { params: { ...params, [name]: '\u0001' } }).replace('%01', segment),
      // A page tells the visitor that the link is not valid.
      expect:
        route.endpoint.produces === 'text/html' || `params.${name}` in forgiving
          ? [200, 400, 404, 422]
          : [400, 404, 422],
    })),
  );
}

async function faultOfSent(
  route: Route,
  { what, path, field, expect, ...sent }: Sent,
  token: string,
): Promise<string[]> {
  const options = { ...sent, token, headers: fromNewAddress() };
  const reply = await patiently(() => send(app, methodOf(route), path, options));
  const complain = (fault: string) => [`${what}: ${fault}`];
  const fault = faultOf(route, reply);
  if (fault !== undefined) return complain(fault);
  if (expect === undefined) return [];
  if (!expect.includes(reply.status)) return complain(`answers ${reply.status}`);
  const { error, errors = {} } = reply.body;
  const isNamed = error === 'malformed_request' || Object.keys(errors).some((name) => name.split('.')[0] === field);
  return field === undefined || isNamed ? [] : complain(`the answer does not name it: ${JSON.stringify(reply.body)}`);
}
