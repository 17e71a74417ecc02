import { type RequestFacts } from '../endpoint';
import { instantOf, knownZone } from '../timeZones';
import { readCookie } from './session';

/** The time zone of a visitor. The script of the pages stores the zone of the browser in a cookie. */

export const zoneCookie = 'time_zone';

/** Undefined if the browser has not sent its zone: it opens its first page, or has no scripts. */
export function zoneOf({ cookies }: Pick<RequestFacts, 'cookies'>): string | undefined {
  // The zone is not secret, so the cookie may have the name for https or the name for http.
  const sent = readCookie(cookies, zoneCookie, true) ?? readCookie(cookies, zoneCookie, false);
  return sent === undefined ? undefined : knownZone(sent);
}

/** The name of the hidden field with the zone of a time in the same form. */
export const zoneField = (name: string) => `_zone.${name}`;

/** The fields of a form, in which each time with a zone is the instant that it means. */
export function withInstants(sent: Record<string, unknown>): Record<string, unknown> {
  const isZone = (name: string) => name.startsWith(zoneField(''));
  const fields = Object.entries(sent).filter(([name]) => !isZone(name));
  return Object.fromEntries(fields.map(([name, value]) => [name, instantIn(sent[zoneField(name)], value)]));
}

/** A value that is no time stays as it is, so that it is refused like every other one. */
function instantIn(zone: unknown, value: unknown): unknown {
  if (typeof zone !== 'string' || typeof value !== 'string') return value;
  return instantOf(knownZone(zone) ?? 'UTC', value)?.toISOString() ?? value;
}
