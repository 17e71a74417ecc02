import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { admit, type Applicant } from '../admission';
import { AttemptLimit } from '../attempts';
import { type Caller, isPublic } from '../auth';
import { Answer, type Answering, type Endpoint, type RequestFacts } from '../endpoint';
import { AppError } from '../errors';
import { reportRefusal } from '../failures';
import { callHandler } from '../handlers';
import { type KitDependencies } from '../dependencies';
import { type PageParts } from './context';
import { type EndpointInput, PageResponse } from './page';

type CallParts = Pick<
  KitDependencies,
  'rateLimiter' | 'limits' | 'featuresOff' | 'refused' | 'requireRecentFactor' | 'withinMerchantOf' | 'recordActing'
>;
type OnceParts = CallParts & Pick<PageParts, 'idempotency' | 'key'>;

interface Visitor {
  caller: Caller | undefined;
  request: RequestFacts;
  /** The name of the page. */
  page: string;
}

/**
 * Calls an endpoint for the visitor of a page with all its rules: limits, rights, schemas and handler. A page therefore
 * needs no rules. Empty fields count as absent, as in any form.
 */
export async function callEndpoint<Body>(
  parts: CallParts,
  visitor: Visitor,
  endpoint: Endpoint & Answering<Body>,
  sent: EndpointInput = {},
): Promise<Body> {
  const result = await run(parts, visitor, endpoint, sent);
  // The answer has the type of the schema: tests compare the answers of every handler with its schema.
  return (result instanceof Answer ? result.body : result) as Body;
}

/**
 * Calls an endpoint once for a form that may be sent twice: by a double click, or after a broken connection. The id of
 * the form and its fields are the idempotency key, so a corrected form is another request. A second request waits for
 * the answer to the first one, because the browser shows only the answer to the second.
 */
export async function callEndpointOnce<Body>(
  parts: OnceParts,
  visitor: Visitor & { formId: string },
  endpoint: Endpoint & Answering<Body>,
  sent: EndpointInput = {},
): Promise<Body> {
  const { caller, request, formId } = visitor;
  const fingerprint = JSON.stringify([endpoint.method, endpoint.path, sent]);
  const key = `form:${createHmac('sha256', parts.key).update(`${formId}\n${fingerprint}`).digest('hex')}`;
  const scope = caller ? `account:${caller.accountId}` : `address:${request.clientAddress}`;
  const answer = async () => {
    // A repeated form finds its change again if the first answer was pending.
    const named = endpoint.pending ? { ...visitor, request: { ...request, idempotencyKey: key } } : visitor;
    const result = await run(parts, named, endpoint, sent);
    const given: Answer<unknown> = result instanceof Answer ? result : new Answer<unknown>(result);
    const { isPending } = given.options;
    return { status: endpoint.status, headers: {}, body: JSON.stringify(given.body), ...(isPending && { isPending }) };
  };
  const { body } = await afterTheFirst(() => parts.idempotency.once({ scope, key, fingerprint }, answer));
  return JSON.parse(body) as Body;
}

const triesMax = 40;
const betweenTriesMs = 250;

/** Repeats the call while the first request with the same key runs. */
async function afterTheFirst<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      const isRunning = error instanceof AppError && error.code === 'request_in_progress';
      if (!isRunning || tries === triesMax) throw error;
    }
    await sleep(betweenTriesMs);
  }
}

/** Calls an endpoint whose answer is a file, and streams the file. */
export async function fetchFile(
  parts: CallParts,
  visitor: Visitor,
  endpoint: Endpoint,
  sent: EndpointInput = {},
): Promise<PageResponse> {
  const result = await run(parts, visitor, endpoint, sent);
  if (!(result instanceof Answer)) throw new Error('the endpoint answers no file');
  const { body, options } = result as Answer<string | Uint8Array>;
  const { contentType = 'application/json; charset=utf-8', headers = {}, stream } = options;
  return new PageResponse(stream ?? body, { contentType, headers });
}

async function run(parts: CallParts, visitor: Visitor, endpoint: Endpoint, sent: EndpointInput): Promise<unknown> {
  const attempts = new AttemptLimit(parts, endpoint.limit, visitor.request);
  try {
    const { variant, ...admitted } = await admit(endpoint, applicantOf(parts, visitor, endpoint, sent, attempts));
    const { handler } = variant ?? endpoint;
    const { file } = sent;
    const request = file ? { ...visitor.request, raw: { body: file, headers: {} } } : visitor.request;
    const input = { ...admitted, request };
    const { method } = endpoint;
    const call = { caller: input.caller, method, operation: visitor.page, requestId: request.requestId };
    const work = () => callHandler(parts, call, () => handler(input as never));
    return await attempts.watch(work, () => false, ignoreState);
  } catch (error) {
    reportRefusal(parts, visitor.caller, endpoint, error);
    throw error;
  }
}

/** A page does not show the state of a limit. */
const ignoreState = () => undefined;

/** The request for the page is counted already, so its calls count only as attempts. */
function applicantOf(
  parts: CallParts,
  { caller, request }: Visitor,
  { auth }: Endpoint,
  { params = {}, query = {}, body = {} }: EndpointInput,
  attempts: AttemptLimit,
): Applicant {
  return {
    facts: request,
    params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])),
    featuresOff: parts.featuresOff,
    limit: () => attempts.admit(ignoreState),
    // A public endpoint has no caller, even if the visitor has a session.
    readCaller: () => Promise.resolve(isPublic(auth) ? undefined : caller),
    requireRecentFactor: (who) => parts.requireRecentFactor(who),
    withoutCaller: () => {
      throw new AppError('invalid_auth_token');
    },
    readFields: () => body,
    readQuery: () => query,
  };
}
