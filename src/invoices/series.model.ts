import { type Transaction } from '../adapters/postgres/connection';
import { execute, query } from '../adapters/postgres/statement';
import { type TaxPeriod } from './taxSums.model';

/** The numbers of a merchant that may have been issued before a restore and are not in this database. */
export interface LostNumbers {
  merchantId: number;
  /** The series of the numbers from now on. */
  series: string;
  /** The last number that is known; null if no document of that year is known. */
  lastKnown: string | null;
  /** The first number that may have been lost. */
  firstLost: string;
}

const beginStatement = `
  WITH begun AS (
    INSERT INTO invoice_series (merchant_id, name, backup_at)
    SELECT id, 'R' || to_char(now() AT TIME ZONE 'UTC', 'YYMMDDHH24MISS'), least($1, now()) FROM accounts
    WHERE role = 'merchant'
    ON CONFLICT DO NOTHING RETURNING *
  )
  SELECT s.merchant_id AS "merchantId", s.name AS series, n.last_number AS "lastKnown", n.first_lost AS "firstLost"
  FROM begun s CROSS JOIN LATERAL lost_invoice_numbers(s, $2) n ORDER BY s.merchant_id, n.first_lost`;

/** Begins a series for every merchant, and returns the numbers of those who issue invoices. */
export function insertSeries(
  inTransaction: Transaction,
  { backupAt, isTest }: { backupAt: Date; isTest: boolean },
): Promise<LostNumbers[]> {
  return execute<LostNumbers>(inTransaction, beginStatement, [backupAt, isTest]);
}

export interface BegunSeries extends Omit<LostNumbers, 'merchantId'> {
  begunAt: Date;
}

const seriesText = `
  SELECT s.name AS series, s.begun_at AS "begunAt", n.last_number AS "lastKnown", n.first_lost AS "firstLost"
  FROM invoice_series s JOIN tax_profiles p ON p.merchant_id = s.merchant_id
    CROSS JOIN LATERAL lost_invoice_numbers(s, $4) n
  WHERE s.merchant_id = $1 AND (s.begun_at AT TIME ZONE p.time_zone) >= $2::date
    AND (s.backup_at AT TIME ZONE p.time_zone) < $3::date
  ORDER BY s.name, n.first_lost`;

/** The series that began after restores whose lost time is in a period. */
export const findSeries = (merchantId: number, { from, end }: TaxPeriod, isTest: boolean): Promise<BegunSeries[]> =>
  query<BegunSeries>(seriesText, [merchantId, from, end, isTest]);
