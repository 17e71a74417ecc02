import { generateKeyPairSync, randomUUID } from 'node:crypto';
import jsonwebtoken, { type JwtHeader, type JwtPayload } from 'jsonwebtoken';
import { type NewAccessToken } from '../../src/adapters/jwt';
import { type Role, type Scope, scopes } from '../../src/kit/auth';
import { type CallerKind } from '../../src/kit/policy';
import { type Route } from '../../src/kit/routes';
import { call } from './client';
import { createConsumer, createMerchant, type Person } from './factories';
import { grantableScopes } from '../../src/kit/staffRoles';
import { generatedRoutes, naturalRole } from './generated';
import { enterOperator, openOperator } from './operators';
import { erase } from './privacy';
import { size } from './size';
import { createRole, createStaff } from './staff';
import { cloneConsumer, createFollower, openSession, type World } from './world';

export interface TestCaller {
  name: string;
  kind: CallerKind;
  role: Role;
  /** Whether the tenant that requests are about is its own. */
  isOwn: boolean;
  signIn(needs: Needs): Promise<SignedIn>;
}

export interface Needs {
  /** The scope that the endpoint requires of a follower. */
  scope: Scope | undefined;
  /** What the endpoint requires of an actor. */
  actorScope: Scope | undefined;
  /** The request changes the account or ends its sessions: it must not be one that other requests use. */
  spends: boolean;
  /** The call is one of operators, who have a second factor. */
  isOperators: boolean;
}

export interface SignedIn {
  person: Person;
  /** The caller's own tenant. */
  world: World;
  token: string | undefined;
}

/** All kinds of callers. Requests are about `world`, and `other` is another merchant's tenant. */
export function testCallers(world: World, other: World): readonly TestCaller[] {
  const { pool } = world.app;
  return [
    nobody(world, withoutToken, () => undefined),
    nobody(world, 'a malformed token', () => 'not.a.token'),
    nobody(world, 'a forged token', ({ token }) => forge(token)),
    nobody(world, 'an expired token', ({ token }) => sign(token, { exp: 1_600_000_000 })),
    nobody(world, 'a token of no session', ({ token }) => sign(token, { sid: randomUUID() })),
    nobody(world, 'a token of an expired session', async ({ token, id }) => {
      await pool.query(`UPDATE sessions SET expires_at = now() - interval '1 s' WHERE account_id = $1`, [id]);
      return token;
    }),
    nobody(world, 'a revoked token', async ({ token }) => {
      await call(world.app, 'GET', '/accounts/logout', undefined, { token });
      return token;
    }),
    nobody(world, 'a token of an inactive account', async ({ token, id }) => {
      await pool.query('UPDATE accounts SET is_active = false WHERE id = $1', [id]);
      return token;
    }),
    nobody(world, 'a token of an erased account', async (person) => {
      await erase(world.app, person);
      return person.token;
    }),
    consumerOf(world, 'a consumer', true),
    consumerOf(other, 'another merchant’s consumer', false),
    merchantOf(world, 'the merchant', true),
    merchantOf(other, 'another merchant', false),
    operatorOf(world),
    followerOf(world, 'a follower with the scope', 'followerWithScope', ({ scope }) => (scope ? [scope] : [])),
    followerOf(world, 'a follower without the scope', 'followerWithoutScope', ({ scope }) =>
      scopes.filter((name) => name !== scope),
    ),
    staffOf(world, 'a member of the staff with the scope', 'staffWithScope', ({ scope }) => (scope ? [scope] : [])),
    staffOf(world, 'a member of the staff without the scope', 'staffWithoutScope', ({ scope }) =>
      grantableScopes.filter((name) => name !== scope),
    ),
    followerOf(world, 'its master acting as a follower', 'actedFollower', ({ scope }) => (scope ? [scope] : [])),
    actedConsumerOf(world),
    actedByFollower(world, 'a follower with the scope acting as a consumer', 'actedConsumerWithScope', (scope) => [
      'impersonate',
      ...(scope ? [scope] : []),
    ]),
    actedByFollower(world, 'a follower without the scope acting as a consumer', 'actedConsumerWithoutScope', (scope) =>
      scopes.filter((name) => name !== scope),
    ),
  ];
}

const withoutToken = 'no token';

/**
 * The callers at an endpoint. In a usual run these are all but the bad tokens, which are refused alike at every endpoint:
 * each endpoint is called without a token and with one of the others, and its neighbour with the next.
 */
export function callersAt({ name }: Route, callers: readonly TestCaller[]): TestCaller[] {
  const bad = callers.filter((caller) => caller.kind === 'nobody' && caller.name !== withoutToken);
  const step = size({ usual: bad.length, full: 1 });
  const place = generatedRoutes.findIndex(([each]) => each === name);
  return callers.filter((caller) => {
    const nth = bad.indexOf(caller);
    return nth === -1 || nth % step === place % step;
  });
}

/** Whom an endpoint is for. */
export function naturalPerson({ merchant, consumer }: World, route: Route): Person {
  return naturalRole(route) === 'merchant' ? merchant : consumer;
}

type TokenOf = (person: Person) => Promise<string | undefined> | string | undefined;

const nobody = (world: World, name: string, tokenOf: TokenOf): TestCaller => ({
  name,
  kind: 'nobody',
  role: 'consumer',
  isOwn: true,
  signIn: async () => {
    const person = await cloneConsumer(world);
    return { person, world, token: await tokenOf(person) };
  },
});

const consumerOf = (world: World, name: string, isOwn: boolean): TestCaller => ({
  name,
  kind: 'consumer',
  role: 'consumer',
  isOwn,
  signIn: async () => signedIn(world, await cloneConsumer(world)),
});

const merchantOf = (world: World, name: string, isOwn: boolean): TestCaller => ({
  name,
  kind: 'merchant',
  role: 'merchant',
  isOwn,
  signIn: async ({ spends }) => {
    const merchant = spends ? await createMerchant(world.app) : await openSession(world.merchant);
    return signedIn({ ...world, merchant }, merchant);
  },
});

/** An operator of the installation, who has no part in any tenant. */
const operatorOf = (world: World): TestCaller => ({
  name: 'an operator',
  kind: 'operator',
  role: 'operator',
  isOwn: false,
  signIn: async ({ isOperators }) => {
    const operator = isOperators ? await openOperator(world.app) : await enterOperator(world.app);
    return { person: operator, world: { ...world, merchant: operator, consumer: operator }, token: operator.token };
  },
});

type Following = Awaited<ReturnType<typeof createFollower>>;

/** A follower is an empty tenant of its own. There is one for each set of scopes, unless a request ends its account. */
function followerOf(world: World, name: string, kind: CallerKind, scopesFor: (needs: Needs) => Scope[]): TestCaller {
  const known = new Map<string, Promise<Following>>();
  const follow = (granted: Scope[], spends: boolean) => {
    const found = spends ? undefined : known.get(granted.join());
    const follower = found ?? createFollower(world, granted);
    if (!spends) known.set(granted.join(), follower);
    return follower;
  };
  return {
    name,
    kind,
    role: 'merchant',
    isOwn: false,
    signIn: async (needs) => {
      const follower = await follow(scopesFor(needs), needs.spends);
      const merchant = await openSession(follower);
      const token = kind === 'actedFollower' ? follower.acted : merchant.token;
      return { person: merchant, world: { ...world, merchant }, token };
    },
  };
}

/** A member of the merchant's staff acts for the merchant. Only an owner has `apps:write`. */
function staffOf(world: World, name: string, kind: CallerKind, scopesFor: (needs: Needs) => Scope[]): TestCaller {
  const known = new Map<string, Promise<Person>>();
  const join = async (granted: Scope[], merchant: Person) => {
    const isOwner = granted.includes('apps:write');
    const role = isOwner ? { role: 'owner' } : { role_id: await createRole(world.app, merchant, granted) };
    return createStaff(world.app, merchant, role);
  };
  return {
    name,
    kind,
    role: 'merchant',
    isOwn: true,
    signIn: async (needs) => {
      const granted = scopesFor(needs);
      if (needs.spends) {
        const merchant = await createMerchant(world.app);
        return signedIn({ ...world, merchant }, await join(granted, merchant));
      }
      const member = known.get(granted.join()) ?? join(granted, world.merchant);
      known.set(granted.join(), member);
      return signedIn(world, await openSession(await member));
    },
  };
}

const actedConsumerOf = (world: World): TestCaller => ({
  name: 'its merchant acting as a consumer',
  kind: 'actedConsumer',
  role: 'consumer',
  isOwn: true,
  signIn: async () => {
    const consumer = await cloneConsumer(world);
    return { person: consumer, world, token: await actAs(world, world.merchant, consumer) };
  },
});

/** The customer is the follower's own: a follower is a tenant of its own. */
function actedByFollower(
  world: World,
  name: string,
  kind: CallerKind,
  scopesFor: (scope: Scope | undefined) => Scope[],
): TestCaller {
  const known = new Map<string, Promise<Following>>();
  return {
    name,
    kind,
    role: 'consumer',
    isOwn: false,
    signIn: async ({ actorScope }) => {
      const granted = scopesFor(actorScope);
      const following = known.get(granted.join()) ?? createFollower(world, granted);
      known.set(granted.join(), following);
      const follower = await following;
      const consumer = await createConsumer(world.app, follower);
      const own = { ...world, merchant: follower, consumer };
      return { person: consumer, world: own, token: await actAs(world, follower, consumer) };
    },
  };
}

/** The token of a session in which the merchant acts as the consumer. */
async function actAs({ app }: World, merchant: Person, consumer: Person): Promise<string> {
  const fields = { customer_id: consumer.id };
  const { body } = await call<{ access_token: string }>(app, 'POST', '/v2/accounts/impersonate', fields, merchant);
  return body.access_token;
}

function signedIn(world: World, person: Person): SignedIn {
  return { person, world, token: person.token };
}

/** The same claims under a key that is not ours. */
function forge(token: string): string {
  const { header, payload } = jsonwebtoken.decode(token, { complete: true }) ?? {};
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return jsonwebtoken.sign(payload as object, privateKey, { algorithm: 'ES256', header: header as JwtHeader });
}

/** A token of ours with other claims. The signer writes issuer, audience and times. */
async function sign(token: string, changes: Partial<NewAccessToken>): Promise<string> {
  const { signAccessToken } = await import('../../src/adapters/jwt.js');
  const claims = jsonwebtoken.decode(token) as NewAccessToken & JwtPayload;
  for (const name of ['iss', 'aud', 'iat'] as const) delete claims[name];
  return signAccessToken({ ...claims, ...changes });
}
