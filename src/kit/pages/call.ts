import { type Auth, type Caller, mayCall } from '../auth';
import { Answer, type Answering, type Endpoint, type RequestFacts } from '../endpoint';
import { AppError } from '../errors';
import { networkOf } from '../hosts';
import { type KitParts, parsePath } from '../http';
import { refuseCardNumbers, validate } from '../validate';
import { type Sent } from './page';

type CallParts = Pick<KitParts, 'rateLimiter' | 'limits'>;

/**
 * Runs an endpoint for who looks at a page: its limits, its token's rights, its schemas and its handler, so that a page has
 * no rule of its own. Fields that are sent empty count as absent, as in any form.
 */
export async function callEndpoint<Body>(
  parts: CallParts,
  visitor: { caller: Caller | undefined; request: RequestFacts },
  endpoint: Endpoint & Answering<Body>,
  sent: Sent = {},
): Promise<Body> {
  const { caller, request } = visitor;
  if (endpoint.limit === 'credentials') await limitGuesses(parts, request);
  const admitted = admit(endpoint.auth, caller);
  const body = sent.body ?? {};
  refuseCardNumbers(body, endpoint.cardNumberFields ?? []);
  const params = Object.fromEntries(Object.entries(sent.params ?? {}).map(([name, value]) => [name, String(value)]));
  const input = {
    caller: admitted,
    params: parsePath(endpoint, params),
    query: endpoint.query && validate(endpoint.query, sent.query ?? {}),
    body: endpoint.body && validate(endpoint.body, body),
    request,
  };
  const result = await endpoint.handler(input as never);
  // What a declaration's handler answers is what its schema says: tests hold each against the other.
  return (result instanceof Answer ? result.body : result) as Body;
}

async function limitGuesses({ rateLimiter, limits }: CallParts, { clientAddress }: RequestFacts): Promise<void> {
  const state = await rateLimiter.countStrictly(`credentials:${networkOf(clientAddress)}`, limits.credentials);
  if (state.isExceeded) throw new AppError('too_many_requests', { retryAfterSeconds: state.resetSeconds });
}

/** Public endpoints know no caller, whoever looks at the page. */
function admit(auth: Auth, caller: Caller | undefined): Caller | undefined {
  if (auth.kind === 'anyone' || auth.kind === 'forgiving') return undefined;
  if (!caller) throw new AppError('invalid_auth_token');
  if (!mayCall(auth, caller)) throw new AppError('forbidden');
  return caller;
}
