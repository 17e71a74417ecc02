import { type ServerResponse } from 'node:http';
import { type Logger } from 'pino';
import { type Limits } from './attempts';
import { type Caller } from './auth';
import { type RequestFacts } from './endpoint';
import { type FeaturesOff } from './features';
import { type CommonHeaders } from './headers';
import { type Idempotency } from './idempotency';
import { type RateLimiter } from './rateLimit';
import { type Route } from './routes';

/** The kit's dependencies. The kit itself knows no business rules and no database. */
export interface KitDependencies {
  /** Throws `invalid_auth_token`. */
  authenticate(token: string | undefined, clientAddress: string): Promise<Caller>;
  /** Throws `recent_factor_required` or `recent_password_required` if the caller has not confirmed the session lately. */
  requireRecentFactor(caller: Caller): Promise<void>;
  /** Does and records a write that an actor makes in the name of the caller. The record comes before the write. */
  recordActing(caller: Caller, write: { operation: string; requestId: string }, work: () => unknown): Promise<unknown>;
  /** Runs a handler so that its statements see no rows of other merchants than the caller's. */
  withinMerchantOf<T>(caller: Caller | undefined, run: () => T): T;
  featuresOff: FeaturesOff;
  rateLimiter: RateLimiter;
  limits: Limits;
  idempotency: Idempotency;
  logger: Logger;
  /** In tests and development every response is checked against its declared schema. */
  checkAnswers: boolean;
  /** Receives each request that its caller has no right to. `endpoint`: `POST:/v2/vouchers`. */
  refused(caller: Caller, endpoint: string): void;
  observe(route: string, method: string, status: number, seconds: number): void;
  /** The host name of our own pages, if the service has one. */
  ownHost: string | undefined;
  /** The headers of every response: `headersOfAnswers`. */
  headers: CommonHeaders;
}

/** A request that is being handled. */
export interface Context {
  parts: KitDependencies;
  route: Route;
  params: Record<string, string>;
  facts: RequestFacts;
  response: ServerResponse;
  /** The headers of this response, in addition to the common ones. */
  headers: Record<string, string>;
}
