import { LRUCache } from 'lru-cache';

interface Entry<Value> {
  reading: Promise<Value>;
  /** Once it was read. */
  value?: Value;
}

interface Room<Value> {
  max: number;
  /** In characters; `ofUnread` is taken while a value is being read. */
  size?: { max: number; of: (value: Value) => number; ofUnread: number };
}

const trustedMs = 60_000;

/**
 * What changes seldom and is asked for at every playback. A change drops it from every replica's memory by NOTIFY; what a
 * lost NOTIFY leaves behind ends after a minute. A reading is remembered from its start, so that a change that comes while
 * it runs drops it too.
 */
export class Remembered<Value extends object> {
  private readonly entries: LRUCache<number, Entry<Value>>;

  constructor(
    private readonly read: (key: number) => Promise<Value>,
    private readonly room: Room<Value>,
  ) {
    const { max, size } = room;
    this.entries = new LRUCache({
      max,
      ...(size && { maxSize: size.max }),
      ttl: trustedMs,
      // How often the clock is asked: by default a timer is set each millisecond.
      ttlResolution: 1_000,
    });
  }

  /** The value itself where it is known: a promise of it takes longer than to find it. */
  get(key: number): Value | Promise<Value> {
    const known = this.entries.get(key);
    return known === undefined ? this.remember(key) : (known.value ?? known.reading);
  }

  /** Some replica has changed it. */
  forget(key: number): void {
    this.entries.delete(key);
  }

  forgetAll(): void {
    this.entries.clear();
  }

  private remember(key: number): Promise<Value> {
    const { size } = this.room;
    const reading = this.read(key);
    this.entries.set(key, { reading }, size && { size: size.ofUnread });
    const isCurrent = () => this.entries.peek(key)?.reading === reading;
    reading.then(
      (value) => {
        // Another entry: of the same one the cache would not look at the size again.
        const options = { noUpdateTTL: true, ...(size && { size: size.of(value) }) };
        if (isCurrent()) this.entries.set(key, { reading, value }, options);
      },
      () => {
        if (isCurrent()) this.entries.delete(key);
      },
    );
    return reading;
  }
}
