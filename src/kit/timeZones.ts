import { z } from 'zod';

/** The ECMAScript proposal "Intl Locale Info", which Node.js has and TypeScript does not describe. */
interface LocaleWithZones extends Intl.Locale {
  getTimeZones?: () => string[] | undefined;
}

/** The offset of a country's first time zone from UTC, in minutes. 0 if the country is unknown. */
export function timeOffsetMinutes(countryIso: string, at: Date): number {
  if (!/^[A-Z]{2}$/.test(countryIso)) return 0;
  const locale: LocaleWithZones = new Intl.Locale(`und-${countryIso}`);
  const [timeZone] = locale.getTimeZones?.() ?? [];
  if (timeZone === undefined) return 0;
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** In the spelling of the time zone database, whatever the request's spelling: `Europe/Berlin`. */
export const TimeZone = z
  .string()
  .trim()
  .max(64)
  .regex(/^[A-Za-z]/, 'must be a time zone: Europe/Berlin')
  .refine(isKnownZone, 'must be a time zone: Europe/Berlin')
  .transform((zone) => new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone);

function isKnownZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The zone of this name in the time zone database. Undefined if there is none. */
export const knownZone = (name: string): string | undefined => TimeZone.safeParse(name).data;

/** An instant on the clocks of a zone: `2030-01-31T12:00:00`. */
export function localTime(zone: string, at: Date): string {
  // The dates and times of Sweden have the order and the digits of ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  return format.format(at).replace(' ', 'T').padStart('2030-01-31T12:00:00'.length, '0');
}

const localTimes = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?$/;
const dayMs = 86_400_000;

/**
 * The instant of a day's start, or of a time, on the clocks of a zone. Of two such instants it is the earlier one. A time
 * that the clocks leave out counts on from the time before. Undefined for other texts.
 */
export function instantOf(zone: string, local: string): Date | undefined {
  const wall = localTimes.test(local) ? Date.parse(local.includes('T') ? `${local}Z` : local) : NaN;
  // JavaScript reads 30 February as 2 March.
  if (Number.isNaN(wall) || !new Date(wall).toISOString().startsWith(local)) return undefined;
  const offsetAt = (ms: number) => Date.parse(`${localTime(zone, new Date(ms))}Z`) - ms;
  const [before = 0, after = 0] = [wall - dayMs, wall + dayMs].map((ms) => wall - offsetAt(ms));
  const fits = (ms: number) => Number.isFinite(ms) && ms + offsetAt(ms) === wall;
  const [first] = [before, after].filter(fits).sort((one, other) => one - other);
  return new Date(first ?? before);
}
