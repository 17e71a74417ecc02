import { webhookOnlyTypes } from '../../../src/notifications/events';
import { type Books, type EventRow } from '../books';
import { entriesOf, type Heard, type Listening, type Recorded } from '../history';
import { type Found } from './violation';

/**
 * Every listener receives each of its events once and in order, however often it connects again. An erased account cannot
 * connect again.
 */
export function checkEvents(history: readonly Recorded[], { events, accounts }: Books): Found[] {
  const erased = new Set(accounts.filter(({ isErased }) => isErased).map(({ accountUuid }) => accountUuid));
  const ofMerchant = Map.groupBy(events, ({ merchantUuid }) => merchantUuid);
  const places = Map.groupBy(entriesOf(history, 'listening'), ({ actor }) => actor);
  const heard = Map.groupBy(entriesOf(history, 'heard'), ({ actor }) => actor);
  return [
    ...[...ofMerchant].flatMap(([merchantUuid, own]) => findHoles(merchantUuid, own)),
    ...[...places].flatMap(([actor, connections]) => [
      ...outOfOrder(actor, heard.get(actor) ?? []),
      ...unheardOf(actor, connections, heard.get(actor) ?? [], events, erased),
    ]),
  ];
}

function findHoles(merchantUuid: string, own: readonly EventRow[]): Found[] {
  const sorted = own.map(({ sequence }) => sequence).sort((a, b) => a - b);
  const index = sorted.findIndex((sequence, place) => sequence !== place + 1);
  return index < 0 ? [] : [{ what: `the events of merchant ${merchantUuid} have no number ${index + 1}`, lines: [] }];
}

function outOfOrder(actor: string, heard: readonly Recorded<Heard>[]): Found[] {
  return heard.flatMap((event, index) => {
    const before = heard[index - 1];
    if (!before || before.id < event.id) return [];
    return [{ what: `${actor} heard event ${event.id} after ${before.id}`, lines: [before.line, event.line] }];
  });
}

function unheardOf(
  actor: string,
  connections: readonly Recorded<Listening>[],
  heard: readonly Recorded<Heard>[],
  events: readonly EventRow[],
  erased: ReadonlySet<string>,
): Found[] {
  const [first] = connections;
  if (!first) return [];
  const { merchantUuid, accountUuid, after } = first;
  const meant = events.filter(
    (event) =>
      event.merchantUuid === merchantUuid &&
      event.sequence > after &&
      !webhookOnlyTypes.some((type) => type === event.type) &&
      (accountUuid === undefined || event.accountUuid === accountUuid),
  );
  const ids = new Map(heard.map((event) => [event.id, event]));
  const isErased = accountUuid !== undefined && erased.has(accountUuid);
  const missing = isErased ? [] : meant.filter(({ sequence }) => !ids.has(sequence));
  const due = new Set(meant.map(({ sequence }) => sequence));
  const foreign = heard.filter(({ id }) => !due.has(id));
  const lines = connections.map(({ line }) => line);
  return [
    ...missing.map(({ sequence, type }) => ({ what: `${actor} did not hear event ${sequence} (${type})`, lines })),
    ...foreign.map(({ id, type, line }) => ({
      what: `${actor} heard event ${id} (${type}), which is not its own`,
      lines: [line],
    })),
  ];
}
