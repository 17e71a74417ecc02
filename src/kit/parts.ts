import { type ServerResponse } from 'node:http';
import { type Logger } from 'pino';
import { type Caller } from './auth';
import { type RequestFacts } from './endpoint';
import { type FeaturesOff } from './features';
import { type CommonHeaders } from './headers';
import { type Idempotency } from './idempotency';
import { type RateLimiter } from './rateLimit';
import { type Route } from './routes';

/** What the kit needs from outside: it knows no business and no database. */
export interface KitParts {
  /** Throws `invalid_auth_token`. */
  authenticate(token: string | undefined, clientAddress: string): Promise<Caller>;
  featuresOff: FeaturesOff;
  rateLimiter: RateLimiter;
  /** Requests a minute. */
  limits: { credentials: number; normal: number };
  idempotency: Idempotency;
  logger: Logger;
  /** In tests and development every answer is held against its declared schema. */
  checkAnswers: boolean;
  observe(route: string, method: string, status: number, seconds: number): void;
  /** The host name of pages of our own, if there is one. */
  ownHost: string | undefined;
  /** Of every answer: `headersOfAnswers`. */
  headers: CommonHeaders;
}

/** One request on its way to its answer. */
export interface Context {
  parts: KitParts;
  route: Route;
  params: Record<string, string>;
  facts: RequestFacts;
  response: ServerResponse;
  /** Of every answer to this request, besides the common ones. */
  headers: Record<string, string>;
}
