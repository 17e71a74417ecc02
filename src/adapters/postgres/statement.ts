import { QueryTypes } from 'sequelize';
import { pool, sequelize, type Transaction } from './connection';

/** A named prepared statement on the hot pool: parsed and planned once a connection. */
export function statement<Row extends object>(name: string, text: string) {
  return async (values: unknown[]): Promise<Row[]> => {
    const found = await pool.query<Row>({ name, text, values });
    return found.rows;
  };
}

/** One statement with bound parameters (`$1`), inside a transaction. */
export function execute<Row extends object>(
  transaction: Transaction,
  text: string,
  bind: unknown[] = [],
): Promise<Row[]> {
  return sequelize.query<Row>(text, { bind, transaction, type: QueryTypes.SELECT });
}
