import { actorScopeOf, type Auth, needsOperatorFactor, needsRecentFactor, type Scope } from './auth';
import { summaryOf } from './endpoint';
import { type Route } from './routes';

/**
 * The kinds of caller. `nobody` has no token, or one that is malformed, expired, revoked, or of an inactive account.
 * The first follower has only the scope that the endpoint requires, the second has all others. Four kinds act as
 * another account: a merchant as its customer, a follower that may act and has the scope for actors, a follower with
 * all other scopes, and a master as its follower. Two members of a merchant's staff have a role with only the required
 * scope, and one with all others. The operator of the installation has no rights in a tenant.
 */
const callerKinds = [
  'nobody',
  'consumer',
  'merchant',
  'followerWithScope',
  'followerWithoutScope',
  'staffWithScope',
  'staffWithoutScope',
  'actedConsumer',
  'actedConsumerWithScope',
  'actedConsumerWithoutScope',
  'actedFollower',
  'operator',
] as const;

export type CallerKind = (typeof callerKinds)[number];

/** `pass`: the rules of the endpoint decide. The other verdicts end the request. */
export type Verdict = 'pass' | 401 | 403;

export interface Policy {
  who: string;
  /** The scope that a follower needs. */
  scope: Scope | undefined;
  /** The scope that an actor needs. Undefined: no actor may make the call. */
  actorScope: Scope | undefined;
  verdicts: Record<CallerKind, Verdict>;
}

const everyone = {
  consumer: 'pass',
  merchant: 'pass',
  followerWithScope: 'pass',
  followerWithoutScope: 'pass',
  staffWithScope: 'pass',
  staffWithoutScope: 'pass',
  operator: 'pass',
} as const;
const merchants = { ...everyone, consumer: 403, operator: 403 } as const;

const noStaff = { staffWithScope: 403, staffWithoutScope: 403 } as const;
const noFollowers = { followerWithScope: 403, followerWithoutScope: 403 } as const;
const noTenant = { consumer: 403, merchant: 403, ...noFollowers, ...noStaff } as const;

/**
 * The rights that `mayCall` checks, written a second time as a table. docs/endpoints.md shows the table, and a test
 * calls every endpoint as every kind of caller.
 */
const policies: Record<Auth['kind'], { who: string; nobody: Verdict } & Record<keyof typeof everyone, Verdict>> = {
  anyone: { who: 'anyone', nobody: 'pass', ...everyone },
  forgiving: { who: 'anyone', nobody: 'pass', ...everyone },
  signedIn: { who: 'signed in', nobody: 401, ...everyone },
  consumer: { who: 'consumer', nobody: 401, ...everyone, ...noStaff, operator: 403 },
  merchant: { who: 'merchant', nobody: 401, ...merchants, followerWithoutScope: 403, staffWithoutScope: 403 },
  anyMerchant: { who: 'merchant with any scopes', nobody: 401, ...merchants },
  master: { who: 'master', nobody: 401, ...merchants, ...noFollowers, ...noStaff },
  operator: { ...merchants, who: 'operator', nobody: 401, ...noTenant, operator: 'pass' },
};

/** The callers that an endpoint allows, by its declaration. */
export function policyOf(auth: Auth): Policy {
  const { who, ...verdicts } = policies[auth.kind];
  const scope = 'scope' in auth ? auth.scope : 'merchantScope' in auth ? auth.merchantScope : undefined;
  const actorScope = actorScopeOf(auth);
  const isPublic = verdicts.nobody === 'pass';
  const acting = (verdict: Verdict): Verdict => (isPublic || actorScope !== undefined ? verdict : 403);
  return {
    who,
    scope,
    actorScope,
    verdicts: {
      ...verdicts,
      ...(scope !== undefined && { followerWithoutScope: 403, staffWithoutScope: 403, operator: 403 }),
      actedConsumer: acting(verdicts.consumer),
      actedConsumerWithScope: acting(verdicts.consumer),
      actedConsumerWithoutScope: isPublic ? 'pass' : 403,
      actedFollower: acting(verdicts.followerWithScope),
    },
  };
}

const columns: Record<CallerKind, string> = {
  nobody: 'no valid token',
  consumer: 'consumer',
  merchant: 'merchant',
  followerWithScope: 'follower with the scope',
  followerWithoutScope: 'follower without it',
  staffWithScope: 'staff with the scope',
  staffWithoutScope: 'staff without it',
  actedConsumer: 'acting as a consumer',
  actedConsumerWithScope: 'acting as one, with the scope',
  actedConsumerWithoutScope: 'acting as one, without it',
  actedFollower: 'acting as a follower',
  operator: 'operator',
};

/** The two tables of docs/endpoints.md: the calls that each kind of caller may make, and the kind of each call. */
export function policyTables(routes: readonly Route[]): string {
  const found = routes.map(({ endpoint }) => policyOf(endpoint.auth));
  const kinds = new Map(
    found.map(({ who, scope, actorScope, verdicts }) => [
      `${who}${scope ? ' with a scope' : ''}${actorScope ? ', open to actors' : ''}`,
      verdicts,
    ]),
  );
  return [
    ...table(
      ['who', ...callerKinds.map((kind) => columns[kind])],
      [...kinds].map(([who, verdicts]) => [who, ...callerKinds.map((kind) => asWord(verdicts[kind]))]),
    ),
    '',
    ...table(
      ['call', 'who', 'scope', 'scope of an actor', 'recent code', 'what'],
      routes.map(({ endpoint }) => {
        const { method, path, auth } = endpoint;
        const { who, scope, actorScope } = policyOf(auth);
        const named = (one: Scope | undefined) => (one === undefined ? '' : `\`${one}\``);
        const call = `\`${method.toUpperCase()} ${path}\``;
        const code = needsRecentFactor(auth) || needsOperatorFactor(auth) ? 'yes' : '';
        return [call, who, named(scope), named(actorScope), code, summaryOf(endpoint)];
      }),
    ),
  ].join('\n');
}

function asWord(verdict: Verdict): string {
  return verdict === 'pass' ? 'yes' : String(verdict);
}

function table(head: string[], rows: string[][]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}
