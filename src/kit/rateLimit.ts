import { AppError } from './errors';

/** Adds to counters that all replicas share, and returns their totals. */
export interface CounterStore {
  add(counts: ReadonlyMap<string, number>, windowStartsAt: Date): Promise<Map<string, number>>;
}

export interface RateLimit {
  limit: number;
  remaining: number;
  resetSeconds: number;
  isExceeded: boolean;
}

/** Throws `too_many_requests` with the end of the window. */
export function refuseExceeded({ isExceeded, resetSeconds }: RateLimit): void {
  if (isExceeded) throw new AppError('too_many_requests', { retryAfterSeconds: resetSeconds });
}

interface Counter {
  /** The count of this window over all replicas, as last read. */
  shared: number;
  /** Counted by this replica and not yet added to the shared counter. */
  unsent: number;
  /** Being sent to the shared counter: not in `shared` yet, but still counted. */
  sending: number;
}

const windowMs = 60_000;
const flushEveryMs = 250;

/** The maximum difference between a replica's general count and the shared count, as a share of the limit and in requests. */
const unsentShare = 0.02;
const unsentMax = 12;

/**
 * Fixed windows of a minute, counted in the database so that they apply to all replicas together. General counts are
 * added to the shared counters up to four times a second, in one statement, so no request waits for the write. Only
 * callers with several new requests are included, so occasional requests cost the database nothing. A strict count,
 * which prevents guessing, is written before the request continues.
 */
export class RateLimiter {
  private counters = new Map<string, Counter>();
  /** Counters with enough unsent requests, and those that could not be sent. */
  private waiting = new Map<string, Counter>();
  private windowStartsAtMs = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly store: CounterStore,
    private readonly now: () => number = Date.now,
  ) {
    this.timer = setInterval(() => void this.flush(), flushEveryMs);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Counts a request of the caller `key`, and returns the state of its limit. */
  count(key: string, limit: number): RateLimit {
    const counter = this.add(key);
    if (counter.unsent > Math.min(unsentMax, limit * unsentShare)) this.waiting.set(key, counter);
    return this.state(limit, counter.shared + counter.unsent + counter.sending);
  }

  /** The same, exact over all replicas at this moment. */
  async countStrictly(key: string, limit: number): Promise<RateLimit> {
    const counter = this.add(key);
    await this.send(new Map([[key, counter]]));
    // The database has just returned this total, which includes all that was being sent.
    return this.state(limit, counter.shared + counter.unsent);
  }

  /** The state that this replica knows, without counting. It is exceeded only above the limit. */
  read(key: string, limit: number): RateLimit {
    const { shared, unsent, sending } = this.find(key);
    return this.state(limit, shared + unsent + sending);
  }

  /** Whether one more request would exceed the limit, exact over all replicas, without counting. */
  async readStrictly(key: string, limit: number): Promise<RateLimit> {
    const counter = this.find(key);
    await this.send(new Map([[key, counter]]));
    const used = counter.shared + counter.unsent;
    return { ...this.state(limit, used), isExceeded: used >= limit };
  }

  private add(key: string): Counter {
    const counter = this.find(key);
    counter.unsent += 1;
    return counter;
  }

  private find(key: string): Counter {
    this.startWindow();
    let counter = this.counters.get(key);
    if (!counter) this.counters.set(key, (counter = { shared: 0, unsent: 0, sending: 0 }));
    return counter;
  }

  private state(limit: number, used: number): RateLimit {
    const resetSeconds = Math.max(1, Math.ceil((this.windowStartsAtMs + windowMs - this.now()) / 1000));
    return { limit, remaining: Math.max(0, limit - used), resetSeconds, isExceeded: used > limit };
  }

  private startWindow(): void {
    const startsAtMs = Math.floor(this.now() / windowMs) * windowMs;
    if (startsAtMs === this.windowStartsAtMs) return;
    this.windowStartsAtMs = startsAtMs;
    this.counters = new Map();
    this.waiting = new Map();
  }

  private async flush(): Promise<void> {
    const counters = this.waiting;
    if (counters.size === 0) return;
    this.waiting = new Map();
    await this.send(counters);
  }

  /** While the database is unavailable, each replica uses only its own counts. */
  private async send(counters: Map<string, Counter>): Promise<void> {
    const sent = new Map([...counters].map(([key, counter]) => [key, counter.unsent]));
    for (const [key, counter] of counters) {
      counter.unsent = 0;
      counter.sending += sent.get(key) ?? 0;
    }
    try {
      const totals = await this.store.add(sent, new Date(this.windowStartsAtMs));
      for (const [key, counter] of counters) counter.shared = totals.get(key) ?? counter.shared;
    } catch {
      for (const [key, counter] of counters) {
        counter.unsent += sent.get(key) ?? 0;
        if (this.counters.get(key) === counter) this.waiting.set(key, counter);
      }
    } finally {
      for (const [key, counter] of counters) counter.sending -= sent.get(key) ?? 0;
    }
  }
}
