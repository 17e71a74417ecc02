import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Reader, type Response } from 'maxmind';
import { config } from '../config';
import { manyEntries } from '../kit/manyEntries';

/** The known location of an IP address. */
export interface GeoLocation {
  /** ISO 3166-1 alpha-2, in upper case. */
  country?: string;
  /** ISO 3166-2, the larger region first: `GB-ENG`, `GB-LND`. */
  regions: readonly string[];
  /** In English. */
  city?: string;
}

/** A record of the packaged database, which is in the public domain (CC0) and contains countries only. */
interface CountryRecord {
  country_code?: string;
}

/** A record of a database in MaxMind's City format. */
interface CityRecord {
  country?: { iso_code?: string };
  subdivisions?: { iso_code?: string }[];
  city?: { names?: { en?: string } };
}

/** ISO 3166-1 alpha-2 of an IPv4 or IPv6 address; undefined if it is unknown, as in private networks. */
export function countryOf(address: string): string | undefined {
  return locationOf(address).country;
}

/** Cached, because a viewer sends many requests from one address. */
const places = new LRUCache<string, GeoLocation>(manyEntries(10_000));

/**
 * Works offline. The operator's database comes first; for an address that it does not contain, the packaged database
 * gives the country.
 */
export function locationOf(address: string): GeoLocation {
  const known = places.get(address);
  if (known) return known;
  const place = lookUp(address);
  places.set(address, place);
  return place;
}

function lookUp(address: string): GeoLocation {
  const plain = withoutMapping(address);
  if (isIP(plain) === 0) return { regions: [] };
  const record = find(cityDatabase(), plain);
  const country = (record?.country?.iso_code ?? find(countryDatabase(), plain)?.country_code)?.toUpperCase();
  const city = record?.city?.names?.en;
  const regions = (record?.subdivisions ?? []).flatMap(({ iso_code: code }) =>
    country !== undefined && code !== undefined ? [`${country}-${code.toUpperCase()}`] : [],
  );
  return { ...(country !== undefined && { country }), regions, ...(city !== undefined && { city }) };
}

function find<Found extends Response>(database: Reader<Found> | undefined, address: string): Found | undefined {
  // A database of IPv4 only would match the first half of an IPv6 address with a wrong record.
  if (!database || (database.metadata.ipVersion === 4 && isIP(address) === 6)) return undefined;
  return database.get(address) ?? undefined;
}

/** A server that listens on IPv6 sees `::ffff:192.0.2.1`. Databases contain only its IPv4 address. */
function withoutMapping(address: string): string {
  if (isIP(address) !== 6 || !URL.canParse(`http://[${address}]`)) return address;
  const [, high, low] =
    /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(new URL(`http://[${address}]`).hostname) ?? [];
  if (high === undefined || low === undefined) return address;
  const bits = [parseInt(high, 16), parseInt(low, 16)];
  return bits.flatMap((half) => [half >> 8, half & 255]).join('.');
}

const packaged = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';

const countryDatabase = once(() => openDatabase<CountryRecord>(require.resolve(packaged)));
const cityDatabase = once(() =>
  config.GEOIP_DATABASE === undefined ? undefined : openDatabase<CityRecord>(config.GEOIP_DATABASE),
);

/** Whether the installation has a database of regions and cities. The packaged database has countries only. */
export const knowsRegionsAndCities = (): boolean => cityDatabase() !== undefined;

/** The file is read into memory (8 MB for the packaged one), so that no lookup waits for a disk. */
function openDatabase<Record extends object>(path: string) {
  return new Reader<Record & Response>(readFileSync(path));
}

/** Databases are opened at the first use, because most merchants restrict nothing. */
function once<T>(open: () => T): () => T {
  let opened: { value: T } | undefined;
  return () => (opened ??= { value: open() }).value;
}
