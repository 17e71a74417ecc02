import { type ClientBase } from 'pg';
import { QueryTypes } from 'sequelize';
import { pool, sequelize, type Transaction } from './connection';

/**
 * A named prepared statement, parsed and planned once a connection: on the hot pool, or inside a transaction. For what
 * many wait for; of a statement through Sequelize's models, more than half of the time is not PostgreSQL's.
 */
export function statement<Row extends object>(name: string, text: string) {
  return async (values: unknown[], inTransaction?: Transaction): Promise<Row[]> => {
    const connection = inTransaction ? connectionOf(inTransaction) : pool;
    const found = await connection.query<Row>({ name, text, values });
    return found.rows;
  };
}

/** Where Sequelize 6 keeps the `pg` client of a transaction, which is the transaction's alone until it ends. */
function connectionOf(inTransaction: Transaction): ClientBase {
  return (inTransaction as Transaction & { connection: ClientBase }).connection;
}

/**
 * One statement with bound parameters, planned anew for their values: for lists, of which some conditions mean nothing
 * (`$1 IS NULL OR …`) and the best index depends on what is asked.
 */
export async function query<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
  return (await pool.query<Row>(text, values)).rows;
}

/** One statement with bound parameters (`$1`), inside a transaction. */
export function execute<Row extends object>(
  transaction: Transaction,
  text: string,
  bind: unknown[] = [],
): Promise<Row[]> {
  return sequelize.query<Row>(text, { bind, transaction, type: QueryTypes.SELECT });
}
