import { type Transaction } from '../adapters/postgres/connection';
import { isTestEnvironment } from '../platform';
import { findSeries, insertSeries, type BegunSeries, type LostNumbers } from './series.model';
import { type TaxPeriod } from './taxSums.model';

export { type BegunSeries, type LostNumbers };

/**
 * A backup was restored: customers may have documents with numbers that this database would issue again. So every merchant
 * continues in a new series, which begins with 1. Returns the numbers that may have been lost.
 */
export const beginSeries = (inTransaction: Transaction, backupAt: Date): Promise<LostNumbers[]> =>
  insertSeries(inTransaction, { backupAt, isTest: isTestEnvironment });

export const listSeries = (merchantId: number, period: TaxPeriod): Promise<BegunSeries[]> =>
  findSeries(merchantId, period, isTestEnvironment);
