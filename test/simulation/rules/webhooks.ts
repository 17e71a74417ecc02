import { type Books, type EventRow } from '../books';
import { entriesOf, type Received, type Recorded } from '../history';
import { type Found } from './violation';

/**
 * The back end of each merchant receives each event of the merchant. An event may come again, but no event of an account
 * comes for the first time after a later one.
 */
export function checkWebhooks(history: readonly Recorded[], { events }: Books): Found[] {
  const received = Map.groupBy(entriesOf(history, 'received'), ({ actor }) => actor);
  return entriesOf(history, 'receiving').flatMap(({ actor, merchantUuid, line }) => {
    const own = events.filter((event) => event.merchantUuid === merchantUuid);
    const first = firstOf(received.get(actor) ?? []);
    return [
      ...missing(own, first).map(({ sequence, type }) => ({
        what: `the back end of ${actor} did not receive event ${sequence} (${type})`,
        lines: [line],
      })),
      ...foreign(own, first).map(({ id, type, line: at }) => ({
        what: `the back end of ${actor} received event ${id} (${type}), which is not its own`,
        lines: [at],
      })),
      ...outOfOrder(actor, first),
    ];
  });
}

/** The first acceptance of each event. */
function firstOf(received: readonly Recorded<Received>[]): Recorded<Received>[] {
  const seen = new Set<number>();
  return received.filter(({ id, isAccepted }) => isAccepted && !seen.has(id) && seen.add(id));
}

function missing(own: readonly EventRow[], first: readonly Received[]): EventRow[] {
  const ids = new Set(first.map(({ id }) => id));
  return own.filter(({ sequence }) => !ids.has(sequence));
}

function foreign(own: readonly EventRow[], first: readonly Recorded<Received>[]): Recorded<Received>[] {
  const accounts = new Map(own.map(({ sequence, accountUuid }) => [sequence, accountUuid]));
  return first.filter(({ id, accountUuid }) => accounts.get(id) !== accountUuid);
}

function outOfOrder(actor: string, first: readonly Recorded<Received>[]): Found[] {
  const ofAccount = Map.groupBy(first, ({ accountUuid }) => accountUuid);
  return [...ofAccount.values()].flatMap((events) =>
    events.flatMap(({ id, line }, index) => {
      const before = events[index - 1];
      if (!before || before.id < id) return [];
      return [{ what: `the back end of ${actor} received event ${id} after ${before.id}`, lines: [before.line, line] }];
    }),
  );
}
