import { type Endpoint, type RequestFacts } from './endpoint';
import { AppError } from './errors';
import { networkOf } from './hosts';
import { type RateLimit, type RateLimiter, refuseExceeded } from './rateLimit';

/** Requests per minute. All but `normal` are per address. Many people share an address, such as those of a campus. */
export interface Limits {
  /** Failed attempts, such as wrong passwords, and requests that make us send a mail to any address. */
  credentials: number;
  /** Requests to endpoints that check credentials, including those that succeed. */
  signIns: number;
  registrations: number;
  /** Other requests of a session, and requests for documents that are not endpoints. */
  normal: number;
  /** Other requests without a session. */
  anonymous: number;
}

interface Parts {
  rateLimiter: RateLimiter;
  limits: Limits;
}

/**
 * Limits the attempts of an address at an endpoint. Many people share an address, so only failures count as attempts:
 * a whole campus can sign in, and guessing stays slow. The failures of all endpoints share one count. All replicas share
 * the counts.
 */
export class AttemptLimit {
  private readonly network: string;

  constructor(
    private readonly parts: Parts,
    private readonly kind: Endpoint['limit'],
    { clientAddress }: Pick<RequestFacts, 'clientAddress'>,
  ) {
    this.network = networkOf(clientAddress);
  }

  /** Whether the endpoint has a limit of this kind. */
  get isNeeded(): boolean {
    return this.kind !== undefined && this.kind !== 'normal';
  }

  /** Counts the request before it is read, and reports the state of the limit. Throws `too_many_requests`. */
  async admit(onState: (state: RateLimit) => void): Promise<void> {
    const accept = (state: RateLimit) => {
      onState(state);
      refuseExceeded(state);
    };
    const { rateLimiter, limits } = this.parts;
    if (this.kind === 'mails')
      return accept(await rateLimiter.countStrictly(`mails:${this.network}`, limits.credentials));
    if (this.kind !== 'credentials' && this.kind !== 'registrations') return;
    const most = this.kind === 'credentials' ? limits.signIns : limits.registrations;
    accept(rateLimiter.count(`${this.kind}:${this.network}`, most));
    accept(await rateLimiter.readStrictly(this.failures, limits.credentials));
  }

  /**
   * Runs an admitted request and counts its failure. A failure above the limit gets the response 429. A correct
   * password gets it too if too many wrong ones arrive at the same time, so that concurrent guesses reveal nothing.
   */
  async watch<T>(work: () => Promise<T>, isFailure: (result: T) => boolean, onState: (state: RateLimit) => void) {
    if (!this.countsFailures) return work();
    const result = await work().catch(async (error: unknown) => {
      if (isFailedAttempt(error)) await this.countFailure(onState);
      throw error;
    });
    if (isFailure(result)) await this.countFailure(onState);
    else if (this.kind === 'credentials')
      refuseExceeded(this.parts.rateLimiter.read(this.failures, this.parts.limits.credentials));
    return result;
  }

  private get countsFailures(): boolean {
    return this.kind === 'credentials' || this.kind === 'registrations';
  }

  private get failures(): string {
    return `failures:${this.network}`;
  }

  private async countFailure(onState: (state: RateLimit) => void): Promise<void> {
    const state = await this.parts.rateLimiter.countStrictly(this.failures, this.parts.limits.credentials);
    onState(state);
    refuseExceeded(state);
  }
}

/** An error of the client, except an error that only makes the client wait. */
function isFailedAttempt(error: unknown): boolean {
  return error instanceof AppError && error.status < 500 && error.code !== 'too_many_requests';
}
