import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

export const listTypes = ['whitelist', 'blacklist'] as const;
export type ListType = (typeof listTypes)[number];

/** A domain rule for one item, or for all items (`itemId` null). */
export interface DomainRule {
  itemId: number | null;
  type: ListType;
  domain: string;
}

/** The places that a country set or a geo set allows or refuses. */
export interface GeoRule {
  type: ListType;
  /** ISO 3166-1 alpha-2. */
  countries: readonly string[];
  /** ISO 3166-2. */
  regions: readonly string[];
  cities: readonly { name: string; country: string; region: string | null }[];
}

/** A country set: countries by ISO 3166-1 alpha-2. */
export interface CountrySetRule {
  type: ListType;
  countries: ReadonlySet<string>;
}

/** All stored restrictions of a merchant. */
export interface RestrictionRows {
  settings: { isEnabled: boolean; type: 'basic' | 'pin_code' } | null;
  ages: { itemId: number | null; minAge: number }[];
  domains: DomainRule[];
  countrySets: { id: number; type: ListType; isGlobal: boolean; countries: string[] }[];
  itemSets: { itemId: number; setId: number }[];
  /** Only the global sets: other geo sets have no effect. */
  geoSets: GeoRule[];
}

const rowsStatement = statement<RestrictionRows>(
  'restriction_rows',
  `SELECT
     (SELECT json_build_object('isEnabled', age_verification_enabled, 'type', age_verification_type)
      FROM restriction_settings WHERE merchant_id = $1) AS settings,
     (SELECT coalesce(json_agg(json_build_object('itemId', item_id, 'minAge', min_age)), '[]')
      FROM age_restrictions WHERE merchant_id = $1) AS ages,
     (SELECT coalesce(json_agg(json_build_object('itemId', item_id, 'type', type, 'domain', domain)), '[]')
      FROM domain_restrictions WHERE merchant_id = $1) AS domains,
     (SELECT coalesce(json_agg(json_build_object('id', s.id, 'type', s.type, 'isGlobal', s.is_global, 'countries',
        (SELECT coalesce(json_agg(country ORDER BY country), '[]') FROM country_set_countries WHERE country_set_id = s.id))), '[]')
      FROM country_sets s WHERE s.merchant_id = $1) AS "countrySets",
     (SELECT coalesce(json_agg(json_build_object('itemId', item_id, 'setId', country_set_id)), '[]')
      FROM item_country_sets WHERE merchant_id = $1) AS "itemSets",
     (SELECT coalesce(json_agg(json_build_object('type', s.type,
        'countries', coalesce(p.countries, '[]'), 'regions', coalesce(p.regions, '[]'), 'cities', coalesce(p.cities, '[]'))), '[]')
      FROM geo_sets s CROSS JOIN LATERAL (
        SELECT json_agg(country) FILTER (WHERE kind = 'country') AS countries,
          json_agg(region) FILTER (WHERE kind = 'region') AS regions,
          json_agg(json_build_object('name', city, 'country', country, 'region', region)) FILTER (WHERE kind = 'city') AS cities
        FROM geo_set_places WHERE geo_set_id = s.id
      ) AS p WHERE s.merchant_id = $1 AND s.is_global) AS "geoSets"`,
);

export async function readRestrictions(merchantId: number, inTransaction?: Transaction): Promise<RestrictionRows> {
  const [rows] = await rowsStatement([merchantId], inTransaction);
  if (!rows) throw new Error('a merchant’s restrictions were not read');
  return rows;
}

const lockStatement = statement(
  'restriction_lock',
  'SELECT FROM restriction_settings WHERE merchant_id = $1 FOR UPDATE',
);

/** Each merchant has a row of settings. */
export async function lockRules(inTransaction: Transaction, merchantId: number): Promise<void> {
  await lockStatement([merchantId], inTransaction);
}

const dateOfBirthStatement = statement<{ dateOfBirth: string | null }>(
  'account_date_of_birth',
  'SELECT date_of_birth::text AS "dateOfBirth" FROM accounts WHERE id = $1',
);

/** Null if the account has no date of birth. */
export async function findDateOfBirth(accountId: number): Promise<string | null> {
  return (await dateOfBirthStatement([accountId]))[0]?.dateOfBirth ?? null;
}
