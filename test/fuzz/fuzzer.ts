import { Random } from '../lifetimes/random';
import { exampleNames, examplesOf, type ExampleRequest } from '../support/examples';
import { fromNewAddress, inParallel, naturalRole } from '../support/generated';
import { callerFor } from '../support/operators';
import { type TestApp } from '../support/startApp';
import { testCallers } from '../support/testCallers';
import { createWorld, type World } from '../support/world';
import { exchange } from './exchange';
import { type FuzzRequest, makeRequest } from './requests';
import { type FuzzTarget, targets } from './targets';

const batchSize = 20;
/** The requests of a batch change the tenant, so that later valid requests would fail: it is replaced after this number. */
const batchesPerWorld = 100;

export interface Fault {
  target: string;
  batch: number;
  caller: string;
  what: string;
  request: FuzzRequest;
}

export interface Outcome {
  requests: number;
  statuses: Record<string, number>;
  targets: number;
  faults: Fault[];
}

interface Options {
  seed: number;
  requests: number;
  /** Only this batch, to repeat a fault. */
  batch?: number | undefined;
  tell?: (line: string) => void;
}

/**
 * Sends requests that the seed chooses to all endpoints and pages, as all kinds of callers. A fault is an answer of 500 or
 * above, or a connection that breaks.
 */
export async function fuzz(app: TestApp, { seed, requests, batch, tell = () => undefined }: Options): Promise<Outcome> {
  const outcome: Outcome = { requests: 0, statuses: {}, targets: 0, faults: [] };
  const met = new Set<string>();
  let worlds: { own: World; other: World } | undefined;
  for (let no = batch ?? 0; outcome.requests < requests && (batch === undefined || no === batch); no += 1) {
    if (!worlds || no % batchesPerWorld === 0) worlds = { own: await createWorld(app), other: await createWorld(app) };
    const random = new Random((Math.imul(seed, 1_000_003) + no) >>> 0);
    // The first batches visit each target once.
    const target = targets[no < targets.length ? (no + seed) % targets.length : random.whole(0, targets.length - 1)];
    if (!target) continue;
    met.add(target.name);
    const size = Math.min(batchSize, requests - outcome.requests);
    const faultsBefore = outcome.faults.length;
    await sendBatch(app, worlds, { target, no, random, size }, outcome);
    for (const fault of outcome.faults.slice(faultsBefore)) tell(describeFault(seed, fault));
    if (no % 20 === 0)
      tell(
        `batch ${no}: ${outcome.requests} requests, ${outcome.faults.length} faults, ${JSON.stringify(outcome.statuses)}`,
      );
  }
  return { ...outcome, targets: met.size };
}

interface Batch {
  target: FuzzTarget;
  no: number;
  random: Random;
  size: number;
}

async function sendBatch(
  app: TestApp,
  worlds: { own: World; other: World },
  { target, no, random, size }: Batch,
  outcome: Outcome,
): Promise<void> {
  const caller = await callerOf(worlds, target, random);
  const sent = Array.from({ length: size }, () => makeRequest(target, caller.sound, random)).map((request) => ({
    ...request,
    headers: { ...fromNewAddress(), ...caller.headers, ...request.headers },
  }));
  await inParallel(
    sent,
    async (request) => {
      const what = await faultOf(app, request, outcome);
      outcome.requests += 1;
      if (what !== undefined)
        outcome.faults.push({ target: target.name, batch: no, caller: caller.name, what, request });
    },
    8,
  );
}

interface Calling {
  name: string;
  headers: Record<string, string>;
  sound: ExampleRequest;
}

/** Most batches have the right caller and a valid request to start from, and the others any kind of caller. */
async function callerOf(
  { own, other }: { own: World; other: World },
  target: FuzzTarget,
  random: Random,
): Promise<Calling> {
  if ('page' in target) return visitorOf(own, target, random);
  const { route } = target;
  const isNatural = random.chance(0.7);
  const others = testCallers(own, other);
  const stranger = others[random.whole(0, others.length - 1)];
  const [example] = exampleNames.includes(route.name) ? examplesOf(route.name) : [undefined];
  const owner = await callerFor(naturalRole(route), own, { spends: true });
  const sound = await Promise.resolve(example?.request(own, owner)).catch(() => undefined);
  if (isNatural || !stranger) return { name: 'the right one', headers: bearer(owner.token), sound: sound ?? {} };
  const { auth } = route.endpoint;
  const scope = auth.kind === 'merchant' ? auth.scope : undefined;
  const needs = { scope, actorScope: undefined, spends: true, isOperators: auth.kind === 'operator' };
  const { token } = await stranger.signIn(needs);
  return { name: stranger.name, headers: bearer(token), sound: sound ?? {} };
}

const bearer = (token: string | undefined) => (token === undefined ? {} : { authorization: `Bearer ${token}` });

async function visitorOf(world: World, { path }: FuzzTarget, random: Random): Promise<Calling> {
  const role = path.startsWith('/operator') ? 'operator' : path.startsWith('/console') ? 'merchant' : 'consumer';
  const { token } = await callerFor(role, world, {});
  const params = {
    merchant: world.merchant.uuid,
    merchant_uuid: world.merchant.uuid,
    merchantUuid: world.merchant.uuid,
    item: world.item.id,
    itemId: world.item.id,
    id: random.whole(1, 50),
  };
  const cookies = ['operator', 'console', 'portal', 'customer', 'paywall', `customer_${world.merchant.uuid}`].map(
    (name) => `${name}=${token}`,
  );
  return { name: `a visitor: ${role}`, headers: { cookie: cookies.join('; ') }, sound: { params } };
}

const tries = 5;

/** A busy service may ask for a repetition (503 with this name). Every other answer from 500 on is a fault. */
async function faultOf(app: TestApp, request: FuzzRequest, { statuses }: Outcome): Promise<string | undefined> {
  for (let nth = 1; ; nth += 1) {
    const answer = await exchange(app.address, request);
    if ('broken' in answer) return `the connection broke: ${answer.broken}`;
    const { status, text } = answer;
    if (status === 503 && text.includes('service_unavailable') && nth < tries) continue;
    statuses[status] = (statuses[status] ?? 0) + 1;
    return status >= 500 ? `${status} ${text.slice(0, 300)}` : undefined;
  }
}

/** A command that repeats the request alone, while its tenant exists, and the option that repeats its batch. */
export function describeFault(seed: number, { target, batch, caller, what, request }: Fault): string {
  const quote = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`;
  const headers = Object.entries(request.headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  const body = request.body === undefined ? '' : ` --data-binary ${quote(request.body.slice(0, 4_000))}`;
  return `${target}, caller: ${caller}: ${what}\n  npm run fuzz -- --seed ${seed} --batch ${batch}\n  curl -X ${request.method} ${headers.join(' ')}${body} "$API"${quote(request.path)}`;
}
