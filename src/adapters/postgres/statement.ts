import { QueryTypes } from 'sequelize';
import { config } from '../../config';
import { pool, sequelize, type Transaction } from './connection';
import { apart, connectionOf, isInUnit, openTransaction, requestWork } from './requestWork';

/**
 * A named prepared statement, parsed and planned once per connection: on the pool, or in a transaction. For frequent
 * statements: a query through a Sequelize model spends more than half of its time outside PostgreSQL. Behind a pooler it has
 * no name, because the next transaction may be on a connection that does not know it.
 */
export function statement<Row extends object>(name: string, text: string) {
  const isWriting = writing.test(text);
  const named = config.DATABASE_IS_POOLED ? {} : { name };
  return async (values: unknown[], inTransaction?: Transaction): Promise<Row[]> => {
    const run = async (transaction = openTransaction()) => {
      const connection = transaction ? connectionOf(transaction) : pool;
      return (await connection.query<Row>({ ...named, text, values })).rows;
    };
    if (inTransaction) return run(inTransaction);
    const work = isWriting && !isInUnit() ? requestWork() : undefined;
    return work ? work.unit(run) : run();
  };
}

const writing = /\b(INSERT INTO|DELETE FROM|UPDATE \w+( \w+)? SET)\b/;

/** A statement that is never part of the request's transaction, because its effect must stay even if the request fails. */
export function statementApart<Row extends object>(name: string, text: string) {
  const run = statement<Row>(name, text);
  return (values: unknown[]): Promise<Row[]> => apart(() => run(values));
}

/**
 * One statement with bound parameters, planned each time for their values: for lists with optional conditions
 * (`$1 IS NULL OR …`), where the best index depends on the values.
 */
export async function query<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
  const transaction = openTransaction();
  return (await (transaction ? connectionOf(transaction) : pool).query<Row>(text, values)).rows;
}

/** One statement with bound parameters (`$1`), inside a transaction. */
export function execute<Row extends object>(
  transaction: Transaction,
  text: string,
  bind: unknown[] = [],
): Promise<Row[]> {
  return sequelize.query<Row>(text, { bind, transaction, type: QueryTypes.SELECT });
}

/**
 * SQL for the first value that is not null, for conditions that an index serves. Behind a policy, PostgreSQL uses no index for a
 * condition with `coalesce`, because it does not know that `coalesce` reveals nothing of hidden rows.
 */
export const firstOf = (...values: string[]): string =>
  values.reduceRight((rest, value) => `CASE WHEN ${value} IS NULL THEN ${rest} ELSE ${value} END`);
