import { iso31661, iso31662 } from 'iso-3166';

const countries = new Set(iso31661.filter(({ state }) => state === 'assigned').map(({ alpha2 }) => alpha2));
const regions = new Set(iso31662.map(({ code }) => code));

/** ISO 3166-1 alpha-2, in upper case: a country that is assigned, so not `XX`. */
export function isCountry(code: string): boolean {
  return countries.has(code);
}

/** ISO 3166-2, in upper case: `US-CA`. */
export function isRegion(code: string): boolean {
  return regions.has(code);
}
