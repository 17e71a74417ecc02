import type * as Iso3166 from 'iso-3166';
import { lazily } from './lazily';

const iso3166 = lazily<typeof Iso3166>(require, 'iso-3166');

let known: { countries: ReadonlySet<string>; regions: ReadonlySet<string> } | undefined;

function codes() {
  const { iso31661, iso31662 } = iso3166();
  known ??= {
    countries: new Set(iso31661.filter(({ state }) => state === 'assigned').map(({ alpha2 }) => alpha2)),
    regions: new Set(iso31662.map(({ code }) => code)),
  };
  return known;
}

/** ISO 3166-1 alpha-2, in upper case. The country must be assigned, so `XX` is refused. */
export function isCountry(code: string): boolean {
  return codes().countries.has(code);
}

/** ISO 3166-2, in upper case: `US-CA`. */
export function isRegion(code: string): boolean {
  return codes().regions.has(code);
}
