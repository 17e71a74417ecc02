/** A statement with its values, as it goes to the database. */
export interface Asked {
  text: string;
  values: unknown[];
}

/** The statements that `work` sends over connections of the pool, prepared or not. */
export async function askedBy(work: () => Promise<unknown>): Promise<Asked[]> {
  const { pool } = await import('../../src/adapters/postgres/connection.js');
  const asked: Asked[] = [];
  const watching = pool as unknown as { query: (first: string | Asked, values?: unknown[]) => unknown };
  const ask = watching.query.bind(pool);
  const watched = jest.spyOn(watching, 'query').mockImplementation((first, values = []) => {
    asked.push(typeof first === 'string' ? { text: first, values } : first);
    return typeof first === 'string' ? ask(first, values) : ask(first);
  });
  try {
    await work();
  } finally {
    watched.mockRestore();
  }
  return asked;
}
