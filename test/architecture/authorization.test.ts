import '../support/generatedSettings';
import { routes } from '../../src/endpoints';
import { needsRecentFactor, servesMerchant } from '../../src/kit/auth';
import { type Policy, policyOf } from '../../src/kit/policy';
import { type Route } from '../../src/kit/routes';
import { exampleNames, examplesOf, missingExample, namesOfRows } from '../support/examples';
import { tablesChangedBy } from '../support/fingerprint';
import { faultOf, findsNothing, generatedRoutes, inParallel, naturalRole, sendExample } from '../support/generated';
import { createMerchant, type Person } from '../support/factories';
import { ageProof, moveToPages, requireFactors, switchFactorOn, verifyPassword } from '../support/secondFactors';
import { startApp, type TestApp } from '../support/startApp';
import { type TestCaller, testCallers } from '../support/testCallers';
import { createWorld, type World } from '../support/world';

let app: TestApp;
let world: World;
let callers: readonly TestCaller[];

beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app);
  callers = testCallers(world, await createWorld(app));
});

afterAll(() => app.stop());

test('every endpoint has an example, and every example an endpoint', () => {
  const names = routes.map(({ name }) => name);
  expect(names.filter((name) => !exampleNames.includes(name)).map(missingExample)).toEqual([]);
  expect(exampleNames.filter((name) => !names.includes(name))).toEqual([]);
});

test('every field that names a row is said to be owned, or why it is not', () => {
  const silent = routes.flatMap(({ name, endpoint }) => {
    const said = examplesOf(name).flatMap(({ owned = {}, unowned = {} }) => Object.keys({ ...owned, ...unowned }));
    const silentFields = namesOfRows(endpoint).filter((field) => !said.includes(field));
    return silentFields.map((field) => `${name}: list ${field} in the example's owned, or in unowned with the reason`);
  });
  expect(silent).toEqual([]);
});

describe('401 invalid_auth_token, 403 forbidden: whom the policy refuses is refused, and nothing changes', () => {
  /** A refused request changes nothing, so the next endpoint that refuses the caller sees the same token. */
  const knownTokens = new Map<string, Promise<string | undefined>>();
  const tokenOf = (caller: TestCaller, { scope, actorScope }: Policy) => {
    const name = [caller.name, scope, actorScope].join();
    const signIn = async () => (await caller.signIn({ scope, actorScope, spends: false, isOperators: false })).token;
    const token = knownTokens.get(name) ?? signIn();
    knownTokens.set(name, token);
    return token;
  };

  const guarded = generatedRoutes.filter(([, { endpoint }]) => policyOf(endpoint.auth).verdicts.nobody === 401);

  test.each(guarded)('%s', async (_name, route) => {
    const policy = policyOf(route.endpoint.auth);
    const [example] = examplesOf(route.name);
    const request = await example.request(world, naturalPerson(route));
    const refused = callers.filter(({ kind }) => policy.verdicts[kind] !== 'pass');
    const knocking = await inParallel(refused, async (caller) => ({ caller, token: await tokenOf(caller, policy) }));
    const complaints: string[] = [];
    const changed = await tablesChangedBy(app.pool, () =>
      inParallel(knocking, async ({ caller, token }) => {
        const reply = await sendExample(app, route, request, token);
        const fault = reply.status === policy.verdicts[caller.kind] ? faultOf(route, reply) : `answers ${reply.status}`;
        if (fault !== undefined) complaints.push(`${caller.name}: ${fault}`);
      }),
    );
    expect({ complaints, changed }).toEqual({ complaints: [], changed: [] });
  });
});

describe('403 recent_factor_required: whoever has a second factor has entered a code in the last ten minutes', () => {
  const sensitive = generatedRoutes.filter(([, { endpoint }]) => needsRecentFactor(endpoint.auth));

  test('some calls ask for it, and none of them is open to actors', () => {
    expect(sensitive.length).toBeGreaterThan(5);
    const open = sensitive.filter(([, { endpoint }]) => policyOf(endpoint.auth).actorScope !== undefined);
    expect(open.map(([name]) => name)).toEqual([]);
  });

  test.each(sensitive)('%s', async (name, route) => {
    for (const example of examplesOf(name)) {
      const merchant = await createMerchant(app);
      await switchFactorOn(app, merchant);
      const sent = await example.request({ ...world, merchant }, merchant);
      await ageProof(app, merchant, '11 minutes');
      const changed = await tablesChangedBy(app.pool, async () => {
        const { status, body } = await sendExample(app, route, sent, merchant.token);
        expect({ status, body }).toMatchObject({ status: 403, body: { error: 'recent_factor_required' } });
      });
      expect(changed).toEqual([]);
      await ageProof(app, merchant, '9 minutes');
      const { status } = await sendExample(app, route, sent, merchant.token);
      expect(status).toBe(example.answers ?? route.endpoint.status);
    }
  });
});

describe('403 recent_password_required: whoever has no factor has signed in at our pages, or entered the password, lately', () => {
  const sensitive = generatedRoutes.filter(([, { endpoint }]) => needsRecentFactor(endpoint.auth));

  test.each(sensitive)('%s', async (name, route) => {
    for (const example of examplesOf(name)) {
      const merchant = await createMerchant(app);
      const sent = await example.request({ ...world, merchant }, merchant);
      await moveToPages(app, merchant, '11 minutes');
      const changed = await tablesChangedBy(app.pool, async () => {
        const { status, body } = await sendExample(app, route, sent, merchant.token);
        expect({ status, body }).toMatchObject({ status: 403, body: { error: 'recent_password_required' } });
      });
      expect(changed).toEqual([]);
      await verifyPassword(app, merchant);
      const { status } = await sendExample(app, route, sent, merchant.token);
      expect(status).toBe(example.answers ?? route.endpoint.status);
    }
  });
});

test('403 second_factor_missing: a merchant that requires factors, and has none, is served nowhere as a merchant', async () => {
  const strict = await createMerchant(app);
  await requireFactors(app, strict);
  // The examples that are not sent change their world.
  const own = await createWorld(app);
  const serving = generatedRoutes.filter(([, { endpoint }]) => servesMerchant(endpoint.auth));
  expect(serving.length).toBeGreaterThan(100);
  const requests = await inParallel(serving, async ([name, route]) => {
    const [example] = examplesOf(name);
    return { name, route, request: await example.request(own, naturalPerson(route, own)) };
  });
  const complaints: string[] = [];
  const changed = await tablesChangedBy(app.pool, () =>
    inParallel(requests, async ({ name, route, request }) => {
      const { status, body } = await sendExample(app, route, request, strict.token);
      const { error } = body as { error?: string };
      if (status !== 403 || error !== 'second_factor_missing') complaints.push(`${name} answers ${status} ${error}`);
    }),
  );
  expect({ complaints, changed }).toEqual({ complaints: [], changed: [] });
});

describe('2xx: whom the policy lets in succeeds with the own, and finds nothing of another tenant', () => {
  test.each(generatedRoutes)('%s', async (_name, route) => {
    const { verdicts } = policyOf(route.endpoint.auth);
    const admitted = callers.filter(({ kind }) => verdicts[kind] === 'pass');
    const complaints = await inParallel(admitted, async (caller) => {
      const fault = await faultOfCell(route, caller).catch((error: Error) => `the example fails: ${error.message}`);
      return fault === undefined ? [] : [`${caller.name}: ${fault}`];
    });
    expect(complaints.flat()).toEqual([]);
  });
});

/** A request that names rows of the tenant comes from that tenant. Other requests come from the caller's own tenant. */
async function faultOfCell(route: Route, caller: TestCaller): Promise<string | undefined> {
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
      ? await example.request(world, isPublic ? person : naturalPerson(route))
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

function naturalPerson(route: Route, { merchant, consumer } = world): Person {
  return naturalRole(route) === 'merchant' ? merchant : consumer;
}
