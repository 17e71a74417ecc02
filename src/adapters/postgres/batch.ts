interface Waiting<Key, Result> {
  key: Key;
  resolve: (result: Result | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * Lets calls that arrive together share one query. Those of one turn of the event loop go out as one statement, and while
 * it is on its way the next ones gather: the busier, the larger the batches, and the less each call costs the database and
 * this process. A call is answered by a statement that began after it was made. `read` answers one result a key, in order;
 * one that takes longer than `patienceMs` no longer holds up the next.
 */
export function batched<Key, Result>(
  read: (keys: Key[]) => Promise<(Result | undefined)[]>,
  { patienceMs = 12 }: { patienceMs?: number } = {},
) {
  let waiting: Waiting<Key, Result>[] = [];
  let isScheduled = false;
  /** The query that the next one waits for. */
  let awaited: Promise<unknown> | undefined;

  /** At the end of the turn: what else arrives in it goes along. */
  const schedule = () => {
    if (isScheduled || awaited || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(flush);
  };

  const flush = () => {
    isScheduled = false;
    const batch = waiting;
    waiting = [];
    const reading = read(batch.map(({ key }) => key));
    awaited = reading;
    const goOn = () => {
      if (awaited !== reading) return;
      awaited = undefined;
      schedule();
    };
    const timer = setTimeout(goOn, patienceMs);
    const settle = (answer: (call: Waiting<Key, Result>, index: number) => void) => {
      clearTimeout(timer);
      goOn();
      batch.forEach(answer);
    };
    reading.then(
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
