import { type IncomingMessage } from 'node:http';
import { type Applicant } from './admission';
import { AttemptLimit } from './attempts';
import { type Caller, isPublic } from './auth';
import { noBody, noFields, parseQuery, readBody, readRawBody, type ParsedBody } from './body';
import { type Context } from './dependencies';
import { AppError } from './errors';
import { type FeaturesOff } from './features';
import { networkOf } from './hosts';
import { type RateLimit, refuseExceeded } from './rateLimit';

/** The share of a provider in the limit. A provider sends the notifications of all its buyers from few addresses. */
const providerShare = 50;

/** A request to the API: its caller comes from the token, its fields from the body. */
export class ApiRequest implements Applicant {
  caller: Caller | undefined;
  /** The unparsed body, once it is read. */
  raw = noBody.raw;
  readonly facts: Context['facts'];
  readonly params: Context['params'];
  readonly featuresOff: FeaturesOff;
  private readonly attempts: AttemptLimit;

  constructor(
    private readonly context: Context,
    private readonly request: IncomingMessage,
  ) {
    this.facts = context.facts;
    this.params = context.params;
    this.featuresOff = context.parts.featuresOff;
    this.attempts = new AttemptLimit(context.parts, context.route.endpoint.limit, context.facts);
  }

  /** Counts the request for its address. Requests with a session are counted for the session instead. */
  limit(): void | Promise<void> {
    if (this.attempts.isNeeded) return this.limitAttempts();
    if (isPublic(this.context.route.endpoint.auth)) this.applyLimit(this.countAddress());
  }

  /** Runs the admitted request, and counts a failed attempt. */
  watch<T extends { status: number }>(work: () => Promise<T>): Promise<T> {
    const isFailure = ({ status }: T) => status >= 400;
    return this.attempts.watch(work, isFailure, (state) => this.tellLimit(state));
  }

  async readCaller(): Promise<Caller | undefined> {
    const { parts, route } = this.context;
    if (isPublic(route.endpoint.auth)) return undefined;
    this.caller = await this.authenticate();
    this.applyLimit(parts.rateLimiter.count(this.caller.sessionId, parts.limits.normal));
    return this.caller;
  }

  /** A request without a valid token has no session, so it is counted for its address. */
  private async authenticate(): Promise<Caller> {
    const { parts, facts } = this.context;
    try {
      return await parts.authenticate(facts.bearer, facts.clientAddress);
    } catch (error) {
      if (error instanceof AppError && error.status === 401) this.applyLimit(this.countAddress());
      throw error;
    }
  }

  requireRecentFactor(caller: Caller): Promise<void> {
    return this.context.parts.requireRecentFactor(caller);
  }

  withoutCaller(): never {
    throw new AppError('invalid_auth_token');
  }

  readFields(): ParsedBody['fields'] | Promise<ParsedBody['fields']> {
    return this.request.method === 'GET' ? noFields : this.readSent();
  }

  readQuery(): ParsedBody['fields'] {
    return parseQuery(this.request.url ?? '');
  }

  private async readSent(): Promise<ParsedBody['fields']> {
    const { rawBodyMax } = this.context.route.endpoint;
    const { raw, fields } = await (rawBodyMax === undefined
      ? readBody(this.request)
      : readRawBody(this.request, rawBodyMax));
    if (rawBodyMax !== undefined) this.facts.raw = { body: raw, headers: this.request.headers };
    this.raw = raw;
    return fields;
  }

  private async limitAttempts(): Promise<void> {
    await this.attempts.admit((state) => this.tellLimit(state));
  }

  private countAddress(): RateLimit {
    const { parts, route, facts } = this.context;
    const { rateLimiter, limits } = parts;
    const network = networkOf(facts.clientAddress);
    const isProviders = route.endpoint.rawBodyMax !== undefined && isPublic(route.endpoint.auth);
    if (isProviders) return rateLimiter.count(`provider:${network}`, limits.normal * providerShare);
    return rateLimiter.count(`address:${network}`, limits.anonymous);
  }

  private applyLimit(state: RateLimit): void {
    this.tellLimit(state);
    refuseExceeded(state);
  }

  private tellLimit({ limit, remaining, resetSeconds }: RateLimit): void {
    this.context.headers['RateLimit'] = `limit=${limit}, remaining=${remaining}, reset=${resetSeconds}`;
  }
}
