/** One call of a shared object. `from` and `to` are lines of the history. */
export interface ObjectCall<Input> {
  from: number;
  /** Infinity: no answer came, so the call may take effect at any later time. */
  to: number;
  input: Input;
  /** The call may have had no effect. */
  isOptional: boolean;
  lines: number[];
}

/** What an object does if calls come one after the other. */
export interface SequentialModel<State, Input> {
  initial: State;
  /** The state after the call. Undefined: in this state, the call cannot have had its answer. */
  next(state: State, input: Input): State | undefined;
  keyOf(state: State): string;
}

/** A search of this size takes a few seconds. */
const statesMax = 100_000;

/**
 * Whether the calls can be put in an order in which the model gives the same answers, and in which no call is before a
 * call that had its answer when it began. The search is the one of Wing and Gong; it visits each pair of finished calls and
 * state once (Lowe). Undefined: the search was given up.
 */
export function isLinearizable<State, Input>(
  unsorted: readonly ObjectCall<Input>[],
  model: SequentialModel<State, Input>,
): boolean | undefined {
  const calls = unsorted.toSorted((a, b) => a.from - b.from);
  const open = [{ done: 0n, state: model.initial }];
  const seen = new Set<string>();
  for (let place = open.pop(); place; place = open.pop()) {
    const { done, state } = place;
    const key = `${done} ${model.keyOf(state)}`;
    if (seen.has(key)) continue;
    if (seen.size === statesMax) return undefined;
    seen.add(key);
    const left = calls.flatMap((call, index) =>
      (done >> BigInt(index)) & 1n ? [] : [{ call, bit: 1n << BigInt(index) }],
    );
    const required = left.filter(({ call }) => !call.isOptional);
    if (required.length === 0) return true;
    const firstEnd = Math.min(...required.map(({ call }) => call.to));
    // The last one is tried first: calls in the order of their beginning, optional ones last.
    const candidates = [...left.filter(({ call }) => call.isOptional), ...required.toReversed()];
    for (const { call, bit } of candidates) {
      if (call.from >= firstEnd) continue;
      const next = model.next(state, call.input);
      if (next !== undefined) open.push({ done: done | bit, state: next });
    }
  }
  return false;
}
