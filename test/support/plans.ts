import { type Asked } from './asked';

interface Step {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Step[];
}

/** The rows that the steps of a plan read from tables, and not from an index alone. */
function rowsRead(step: Step): number {
  const below = (step.Plans ?? []).reduce((sum, part) => sum + rowsRead(part), 0);
  const isTable = step['Relation Name'] !== undefined && step['Node Type'] !== 'Index Only Scan';
  const read = (step['Actual Rows'] + (step['Rows Removed by Filter'] ?? 0)) * step['Actual Loops'];
  return below + (isTable ? read : 0);
}

/** Executes a statement by the role of the service, because policies do not apply to the owner of the tables. */
export async function rowsReadBy({ text, values }: Asked): Promise<number> {
  const { pool } = await import('../../src/adapters/postgres/connection.js');
  const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Step }] }>(
    `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
    values,
  );
  const [plan] = rows[0]?.['QUERY PLAN'] ?? [];
  return plan ? rowsRead(plan.Plan) : Number.NaN;
}
