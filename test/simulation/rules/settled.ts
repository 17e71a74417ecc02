import { type Books } from '../books';
import { type Recorded } from '../history';
import { linesAbout } from '../operations';
import { type Found } from './violation';

/** Nothing is left to do: no message waits in the outbox, no row is overdue, and no charge is open. */
export function checkSettled(history: readonly Recorded[], { unsent, due, charges }: Books): Found[] {
  const open = charges.filter(({ status }) => status === 'open');
  return [
    ...unsent.map((message) => ({ what: `the outbox still has ${message}`, lines: [] })),
    ...due.map((token) => ({ what: `${token} is overdue`, lines: linesAbout(history, token) })),
    ...open.map(({ key }) => ({ what: `the charge ${key} is open`, lines: linesAbout(history, key) })),
  ];
}
