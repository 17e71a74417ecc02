import { type Books } from '../books';
import { type Recorded } from '../history';
import { linesAbout } from '../operations';
import { type Found } from './violation';

/**
 * Nothing is left to do: no message waits in the outbox, no webhook waits for an event, no row is overdue, and no charge
 * is open.
 */
export function checkSettled(history: readonly Recorded[], { unsent, due, undelivered, charges }: Books): Found[] {
  const open = charges.filter(({ status }) => status === 'open');
  return [
    ...unsent.map((message) => ({ what: `the outbox still has ${message}`, lines: [] })),
    ...due.map((token) => ({ what: `${token} is overdue`, lines: linesAbout(history, token) })),
    ...undelivered.map((event) => ({ what: `the webhooks wait for ${event}`, lines: [] })),
    ...open.map(({ key }) => ({ what: `the charge ${key} is open`, lines: linesAbout(history, key) })),
  ];
}
