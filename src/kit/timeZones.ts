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
