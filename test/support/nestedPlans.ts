import { type PoolClient } from 'pg';

/** A step of an executed plan, as PostgreSQL writes it in JSON. The rows are the average of its loops. */
interface Step {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Step[];
}

const settings = {
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
  client_min_messages: 'log',
};

/**
 * The number of rows that each step of the plans of `work` read, also inside functions, which EXPLAIN does
 * not show. Needs an open transaction, in which the database reports plans until its end.
 */
export async function rowsOfSteps(client: PoolClient, work: () => Promise<unknown>): Promise<number[]> {
  const plans: Step[] = [];
  const hear = ({ message = '' }: { message?: string | undefined }) => {
    const [, json] = /^duration: .* plan:\n(.*)$/s.exec(message) ?? [];
    if (json !== undefined) plans.push((JSON.parse(json) as { Plan: Step }).Plan);
  };
  await client.query(`LOAD 'auto_explain'`);
  for (const [name, value] of Object.entries(settings)) await client.query(`SET LOCAL ${name} = ${value}`);
  client.on('notice', hear);
  try {
    await work();
  } finally {
    client.off('notice', hear);
  }
  return plans.flatMap(rowsOf);
}

function rowsOf(step: Step): number[] {
  const { Plans: below = [], 'Actual Loops': loops, 'Actual Rows': kept } = step;
  const removed = (step['Rows Removed by Filter'] ?? 0) + (step['Rows Removed by Join Filter'] ?? 0);
  return [Math.round((kept + removed) * loops), ...below.flatMap(rowsOf)];
}
