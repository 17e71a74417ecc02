import { LRUCache } from 'lru-cache';
import { manyEntries } from './manyEntries';

interface Entry<Value> {
  reading: Promise<Value>;
  /** Set after the value is read. */
  value?: Value;
}

interface Room<Value> {
  /** The largest sum of sizes. Without `size`, each entry has the size 1. */
  max: number;
  size?: {
    of: (value: Value) => number;
    /** The size while a value is being read. */
    ofUnread: number;
  };
}

const trustedMs = 60_000;

/**
 * A cache of values that change seldom and are read at every playback. A change removes the value from the cache of
 * every replica by NOTIFY. If the NOTIFY is lost, the old value expires after a minute. An entry exists from the start
 * of its read, so that a change during the read removes it too.
 */
export class InvalidatingCache<Value extends object> {
  private readonly entries: LRUCache<number, Entry<Value>>;

  constructor(
    private readonly read: (key: number) => Promise<Value>,
    private readonly room: Room<Value>,
  ) {
    this.entries = new LRUCache({
      ...manyEntries(room.max),
      ttl: trustedMs,
      // The resolution of the clock. By default the cache sets a timer each millisecond.
      ttlResolution: 1_000,
    });
  }

  /** Returns a cached value without a promise, because a promise takes longer than the look-up. */
  get(key: number): Value | Promise<Value> {
    const known = this.entries.get(key);
    return known === undefined ? this.remember(key) : (known.value ?? known.reading);
  }

  /** Removes a value that some replica has changed. */
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
        // A new entry, because the cache does not compute the size of the same one again.
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
