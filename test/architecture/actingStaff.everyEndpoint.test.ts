import '../support/generatedSettings';
import { isPublic, type Scope, scopes } from '../../src/kit/auth';
import { policyOf } from '../../src/kit/policy';
import { type Route } from '../../src/kit/routes';
import { scopesOfRole } from '../../src/kit/staffRoles';
import { call } from '../support/client';
import { type Person } from '../support/factories';
import { tablesChangedBy } from '../support/fingerprint';
import { examplesOf } from '../support/examples';
import { faultOf, generatedRoutes, inParallel, sendExample } from '../support/generated';
import { expectNone, type Findings, inGroups } from '../support/groups';
import { createRole, createStaff } from '../support/staff';
import { startApp, type TestApp } from '../support/startApp';
import { naturalPerson } from '../support/testCallers';
import { cloneConsumer, createFollower, createWorld, openSession, type World } from '../support/world';

/**
 * Each endpoint by a real request of each member of the staff who acts as a customer, and of a master that acts as its
 * follower.
 */

interface Actor {
  name: string;
  person: Person;
  scopes: readonly Scope[];
}

const roles = ['owner', 'admin', 'support'] as const;

let app: TestApp;
let world: World;
let actors: readonly Actor[];

beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app);
  const ofRoles = await Promise.all(
    roles.map(async (role) => {
      const person = await createStaff(app, world.merchant, { role });
      return { name: role, person, scopes: scopesOfRole(role) };
    }),
  );
  const role_id = await createRole(app, world.merchant, ['impersonate']);
  const person = await createStaff(app, world.merchant, { role_id });
  actors = [...ofRoles, { name: 'only impersonate', person, scopes: ['impersonate'] }];
});
afterAll(() => app.stop());

async function actAs({ person }: Actor, { id }: Person): Promise<string> {
  const [path, fields] = ['/v2/accounts/impersonate', { customer_id: id }];
  const { body } = await call<{ access_token: string }>(app, 'POST', path, fields, await openSession(person));
  return body.access_token;
}

/** Whether an actor may make the call as a customer, by the table of the policy. */
function isOpenTo({ scopes: held }: Pick<Actor, 'scopes'>, { endpoint: { auth } }: Route): boolean {
  const { actorScope, verdicts } = policyOf(auth);
  return isPublic(auth) || (actorScope !== undefined && held.includes(actorScope) && verdicts.actedConsumer === 'pass');
}

const guarded = generatedRoutes.filter(([, { endpoint }]) => !isPublic(endpoint.auth));

interface Knock {
  name: string;
  token: string;
}

/** A refused request changes nothing, so all endpoints see the same tokens. */
const knownTokens = new Map<string, Promise<string>>();
const tokenOf = (name: string, open: () => Promise<string>): Promise<string> => {
  const token = knownTokens.get(name) ?? open();
  knownTokens.set(name, token);
  return token;
};

/**
 * The master acts as a follower that has all scopes but the required one. A call that requires none is refused only if it is
 * closed to actors.
 */
function masterKnock({ endpoint: { auth } }: Route): Promise<Knock>[] {
  const { scope, verdicts } = policyOf(auth);
  if (scope === undefined && verdicts.actedFollower === 'pass') return [];
  const granted = scopes.filter((each) => each !== scope);
  const name = `a master acting as a follower without ${scope ?? 'a right'}`;
  const token = tokenOf(name, async () => (await createFollower(world, granted)).acted);
  return [token.then((known) => ({ name, token: known }))];
}

async function knocksAt(route: Route): Promise<Knock[]> {
  const refused = actors.filter((actor) => !isOpenTo(actor, route));
  const byStaff = refused.map(async (actor) => ({
    name: actor.name,
    token: await tokenOf(actor.name, () => actAs(actor, world.consumer)),
  }));
  return Promise.all([...byStaff, ...masterKnock(route)]);
}

async function refuse(routes: readonly Route[]): Promise<Findings> {
  const prepared = await inParallel(routes, async (route) => {
    const request = await examplesOf(route.name)[0].request(world, naturalPerson(world, route));
    return { route, request, knocks: await knocksAt(route) };
  });
  const knocks = prepared.flatMap(({ knocks: all, ...call }) => all.map((knock) => ({ ...call, ...knock })));
  const complaints: Record<string, string[]> = {};
  const changed = await tablesChangedBy(app.pool, () =>
    inParallel(knocks, async ({ route, request, name, token }) => {
      const reply = await sendExample(app, route, request, token);
      const fault = reply.status === 403 ? faultOf(route, reply) : `answers ${reply.status}`;
      if (fault !== undefined) (complaints[route.name] ??= []).push(`${name}: ${fault}`);
    }),
  );
  return { complaints, changed };
}

describe('403 forbidden: whom the policy refuses is refused, and nothing changes', () => {
  const findings = inGroups(
    guarded.map(([, route]) => route),
    refuse,
  );
  test.each(guarded)('%s', (_name, route) => expectNone(route, findings, refuse));
});

/** Each request has a customer of its own, because some end its subscription. */
async function faultOfOpen(actor: Actor, route: Route): Promise<string | undefined> {
  const [example] = examplesOf(route.name);
  const consumer = await cloneConsumer(world);
  const token = await actAs(actor, consumer);
  const reply = await sendExample(app, route, await example.request({ ...world, consumer }, consumer), token);
  if (example.answers === reply.status) return undefined;
  const fault = faultOf(route, reply);
  if (fault !== undefined || reply.status === route.endpoint.status) return fault;
  return `answers ${reply.status} ${JSON.stringify(reply.body)}`;
}

async function admit(routes: readonly Route[]): Promise<Findings> {
  const cells = routes.flatMap((route) =>
    actors.filter((actor) => isOpenTo(actor, route)).map((actor) => ({ actor, route })),
  );
  const complaints: Record<string, string[]> = {};
  await inParallel(cells, async ({ actor, route }) => {
    const failed = (error: Error) => `the example fails: ${error.message}`;
    const fault = await faultOfOpen(actor, route).catch(failed);
    if (fault !== undefined) (complaints[route.name] ??= []).push(`${actor.name}: ${fault}`);
  });
  return { complaints, changed: [] };
}

describe('2xx: whom the policy lets in succeeds as the customer', () => {
  const open = generatedRoutes.filter(([, route]) => isOpenTo({ scopes }, route));
  const findings = inGroups(
    open.map(([, route]) => route),
    admit,
  );
  test.each(open)('%s', (_name, route) => expectNone(route, findings, admit));
});
