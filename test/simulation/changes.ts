import { findViolations } from './checker';
import { createExample, recorded, type Example } from './example';
import { type Entry } from './history';

/** Changes of the example that break a rule, for the tests of the checker. */

export type Change = (example: Example) => void;

export function violationsAfter(change: Change): string[] {
  const example = createExample();
  change(example);
  return findViolations(recorded(example.entries), example.books).map(({ rule, what }) => `${rule}: ${what}`);
}

/** The place of an operation's answer. */
const answerTo = ({ entries }: Example, operation: number): number =>
  entries.findIndex((entry) => entry.kind === 'answered' && entry.operation === operation);

/** The client repeats the key and gets another answer. */
export const answeredAgain =
  (operation: number, answer: object): Change =>
  (example) => {
    const first = example.entries[answerTo(example, operation)] as Entry;
    example.entries.push({ ...first, ...answer });
  };

/** The request is answered in another way at first, and its client repeats the key. */
export const answeredBefore =
  (operation: number, answer: object): Change =>
  (example) => {
    const place = answerTo(example, operation);
    example.entries.splice(place, 0, { ...(example.entries[place] as Entry), ...answer });
  };

/** The answer to the operation is lost, and its client does not ask again. */
export const unheard =
  (operation: number): Change =>
  (example) => {
    const place = answerTo(example, operation);
    const { actor } = example.entries[place] as Extract<Entry, { kind: 'answered' }>;
    example.entries[place] = { kind: 'unheard', actor, operation, attempt: 1, reason: 'timeout' };
  };

export const withoutHeard =
  (actor: string, id: number): Change =>
  (example) => {
    example.entries = example.entries.filter(
      (entry) => entry.kind !== 'heard' || entry.actor !== actor || entry.id !== id,
    );
  };

/** The back end does not accept the event. */
export const withoutReceived =
  (id: number): Change =>
  (example) => {
    example.entries = example.entries.filter((entry) => entry.kind !== 'received' || entry.id !== id);
  };

export const inBooks =
  (change: (books: Example['books']) => void): Change =>
  ({ books }) =>
    change(books);

/** Changes the first row of a table. */
export const first = <T>(rows: readonly T[], change: Partial<T>): void => void Object.assign(rows[0] as object, change);

/** Adds a copy of a row, with changes. */
export const again = <T>(rows: T[], place: number, change: Partial<T>): void =>
  void rows.push({ ...(rows[place] as T), ...change });
