interface Waiting<Key, Result> {
  key: Key;
  resolve: (result: Result | undefined) => void;
  reject: (error: unknown) => void;
}

interface Bounds {
  /** A query that takes longer no longer holds up the next. */
  patienceMs?: number;
  /** So many calls share a query at most, and half as many need not wait for the one that is under way. */
  full?: number;
}

/** The database works at one query while this process works at the answers of another; more would only be smaller. */
const atOnce = 2;

/**
 * Lets calls that arrive together share one query. Those of one turn of the event loop go out as one statement, and while
 * it is on its way the next ones gather: the busier, the larger the batches, and the less each call costs the database and
 * this process. A call is answered by a statement that began after it was made. `read` answers one result a key, in order.
 */
export function batched<Key, Result>(
  read: (keys: Key[]) => Promise<(Result | undefined)[]>,
  { patienceMs = 12, full = 24 }: Bounds = {},
) {
  const waiting: Waiting<Key, Result>[] = [];
  let isScheduled = false;
  /** The queries that the next one may wait for. */
  let underWay = new Set<object>();

  const isDue = () => (underWay.size === 0 ? waiting.length > 0 : underWay.size < atOnce && waiting.length >= full / 2);

  const sendDue = () => {
    while (isDue()) send();
  };

  /** At the end of the turn: what else arrives in it goes along. */
  const schedule = () => {
    if (isScheduled || !isDue()) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      sendDue();
    });
  };

  /** One timer, set anew by each query: to make one for each takes longer than the rest of this. */
  const late = setTimeout(() => {
    underWay = new Set();
    sendDue();
  }, patienceMs).unref();

  const send = () => {
    const batch = waiting.splice(0, full);
    underWay.add(batch);
    late.refresh();
    /** The next query goes out before anybody is answered. */
    const settle = (answer: (call: Waiting<Key, Result>, index: number) => void) => {
      underWay.delete(batch);
      if (!isScheduled) sendDue();
      setImmediate(() => batch.forEach(answer));
    };
    read(batch.map(({ key }) => key)).then(
      (results) => settle(({ resolve }, index) => resolve(results[index])),
      (error: unknown) => settle(({ reject }) => reject(error)),
    );
  };

  return (key: Key): Promise<Result | undefined> =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      schedule();
    });
}
