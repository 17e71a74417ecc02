import { type Pool } from 'pg';

/** The tables that contain a text or its bytes in any column. For data that must not be stored. */
export async function tablesHolding(pool: Pool, text: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const held = await pool.query(
      `SELECT 1 FROM "${name}" AS held WHERE strpos(held::text, $1) > 0 OR strpos(held::text, $2) > 0 LIMIT 1`,
      [text, Buffer.from(text).toString('hex')],
    );
    if (held.rows.length > 0) found.push(name);
  }
  return found;
}
