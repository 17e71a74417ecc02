import { type PoolClient } from 'pg';

/** A step of a plan that has run, as PostgreSQL writes it in JSON; rows are those of one loop on average. */
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
 * How many rows each step went through of the plans that `work` ran, those inside of functions too, which EXPLAIN does
 * not show. In an open transaction, for whose rest the database goes on telling of plans.
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
