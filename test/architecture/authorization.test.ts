import '../support/generatedSettings';
import { routes } from '../../src/endpoints';
import { needsRecentFactor, servesMerchant } from '../../src/kit/auth';
import { type ErrorCode } from '../../src/kit/errors';
import { type CallerKind, type Policy, policyOf } from '../../src/kit/policy';
import { type Route } from '../../src/kit/routes';
import {
  type Example,
  exampleNames,
  type ExampleRequest,
  examplesOf,
  missingExample,
  namesOfRows,
} from '../support/examples';
import { tablesChangedBy } from '../support/fingerprint';
import { faultOf, generatedRoutes, inParallel, sendExample } from '../support/generated';
import { createMerchant, type Person } from '../support/factories';
import { expectNone, type Findings, inGroups } from '../support/groups';
import { ageProof, moveToPages, requireFactors, switchFactorOn, verifyPassword } from '../support/secondFactors';
import { startApp, type TestApp } from '../support/startApp';
import { callersAt, naturalPerson, type TestCaller, testCallers } from '../support/testCallers';
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

  interface Knock {
    caller: TestCaller;
    route: Route;
    request: ExampleRequest;
    token: string | undefined;
    verdict: Policy['verdicts'][CallerKind];
  }

  async function prepare(route: Route): Promise<Knock[]> {
    const policy = policyOf(route.endpoint.auth);
    const refused = callersAt(route, callers).filter(({ kind }) => policy.verdicts[kind] !== 'pass');
    const [example] = examplesOf(route.name);
    const request = await example.request(world, naturalPerson(world, route));
    return inParallel(refused, async (caller) => {
      const verdict = policy.verdicts[caller.kind];
      return { caller, route, request, token: await tokenOf(caller, policy), verdict };
    });
  }

  async function refuse(routes: readonly Route[]): Promise<Findings> {
    const knocks = (await inParallel(routes, prepare)).flat();
    const complaints: Record<string, string[]> = {};
    const changed = await tablesChangedBy(app.pool, () =>
      inParallel(knocks, async ({ caller, route, request, token, verdict }) => {
        const reply = await sendExample(app, route, request, token);
        const fault = reply.status === verdict ? faultOf(route, reply) : `answers ${reply.status}`;
        if (fault !== undefined) (complaints[route.name] ??= []).push(`${caller.name}: ${fault}`);
      }),
    );
    return { complaints, changed };
  }

  const refusalsOf = inGroups(
    guarded.map(([, route]) => route),
    refuse,
  );
  test.each(guarded)('%s', (_name, route) => expectNone(route, refusalsOf, refuse));
});

describe('403 recent_factor_required: whoever has a second factor has entered a code in the last ten minutes', () => {
  const sensitive = generatedRoutes.filter(([, { endpoint }]) => needsRecentFactor(endpoint.auth));

  test('some calls ask for it, and none of them is open to actors', () => {
    expect(sensitive.length).toBeGreaterThan(5);
    const open = sensitive.filter(([, { endpoint }]) => policyOf(endpoint.auth).actorScope !== undefined);
    expect(open.map(([name]) => name)).toEqual([]);
  });

  const findings = findingsWith({
    error: 'recent_factor_required',
    start: (merchant) => switchFactorOn(app, merchant),
    age: (merchant) => ageProof(app, merchant, '11 minutes'),
    renew: (merchant) => ageProof(app, merchant, '9 minutes'),
  });
  const findingsOf = inGroups(
    sensitive.map(([, route]) => route),
    findings,
  );
  test.each(sensitive)('%s', (_name, route) => expectNone(route, findingsOf, findings));
});

describe('403 recent_password_required: whoever has no factor has signed in at our pages, or entered the password, lately', () => {
  const sensitive = generatedRoutes.filter(([, { endpoint }]) => needsRecentFactor(endpoint.auth));

  const findings = findingsWith({
    error: 'recent_password_required',
    start: () => Promise.resolve(),
    age: (merchant) => moveToPages(app, merchant, '11 minutes'),
    renew: (merchant) => verifyPassword(app, merchant),
  });
  const findingsOf = inGroups(
    sensitive.map(([, route]) => route),
    findings,
  );
  test.each(sensitive)('%s', (_name, route) => expectNone(route, findingsOf, findings));
});

/** How a merchant comes to a proof of who it is, and how the proof gets too old and recent again. */
interface Proof {
  error: ErrorCode;
  start: (merchant: Person) => Promise<unknown>;
  age: (merchant: Person) => Promise<unknown>;
  renew: (merchant: Person) => Promise<unknown>;
}

/** With an old proof the calls are refused and change nothing; with a recent one the same requests succeed. */
function findingsWith({ error, start, age, renew }: Proof) {
  const prepare = async (route: Route, example: Example) => {
    const own = await createWorld(app);
    const { merchant } = own;
    await start(merchant);
    const request = await example.request(own, merchant);
    await age(merchant);
    return { route, example, merchant, request };
  };
  return async (routes: readonly Route[]): Promise<Findings> => {
    const examples = routes.flatMap((route) => examplesOf(route.name).map((example) => ({ route, example })));
    const prepared = await inParallel(examples, ({ route, example }) => prepare(route, example));
    const complaints: Record<string, string[]> = {};
    const complain = ({ name }: Route, text: string) => (complaints[name] ??= []).push(text);
    const changed = await tablesChangedBy(app.pool, () =>
      inParallel(prepared, async ({ route, request, merchant }) => {
        const { status, body } = await sendExample(app, route, request, merchant.token);
        if (status !== 403 || body.error !== error) complain(route, `answers ${status} ${body.error} to an old proof`);
      }),
    );
    await inParallel(prepared, async ({ route, example, request, merchant }) => {
      await renew(merchant);
      const { status } = await sendExample(app, route, request, merchant.token);
      const expected = example.answers ?? route.endpoint.status;
      if (status !== expected) complain(route, `answers ${status} to a recent proof`);
    });
    return { complaints, changed };
  };
}

test('403 second_factor_missing: a merchant that requires factors, and has none, is served nowhere as a merchant', async () => {
  const strict = await createMerchant(app);
  await requireFactors(app, strict);
  // The examples that are not sent change their world.
  const own = await createWorld(app);
  const serving = generatedRoutes.filter(([, { endpoint }]) => servesMerchant(endpoint.auth));
  expect(serving.length).toBeGreaterThan(100);
  const requests = await inParallel(serving, async ([name, route]) => {
    const [example] = examplesOf(name);
    return { name, route, request: await example.request(own, naturalPerson(own, route)) };
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
