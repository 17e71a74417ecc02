/** The tables are compared once for this number of endpoints, because a comparison takes longer than a request. */
const groupSize = 16;

/** Returns the result of the group that an entry is in. A group runs when the first of its entries is asked for. */
export function inGroups<T, R>(
  entries: readonly T[],
  run: (group: readonly T[]) => Promise<R>,
): (entry: T) => Promise<R> {
  const known = new Map<number, Promise<R>>();
  return (entry) => {
    const no = Math.floor(entries.indexOf(entry) / groupSize);
    const running = known.get(no) ?? run(entries.slice(no * groupSize, (no + 1) * groupSize));
    known.set(no, running);
    return running;
  };
}

/** What was wrong with the answers, by endpoint, and the tables that changed. */
export interface Findings {
  complaints: Record<string, string[]>;
  changed: string[];
}

/**
 * Expects no complaint about an endpoint, and that no table has changed. If one has, the endpoint is tried alone as well: that
 * shows which endpoint of the group it was.
 */
export async function expectNone<T extends { name: string }>(
  entry: T,
  findingsOf: (entry: T) => Promise<Findings>,
  run: (group: readonly T[]) => Promise<Findings>,
): Promise<void> {
  const { complaints, changed } = await findingsOf(entry);
  const alone = changed.length === 0 ? [] : (await run([entry])).changed;
  expect({ complaints: complaints[entry.name] ?? [], changed, alone }).toEqual({
    complaints: [],
    changed: [],
    alone: [],
  });
}
