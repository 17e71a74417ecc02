import { type GeoRule } from '../../src/restrictions/restrictions.model';

/** Rules of restrictions, without rows. */

export const lists = (whitelist: string[], blacklist: string[]) => ({
  whitelist: new Set(whitelist),
  blacklist: new Set(blacklist),
});

/** A rule of places. It names no place unless `of` does. */
export const placeRule = (type: GeoRule['type'], of: Partial<GeoRule>): GeoRule => ({
  type,
  countries: [],
  regions: [],
  cities: [],
  ...of,
});
