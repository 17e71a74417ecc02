import '../support/generatedSettings';
import { policyOf } from '../../src/kit/policy';
import { type Route } from '../../src/kit/routes';
import { examplesOf } from '../support/examples';
import { faultOf, findsNothing, generatedRoutes, inParallel, sendExample } from '../support/generated';
import { startApp, type TestApp } from '../support/startApp';
import { callersAt, naturalPerson, type TestCaller, testCallers } from '../support/testCallers';
import { createWorld, type World } from '../support/world';

let app: TestApp;

/** A tenant and its callers. */
interface Tenant {
  world: World;
  callers: readonly TestCaller[];
}

let tenant: Tenant;

beforeAll(async () => {
  app = await startApp();
  const world = await createWorld(app);
  tenant = { world, callers: testCallers(world, await createWorld(app)) };
});

afterAll(() => app.stop());

describe('2xx: whom the policy lets in succeeds with the own, and finds nothing of another tenant', () => {
  test.each(generatedRoutes)('%s', async (_name, route) => {
    expect(await complaintsAbout(route, tenant)).toEqual([]);
  });
});

async function complaintsAbout(route: Route, tenant: Tenant): Promise<string[]> {
  const { verdicts } = policyOf(route.endpoint.auth);
  const admitted = callersAt(route, tenant.callers).filter(({ kind }) => verdicts[kind] === 'pass');
  const complaints = await inParallel(admitted, async (caller) => {
    const fault = await faultOfCell(tenant.world, route, caller).catch(
      (error: Error) => `the example fails: ${error.message}`,
    );
    return fault === undefined ? [] : [`${caller.name}: ${fault}`];
  });
  return complaints.flat();
}

/** A request that names rows of the tenant comes from that tenant. Other requests come from the caller's own tenant. */
async function faultOfCell(world: World, route: Route, caller: TestCaller): Promise<string | undefined> {
  const { endpoint } = route;
  const [example] = examplesOf(route.name);
  const { scope, actorScope } = policyOf(endpoint.auth);
  const isOperators = endpoint.auth.kind === 'operator';
  const {
    person,
    world: own,
    token,
  } = await caller.signIn({ scope, actorScope, spends: example.spends ?? false, isOperators });
  const isPublic = endpoint.auth.kind === 'anyone' || endpoint.auth.kind === 'forgiving';
  const isStranger = !caller.isOwn && !isPublic && example.owned !== undefined;
  const request =
    isStranger || isPublic
      ? await example.request(world, isPublic ? person : naturalPerson(world, route))
      : await example.request(own, person);
  const reply = await sendExample(app, route, request, token);
  if (example.answers === reply.status) return undefined;
  const fault = faultOf(route, reply);
  if (fault !== undefined) return fault;
  const isList =
    endpoint.method === 'get' && Object.keys(example.owned ?? {}).every((name) => name.startsWith('query.'));
  const isRight = isStranger && !isList ? findsNothing(reply) : reply.status === endpoint.status;
  return isRight ? undefined : `answers ${reply.status} ${JSON.stringify(reply.body)}`;
}
