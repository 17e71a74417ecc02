import { type RequestFacts } from '../endpoint';
import { instantOf, knownZone, localTime } from '../timeZones';
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

/** The name of the hidden field with the instant that the form shows. */
export const instantField = (name: string) => `_instant.${name}`;

/**
 * The fields of a form, in which each time with a zone is the instant that it means. An unchanged time is the instant that the
 * form has shown: in the hour that clocks repeat in autumn, a time alone means two instants.
 */
export function withInstants(sent: Record<string, unknown>): Record<string, unknown> {
  const isHidden = (name: string) => name.startsWith(zoneField('')) || name.startsWith(instantField(''));
  const fields = Object.entries(sent).filter(([name]) => !isHidden(name));
  return Object.fromEntries(
    fields.map(([name, value]) => [name, instantIn(sent[zoneField(name)], value, sent[instantField(name)])]),
  );
}

/** A value that is no time stays as it is, so that it is refused like every other one. */
function instantIn(sentZone: unknown, value: unknown, shown: unknown): unknown {
  if (typeof sentZone !== 'string' || typeof value !== 'string') return value;
  const zone = knownZone(sentZone) ?? 'UTC';
  return (shownInstant(zone, value, shown) ?? instantOf(zone, value))?.toISOString() ?? value;
}

const instants = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** The instant of a text in ISO 8601 in UTC. Undefined for other texts, such as one with the hour 25. */
export function readInstant(text: unknown): Date | undefined {
  const at = new Date(typeof text === 'string' && instants.test(text) ? text : NaN);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** The shown instant, if the field still has its time, or its day. Browsers leave out seconds of zero. */
function shownInstant(zone: string, value: string, shown: unknown): Date | undefined {
  const at = readInstant(shown);
  const local = at && localTime(zone, at);
  const texts = local === undefined ? [] : [local, local.replace(/:00$/, ''), local.slice(0, 'YYYY-MM-DD'.length)];
  return texts.includes(value) ? at : undefined;
}
