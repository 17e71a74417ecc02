import { type Auth, type Caller, mayCall } from '../auth';
import { Answer, type Answering, type Endpoint, type RequestFacts } from '../endpoint';
import { AppError } from '../errors';
import { refuseTurnedOff } from '../features';
import { parsePath } from '../handle';
import { networkOf } from '../hosts';
import { type KitParts } from '../parts';
import { refuseExceeded } from '../rateLimit';
import { refuseCardNumbers, validate } from '../validate';
import { type Sent, Shown } from './page';

type CallParts = Pick<KitParts, 'rateLimiter' | 'limits' | 'featuresOff'>;

interface Visitor {
  caller: Caller | undefined;
  request: RequestFacts;
}

/**
 * Runs an endpoint for who looks at a page: its limits, its token's rights, its schemas and its handler, so that a page has
 * no rule of its own. Fields that are sent empty count as absent, as in any form.
 */
export async function callEndpoint<Body>(
  parts: CallParts,
  visitor: Visitor,
  endpoint: Endpoint & Answering<Body>,
  sent: Sent = {},
): Promise<Body> {
  const result = await run(parts, visitor, endpoint, sent);
  // What a declaration's handler answers is what its schema says: tests hold each against the other.
  return (result instanceof Answer ? result.body : result) as Body;
}

/** The same for an endpoint that answers a file, which is sent on as it comes. */
export async function fetchFile(
  parts: CallParts,
  visitor: Visitor,
  endpoint: Endpoint,
  sent: Sent = {},
): Promise<Shown> {
  const result = await run(parts, visitor, endpoint, sent);
  if (!(result instanceof Answer)) throw new Error('the endpoint answers no file');
  const { body, options } = result as Answer<string | Uint8Array>;
  const { contentType = 'application/json; charset=utf-8', headers = {}, stream } = options;
  return new Shown(stream ?? body, { contentType, headers });
}

async function run(parts: CallParts, { caller, request }: Visitor, endpoint: Endpoint, sent: Sent): Promise<unknown> {
  if (endpoint.limit === 'credentials') await limitGuesses(parts, request);
  const admitted = admit(endpoint.auth, caller);
  const body = sent.body ?? {};
  refuseCardNumbers(body, endpoint.cardNumberFields ?? []);
  const params = Object.fromEntries(Object.entries(sent.params ?? {}).map(([name, value]) => [name, String(value)]));
  await refuseTurnedOff(parts.featuresOff, endpoint, { caller: admitted, params, fields: body });
  const input = {
    caller: admitted,
    params: parsePath(endpoint, params),
    query: endpoint.query && validate(endpoint.query, sent.query ?? {}),
    body: endpoint.body && validate(endpoint.body, body),
    request,
  };
  return endpoint.handler(input as never);
}

async function limitGuesses({ rateLimiter, limits }: CallParts, { clientAddress }: RequestFacts): Promise<void> {
  refuseExceeded(await rateLimiter.countStrictly(`credentials:${networkOf(clientAddress)}`, limits.credentials));
}

/** Public endpoints know no caller, whoever looks at the page. */
function admit(auth: Auth, caller: Caller | undefined): Caller | undefined {
  if (auth.kind === 'anyone' || auth.kind === 'forgiving') return undefined;
  if (!caller) throw new AppError('invalid_auth_token');
  if (!mayCall(auth, caller)) throw new AppError('forbidden');
  return caller;
}
