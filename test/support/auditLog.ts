import { type Pool } from 'pg';

/** Writes an entry of the merchant as if it had been written some time ago. */
export async function writeOldEntry(pool: Pool, merchantId: number, age: string): Promise<void> {
  const { hashOfEntry } = await import('../../src/audit/audit.js');
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ sequence: number; previous_hash: Buffer; at: string; micros: string }>(
      `SELECT sequence, previous_hash, (now() - $2::interval)::text AS at,
         (extract(epoch FROM now() - $2::interval) * 1000000)::bigint::text AS micros FROM take_audit_place($1)`,
      [merchantId, age],
    );
    const [place] = rows;
    if (!place) throw new Error('the audit log has no place');
    const { sequence, previous_hash, at, micros } = place;
    const content = [merchantId, sequence, merchantId, '-', 'test.pass', 'account', '1', '-', '-', micros].join('\n');
    await client.query(
      `INSERT INTO audit_log (merchant_id, sequence, actor_account_id, action, object_type, object_id, created_at,
         previous_hash, hash) VALUES ($1, $2, $1, 'test.pass', 'account', '1', $3, $4, $5)`,
      [merchantId, sequence, at, previous_hash, hashOfEntry(previous_hash, content)],
    );
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}
