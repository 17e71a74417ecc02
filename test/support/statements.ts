export interface Sent {
  name: string;
  text: string;
  values: unknown[];
}

/** The prepared statements that `work` sends, without the background statements that count requests. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Sent[]> {
  const { pool } = await import('../../src/adapters/postgres/connection.js');
  const sent: Sent[] = [];
  const query = pool.query.bind(pool) as (...values: unknown[]) => unknown;
  const watched = (...values: unknown[]) => {
    const asked = values[0] as Partial<Sent>;
    if (asked.name !== undefined && asked.name !== 'rate_limit_add') sent.push(asked as Sent);
    return query(...values);
  };
  Object.assign(pool, { query: watched });
  try {
    await work();
  } finally {
    Object.assign(pool, { query });
  }
  return sent.filter(({ name }) => !/^(outbox|mail|events)_/.test(name));
}
