import { type Books } from '../books';
import { type Recorded } from '../history';

/** A broken promise, with the lines of the history that prove it. The books alone prove it if there are none. */
export interface Violation {
  rule: string;
  what: string;
  lines: number[];
}

export type Found = Omit<Violation, 'rule'>;

export type Rule = (history: readonly Recorded[], books: Books) => Found[];

/** The differences between two lists of texts, each counted as often as it occurs. */
export function differences(one: readonly string[], other: readonly string[]): { missing: string[]; extra: string[] } {
  const without = (from: readonly string[], what: readonly string[]) => {
    const left = Map.groupBy(what, (text) => text);
    return from.filter((text) => left.get(text)?.pop() === undefined);
  };
  return { missing: without(one, other), extra: without(other, one) };
}
