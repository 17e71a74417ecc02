import { type Books, type ChargeRow } from '../books';
import { type Recorded } from '../history';
import { linesAbout } from '../operations';
import { differences, type Found } from './violation';

interface Named {
  key: string;
  reference: string | null;
  amountMinor: number;
}

const lineOf = ({ key, reference, amountMinor }: Named) => `${key} ${reference ?? ''} ${amountMinor}`;

/** Charges and refunds of the provider = those in our books = those in answers and events. */
export function checkMoney(history: readonly Recorded[], books: Books): Found[] {
  const paid = books.charges.filter(({ status, amountMinor }) => status === 'paid' && amountMinor > 0);
  const refunded = books.refunds.filter(({ state }) => state === 'refunded');
  return [
    ...compare(history, 'charge', books.providerCharges, paid),
    ...compare(history, 'refund', books.providerRefunds, refunded),
    ...chargedTwice(history, paid),
    ...untold(history, books),
    ...books.journal.map((fault) => ({ what: `the journal differs: ${fault}`, lines: [] })),
  ];
}

function compare(
  history: readonly Recorded[],
  what: string,
  theirs: readonly Named[],
  ours: readonly Named[],
): Found[] {
  const { missing, extra } = differences(theirs.map(lineOf), ours.map(lineOf));
  return [
    ...missing.map((line) => ({
      what: `the provider has the ${what} ${line}, and our books do not`,
      lines: linesAbout(history, line),
    })),
    ...extra.map((line) => ({
      what: `our books have the ${what} ${line}, and the provider does not`,
      lines: linesAbout(history, line),
    })),
  ];
}

/** One paid charge for each period, whatever the database enforces. */
function chargedTwice(history: readonly Recorded[], paid: readonly ChargeRow[]): Found[] {
  const ofPeriod = Map.groupBy(paid, ({ subject, cycle }) => `${subject} cycle ${cycle}`);
  return [...ofPeriod]
    .filter(([, charges]) => charges.length > 1)
    .map(([period, charges]) => ({
      what: `${period} was charged ${charges.length} times`,
      lines: linesAbout(history, period),
    }));
}

/**
 * Every charge is published once with its amount, and nothing else is published. Of an interrupted plan change only the refund
 * is published.
 */
const successes = ['subscribe.success', 'subscribe.renewed', 'payment.card.success'];

function untold(history: readonly Recorded[], { events, charges }: Books): Found[] {
  const told = events
    .filter(({ type, amountMinor }) => successes.includes(type) && (amountMinor ?? 0) > 0)
    .map(({ subject, amountMinor }) => `${subject} ${amountMinor}`);
  const switched = new Set(events.filter(({ type }) => type === 'subscribe.updated').map(({ subject }) => subject));
  const paid = charges
    .filter(({ status, amountMinor, isInterrupted }) => status === 'paid' && amountMinor > 0 && !isInterrupted)
    .map(({ subject, amountMinor }) => `${subject} ${amountMinor}`);
  const { missing, extra } = differences(paid, told);
  return [
    ...missing
      .filter((line) => !switched.has(line.split(' ')[0] ?? ''))
      .map((line) => ({ what: `the charge ${line} was told to nobody`, lines: linesAbout(history, line) })),
    ...extra.map((line) => ({
      what: `the charge ${line} was told, and does not exist`,
      lines: linesAbout(history, line),
    })),
  ];
}
