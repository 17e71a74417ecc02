import { apart, openTransaction } from './requestWork';

interface Waiting<Key, Result> {
  key: Key;
  resolve: (result: Result | undefined) => void;
  reject: (error: unknown) => void;
}

interface Bounds {
  /** A query that takes longer than this no longer delays the next one. */
  patienceMs?: number;
  /** The most calls that share a query. With half as many, a batch does not wait for the running query. */
  full?: number;
}

/**
 * The database runs one query while this process handles the results of another. More queries at once would only make
 * batches smaller.
 */
const atOnce = 2;

/**
 * Lets calls that arrive together share one query. The calls of one turn of the event loop become one statement.
 * Further calls are collected while it runs, so a busy process has larger batches, and each call costs the database and
 * this process less. A call gets the result of a statement that began after the call. `read` returns one result per
 * key, in the order of the keys.
 */
export function batched<Key, Result>(read: ReadBatch<Key, Result>, { patienceMs = 12, full = 24 }: Bounds = {}) {
  const batches = new Batches(read, patienceMs, full);
  const readAlone = async (key: Key) => (await read([key]))[0];
  /** A request with an open transaction reads alone, because only its own transaction sees its uncommitted rows. */
  return (key: Key) => (openTransaction() ? readAlone(key) : batches.read(key));
}

type ReadBatch<Key, Result> = (keys: Key[]) => Promise<(Result | undefined)[]>;

class Batches<Key, Result> {
  private readonly waiting: Waiting<Key, Result>[] = [];
  private isScheduled = false;
  /** The running queries for which the next one may wait. */
  private readonly underWay = new Set<object>();
  /** One timer, restarted by each query, because creating a timer takes longer than the rest of `send`. */
  private readonly late: NodeJS.Timeout;

  constructor(
    private readonly readBatch: ReadBatch<Key, Result>,
    patienceMs: number,
    private readonly full: number,
  ) {
    this.late = setTimeout(() => {
      this.underWay.clear();
      this.sendDue();
    }, patienceMs).unref();
  }

  read(key: Key): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, resolve, reject });
      this.schedule();
    });
  }

  /** Sends at the end of the turn, so that all calls of the turn are included. */
  private schedule(): void {
    if (this.isScheduled || !this.isDue()) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.sendDue();
    });
  }

  private isDue(): boolean {
    const { underWay, waiting, full } = this;
    return underWay.size === 0 ? waiting.length > 0 : underWay.size < atOnce && waiting.length >= full / 2;
  }

  private sendDue(): void {
    while (this.isDue()) this.send();
  }

  private send(): void {
    const batch = this.waiting.splice(0, this.full);
    this.underWay.add(batch);
    this.late.refresh();
    apart(() => this.readBatch(batch.map(({ key }) => key))).then(
      (results) => this.settle(batch, ({ resolve }, index) => resolve(results[index])),
      (error: unknown) => this.settle(batch, ({ reject }) => reject(error)),
    );
  }

  /** The next query is sent before the calls of this one get their results. */
  private settle(batch: Waiting<Key, Result>[], answer: (call: Waiting<Key, Result>, index: number) => void): void {
    this.underWay.delete(batch);
    if (!this.isScheduled) this.sendDue();
    setImmediate(() => batch.forEach(answer));
  }
}
