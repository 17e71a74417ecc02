import '../support/generatedSettings';
import { randomUUID } from 'node:crypto';
import { type Role } from '../../src/kit/auth';
import { policyOf } from '../../src/kit/policy';
import { type Route } from '../../src/kit/routes';
import { type Reply } from '../support/client';
import { type Example, type ExampleRequest, examplesOf } from '../support/examples';
import { tablesChangedBy } from '../support/fingerprint';
import { faultOf, findsNothing, generatedRoutes, inParallel, sendExample } from '../support/generated';
import { expectNone, type Findings, inGroups } from '../support/groups';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';
import { cloneConsumer, createNeighbour, createWorld, openSession, type World } from '../support/world';

interface Attempt {
  route: Route;
  field: string;
  whose: string;
  token: string;
  /** Names the other merchant's row in that field, and own rows in all others. */
  foreign: ExampleRequest;
  /** The same with a name that does not exist. */
  unknown: ExampleRequest;
  /** The same without the field. */
  without: ExampleRequest;
}

let app: TestApp;
let world: World;
let strangers: { whose: string; world: World; isStrangeTo: (role: Role, owner?: string) => boolean }[];

beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app);
  strangers = [
    { whose: 'another merchant', world: await createWorld(app), isStrangeTo: () => true },
    // A consumer's rows are closed to the merchant's other consumers. The merchant itself can see them.
    {
      whose: 'another consumer',
      world: await createNeighbour(world),
      isStrangeTo: (role, owner) => role === 'consumer' && owner === 'account',
    },
  ];
});

afterAll(() => app.stop());

describe('404 not_found, 400 account_does_not_exist: what is a stranger’s is answered like nobody’s, and nothing changes', () => {
  const naming = generatedRoutes.filter(([name]) => examplesOf(name).some(({ owned }) => owned));

  const findingsOf = inGroups(
    naming.map(([, route]) => route),
    findings,
  );
  test.each(naming)('%s', (_name, route) => expectNone(route, findingsOf, findings));
});

async function findings(routes: readonly Route[]): Promise<Findings> {
  const complaints: Record<string, string[]> = {};
  const attempts = await inParallel(routes, async (route) => {
    const ofExamples = await Promise.all(examplesOf(route.name).map((example) => attemptsOf(route, example)));
    if (ofExamples.flat().length === 0) complaints[route.name] = ['there is nothing of a stranger to name'];
    return ofExamples.flat();
  });
  const changed = await tablesChangedBy(app.pool, () =>
    inParallel(attempts.flat(), async (attempt) => {
      const fault = await faultOfAttempt(attempt);
      if (fault === undefined) return;
      (complaints[attempt.route.name] ??= []).push(`${attempt.field} of ${attempt.whose} ${fault}`);
    }),
  );
  return { complaints, changed };
}

async function attemptsOf(route: Route, example: Example): Promise<Attempt[]> {
  const { owned = {} } = example;
  const roles = (['consumer', 'merchant'] as const).filter((role) => mayAsk(route, role));
  const cases = roles.flatMap((role) => strangers.map((stranger) => ({ role, stranger })));
  const made = await inParallel(Object.keys(owned).length > 0 ? cases : [], async ({ role, stranger }) => {
    const caller = role === 'merchant' ? await openSession(world.merchant) : await cloneConsumer(world);
    const ours = await example.request(world, caller);
    const theirs = await example.request(stranger.world, stranger.world[role]);
    const fields = Object.keys(owned).filter((field) => stranger.isStrangeTo(role, owned[field]));
    return fields.map((field) => ({
      route,
      field,
      whose: `${stranger.whose} for a ${role}`,
      token: caller.token,
      foreign: write(ours, field, read(theirs, field)),
      unknown: write(ours, field, unknownLike(read(theirs, field))),
      without: write(ours, field, undefined),
    }));
  });
  return made.flat();
}

function mayAsk({ endpoint }: Route, role: Role): boolean {
  return policyOf(endpoint.auth).verdicts[role] === 'pass';
}

async function faultOfAttempt({
  route,
  field,
  token,
  foreign,
  unknown,
  without,
}: Attempt): Promise<string | undefined> {
  const reply = await sendExample(app, route, foreign, token);
  const fault = faultOf(route, reply);
  if (fault !== undefined) return fault;
  if (field.startsWith('query.') && reply.status === 200) {
    const own = await sendExample(app, route, without, token);
    return rowsOf(reply).every((row) => rowsOf(own).includes(row)) ? undefined : 'are shown';
  }
  if (!findsNothing(reply)) return `answers ${reply.status} ${JSON.stringify(reply.body)}`;
  const answer = await sendExample(app, route, unknown, token);
  const isSame = answer.status === reply.status && JSON.stringify(answer.body) === JSON.stringify(reply.body);
  return isSame
    ? undefined
    : `answers ${JSON.stringify(reply.body)}, and an unknown one ${JSON.stringify(answer.body)}`;
}

function rowsOf({ body }: Reply<ErrorBody>): string[] {
  const { collection } = body as unknown as { collection?: unknown[] };
  return (collection ?? []).map((row) => JSON.stringify(row));
}

type Parts = Record<string, Record<string, unknown> | undefined>;

function read(request: ExampleRequest, field: string): unknown {
  const [part = '', name = ''] = field.split('.');
  return (request as Parts)[part]?.[name];
}

function write(request: ExampleRequest, field: string, value: unknown): ExampleRequest {
  const [part = '', name = ''] = field.split('.');
  return { ...request, [part]: { ...(request as Parts)[part], [name]: value } };
}

function unknownLike(value: unknown): unknown {
  if (typeof value === 'number') return 2_147_483_646;
  if (Array.isArray(value)) return ['id:2147483646'];
  const text = String(value);
  if (text.includes('@')) return 'unknown@example.org';
  if (/^[\da-f-]{36}$/.test(text)) return randomUUID();
  return /^pr_\d+$/.test(text) ? 'pr_999999999' : `${text}x`;
}
