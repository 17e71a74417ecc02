import { type Client } from 'pg';
import { contentOfEntry, hashOfEntry } from './audit';

/**
 * Computes the hashes of a log again, for a merchant that came from another installation: the key of the hashes is different
 * here. The rows have been written without triggers, on a connection of the owner of the table.
 */
export async function rechain(client: Client, merchantId: number): Promise<void> {
  const { rows: chains } = await client.query<{ after: number; hash: Buffer }>(
    'SELECT forgotten_sequence AS after, forgotten_hash AS hash FROM audit_chains WHERE merchant_id = $1',
    [merchantId],
  );
  const [chain] = chains;
  if (!chain) return;
  let last = { sequence: chain.after, hash: chain.hash };
  for (;;) {
    const links = await readLinks(client, merchantId, last.sequence);
    if (links.length === 0) break;
    const hashes: Buffer[] = [];
    const before: Buffer[] = [];
    for (const { sequence, content } of links) {
      before.push(last.hash);
      last = { sequence, hash: hashOfEntry(last.hash, content) };
      hashes.push(last.hash);
    }
    await client.query(
      `UPDATE audit_log l SET previous_hash = n.before, hash = n.hash
       FROM unnest($2::bigint[], $3::bytea[], $4::bytea[]) AS n (sequence, before, hash)
       WHERE l.merchant_id = $1 AND l.sequence = n.sequence`,
      [merchantId, links.map(({ sequence }) => sequence), before, hashes],
    );
  }
  const text = 'UPDATE audit_chains SET last_hash = $2, changed_at = now() WHERE merchant_id = $1';
  await client.query(text, [merchantId, last.hash]);
}

async function readLinks(client: Client, merchantId: number, after: number) {
  const { rows } = await client.query<{ sequence: number; content: string }>(
    `SELECT sequence, ${contentOfEntry} AS content FROM audit_log
     WHERE merchant_id = $1 AND sequence > $2 ORDER BY sequence LIMIT 1000`,
    [merchantId, after],
  );
  return rows;
}
