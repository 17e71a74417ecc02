import { AppError } from './errors';

/** Adds to counters that all replicas share, and tells their totals. */
export interface CounterStore {
  add(counts: ReadonlyMap<string, number>, windowStartsAt: Date): Promise<Map<string, number>>;
}

export interface RateLimit {
  limit: number;
  remaining: number;
  resetSeconds: number;
  isExceeded: boolean;
}

/** Throws `too_many_requests`, which tells when the window ends. */
export function refuseExceeded({ isExceeded, resetSeconds }: RateLimit): void {
  if (isExceeded) throw new AppError('too_many_requests', { retryAfterSeconds: resetSeconds });
}

interface Counter {
  /** Of this window, over all replicas, when last heard. */
  shared: number;
  /** Counted here and not yet told to the others. */
  unsent: number;
  /** On its way to them: not in `shared` yet, and not forgotten meanwhile. */
  sending: number;
}

const windowMs = 60_000;
const flushEveryMs = 250;

/** How far the general counts of a replica may be from what the others know, as a share of the limit and at most. */
const untoldShare = 0.02;
const untoldMax = 12;

/**
 * Fixed windows of a minute, counted in the database so that they hold over replicas. The general limit is told to the
 * others up to four times a second in one statement, so that it costs a request nothing, and only for callers that have
 * made some requests since: one that clicks now and then costs the database nothing either. A strict count, for guessing
 * attacks, is written before the request goes on.
 */
export class RateLimiter {
  private counters = new Map<string, Counter>();
  /** Those with enough unsent, and those that could not be sent. */
  private worthTelling = new Map<string, Counter>();
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

  /** Counts one request of the caller named by `key`, and tells where that leaves it. */
  count(key: string, limit: number): RateLimit {
    const counter = this.add(key);
    if (counter.unsent > Math.min(untoldMax, limit * untoldShare)) this.worthTelling.set(key, counter);
    return this.state(limit, counter.shared + counter.unsent + counter.sending);
  }

  /** The same over all replicas at this moment. */
  async countStrictly(key: string, limit: number): Promise<RateLimit> {
    const counter = this.add(key);
    await this.send(new Map([[key, counter]]));
    // It has just been answered, with all that others were sending at the time.
    return this.state(limit, counter.shared + counter.unsent);
  }

  private add(key: string): Counter {
    this.startWindow();
    let counter = this.counters.get(key);
    if (!counter) this.counters.set(key, (counter = { shared: 0, unsent: 0, sending: 0 }));
    counter.unsent += 1;
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
    this.worthTelling = new Map();
  }

  private async flush(): Promise<void> {
    const counters = this.worthTelling;
    if (counters.size === 0) return;
    this.worthTelling = new Map();
    await this.send(counters);
  }

  /** While the database is away each replica goes on with its own counts. */
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
        if (this.counters.get(key) === counter) this.worthTelling.set(key, counter);
      }
    } finally {
      for (const [key, counter] of counters) counter.sending -= sent.get(key) ?? 0;
    }
  }
}
