import './generatedSettings';
import { randomUUID } from 'node:crypto';
import qs from 'qs';
import { routes } from '../../src/endpoints';
import { type ErrorCode, errorCatalogue } from '../../src/kit/errors';
import { promisedErrors } from '../../src/kit/openapi';
import { type Route } from '../../src/kit/routes';
import { call, type Method, type Reply } from './client';
import { type Role } from '../../src/kit/auth';
import { exampleNames, type ExampleRequest } from './examples';
import { type ErrorBody, send } from './raw';
import { type TestApp } from './startApp';

/** By name, for `test.each`. Another test reports endpoints without an example. */
export const generatedRoutes = routes
  .filter(({ name }) => exampleNames.includes(name))
  .map((route) => [route.name, route] as const);

let addresses = 0;

/** Every request has an address of its own, so that limits by address do not apply. */
export function fromNewAddress(): Record<string, string> {
  addresses += 1;
  return { 'X-Forwarded-For': [10, addresses >> 16, (addresses >> 8) & 255, addresses & 255].join('.') };
}

export const methodOf = ({ endpoint }: Route) => endpoint.method.toUpperCase() as Method;

export function pathOf({ endpoint }: Route, { params = {}, query }: ExampleRequest): string {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ''));
  return query ? `${path}?${qs.stringify(query)}` : path;
}

/** The caller of an example for which any caller is right. A merchant's endpoints need a merchant. */
export function naturalRole({ endpoint }: Route): Role {
  if (endpoint.auth.kind === 'operator') return 'operator';
  return ['merchant', 'anyMerchant', 'master'].includes(endpoint.auth.kind) ? 'merchant' : 'consumer';
}

/** Sends an example as existing clients would. */
export function sendExample(app: TestApp, route: Route, request: ExampleRequest, token?: string) {
  const key = route.endpoint.pending && { 'Idempotency-Key': randomUUID() };
  const headers = { ...key, ...request.headers };
  return patiently(() => sendOnce(app, route, { ...request, headers }, token));
}

/** Accepts the first answer. */
export function sendOnce(app: Pick<TestApp, 'address'>, route: Route, request: ExampleRequest, token?: string) {
  const options = { headers: { ...fromNewAddress(), ...request.headers }, ...(token !== undefined && { token }) };
  if (request.raw !== undefined) return sendRaw(app, route, request, options);
  return call<ErrorBody>(app, methodOf(route), pathOf(route, request), request.body, options);
}

const triesOfThePatient = 5;

/** Repeats a request that is answered with 503 or is in progress: on a busy machine a run may not answer a change in time. */
export async function patiently<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  let reply = await ask();
  for (let tries = 1; isUndecided(reply) && tries < triesOfThePatient; tries += 1) reply = await ask();
  return reply;
}

/** Whether the answer asks for a repetition, or says that the request is in progress. */
const isUndecided = ({ status, body }: { status: number; body?: unknown }) =>
  status === 503 || (status === 202 && (body as { status?: unknown } | undefined)?.status === 'pending');

/** A notification that is signed as a whole, or a file. */
function sendRaw(
  app: Pick<TestApp, 'address'>,
  route: Route,
  request: ExampleRequest,
  options: { headers: Record<string, string>; token?: string },
) {
  return send<ErrorBody>(app, methodOf(route), pathOf(route, request), { body: request.raw ?? '', ...options });
}

/** What the kit may answer to any request. */
const always: ErrorCode[] = [
  'malformed_request',
  'card_number_refused',
  'body_too_large',
  'unsupported_media_type',
  'too_many_requests',
  'not_found',
];

/** The faults of an answer: a wrong form, or a code that the declaration does not name. */
export function faultOf({ endpoint }: Route, { status, headers, body }: Reply<ErrorBody>): string | undefined {
  if (status >= 500) return `answers ${status}`;
  const type = headers.get('content-type')?.split(';')[0];
  const promisedType = status < 400 ? (endpoint.produces ?? 'application/json') : 'application/json';
  // `image/*` promises any type of images.
  const isPromised = type === promisedType || type?.split('/')[0] === promisedType.split('/*')[0];
  if (!isPromised) return `answers ${status} in ${type}`;
  if (status < 400) return undefined;
  if (body.code !== status || !body.message || !body.explain) return `is no Message: ${JSON.stringify(body)}`;
  const promised = [...always, ...promisedErrors(endpoint)].filter((code) => errorCatalogue[code].status === status);
  if (!promised.includes(body.error as ErrorCode)) return `${body.error} is not declared`;
  return undefined;
}

/** The row of another merchant, and a row that never existed: not found, or 400 for a merchant's customers. */
export function findsNothing({ status, body }: Reply<ErrorBody>): boolean {
  return status === 404 || (status === 400 && body.error === 'account_does_not_exist');
}

/** Processes a list, some elements at a time. */
export async function inParallel<T, R>(list: readonly T[], work: (entry: T) => Promise<R>, width = 12): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const runner = async () => {
    for (let index = next++; index < list.length; index = next++) results[index] = await work(list[index] as T);
  };
  await Promise.all(Array.from({ length: width }, runner));
  return results;
}
