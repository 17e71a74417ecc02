import { type z } from 'zod';
import { countryOf } from '../adapters/geoip';
import { logger } from '../adapters/logger';
import { fingerprintOf } from '../adapters/sealing';
import { type Caller } from '../kit/auth';
import { deviceTypeOf } from '../kit/devices';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { readFigures, type FigureName } from '../reports/figures';
import { asReport } from '../reports/replicas';
import { readRange, shareOf, type Range } from '../reports/series';
import { insertEvent, selectTitles } from './analytics.model';
import { type EventBody, type RangeQuery } from './analytics.schemas';

/**
 * The actions of visitors before they pay. No personal data is stored: a session is a keyed hash without an account.
 */

export type EventInput = z.output<typeof EventBody>;
type RangeInput = z.output<typeof RangeQuery>;

/** The visitor, by the facts of the request. */
export type Visitor = Pick<RequestFacts, 'clientAddress' | 'userAgent'>;

export async function createEvent(caller: Caller, input: EventInput, visitor: Visitor) {
  await recordEvent(caller.merchantId, input, visitor);
  return message('Accepted', 202);
}

/** The same for one of our pages, whose visitor may not be signed in. */
export async function recordEvent(merchantId: number, input: EventInput, visitor: Visitor): Promise<void> {
  const { type, item_id: itemId, session_id: sessionId } = input;
  if (itemId !== undefined && (await selectTitles(merchantId, [itemId])).length === 0)
    throw new AppError('item_not_found');
  await insertEvent({
    merchantId,
    type,
    itemId,
    sessionHash: Buffer.from(fingerprintOf('analytics session', `${merchantId}:${sessionId}`)),
    countryIso: countryOf(visitor.clientAddress) ?? '',
    device: deviceTypeOf(visitor.userAgent ?? ''),
  });
}

/** Counts a visit to one of our pages. A failure of the count never affects the page. */
export async function countVisit(merchantId: number, input: EventInput, visitor: Visitor): Promise<void> {
  try {
    await recordEvent(merchantId, input, visitor);
  } catch (error) {
    logger.warn({ merchantId, reason: (error as Error).message }, 'a visit was not counted');
  }
}

/** The number of views, registrations and purchases. Each step is counted on its own, not followed by person. */
export const getFunnel = (caller: Caller, input: RangeInput) => asReport(() => readFunnel(caller, input));

async function readFunnel(caller: Caller, input: RangeInput) {
  const range = await readRange(caller, input);
  const [total, types, kinds, sales] = await Promise.all([
    counts(caller, range, ['seen', 'registered'], 'total'),
    counts(caller, range, ['events'], 'type'),
    counts(caller, range, ['movements'], 'kind'),
    counts(caller, range, ['revenue'], 'kind'),
  ]);
  const seen = total.get('seen:') ?? 0;
  const registered = total.get('registered:') ?? 0;
  const paid = (kinds.get('movements:new') ?? 0) + (sales.get('revenue:one_time') ?? 0);
  return {
    from: range.from,
    to: range.to,
    seen,
    registered,
    checkout: types.get('events:checkout_start') ?? 0,
    paid,
    registered_rate: shareOf(registered, seen),
    paid_rate: shareOf(paid, registered),
  };
}

/** The number of visits for each item and type of event. */
export const listItemEvents = (caller: Caller, input: RangeInput) => asReport(() => readItemEvents(caller, input));

async function readItemEvents(caller: Caller, input: RangeInput) {
  const range = await readRange(caller, input);
  const found = await counts(caller, range, ['events'], 'item_type');
  const items = new Map<number, Record<string, number>>();
  for (const [name, count] of found) {
    const [, itemId = '0', type = ''] = name.split(':');
    items.set(Number(itemId), { ...items.get(Number(itemId)), [type]: count });
  }
  const titles = await selectTitles(caller.merchantId, [...items.keys()]);
  const collection = titles.map(({ id, title }) => ({ item_id: id, title, events: items.get(id) ?? {} }));
  return { from: range.from, to: range.to, collection };
}

/** The locations and devices of visitors, the most frequent first. */
export const getAudience = (caller: Caller, input: RangeInput) => asReport(() => readAudience(caller, input));

async function readAudience(caller: Caller, input: RangeInput) {
  const range = await readRange(caller, input);
  const [countries, kinds] = await Promise.all([
    counts(caller, range, ['seen'], 'country'),
    counts(caller, range, ['seen'], 'device'),
  ]);
  const ranked = (found: Map<string, number>) =>
    [...found].map(([name, visits]) => [name.replace('seen:', ''), visits] as const).sort(([, a], [, b]) => b - a);
  return {
    from: range.from,
    to: range.to,
    countries: ranked(countries).map(([country_iso, visits]) => ({ country_iso, visits })),
    devices: ranked(kinds).map(([device, visits]) => ({ device, visits })),
  };
}

/** The sums by figure and key, over all currencies. */
async function counts({ merchantId }: Caller, range: Range, figures: readonly FigureName[], dimension: string) {
  const asked = { merchantId, figures, dimension, from: range.from, to: range.end, interval: 'none' } as const;
  const found = new Map<string, number>();
  for (const { figure, key, count } of await readFigures(asked)) {
    const name = `${figure}:${key}`;
    found.set(name, (found.get(name) ?? 0) + count);
  }
  return found;
}
