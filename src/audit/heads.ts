import { appendFile } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { logger } from '../adapters/logger';
import { query, statement } from '../adapters/postgres/statement';
import { auditHeadsFile } from '../adapters/settings';
import { manyEntries } from '../kit/manyEntries';

/**
 * The heads of the hash chains are published outside the database: in the log of the API, and in a file. Whoever removes
 * the newest entries of a log cannot remove its published head.
 */

const ChainHead = z.object({ merchant_id: z.int(), sequence: z.int(), hash: z.string() });
export type ChainHead = z.output<typeof ChainHead>;
const PublishedHeads = z.object({ heads: z.array(ChainHead) });

/** Chains that changed since a time. A transaction that wrote earlier may commit later, so periods overlap. */
const changedStatement = statement<ChainHead>(
  'audit_heads',
  `SELECT merchant_id, last_sequence AS sequence, encode(last_hash, 'hex') AS hash FROM audit_chains
   WHERE changed_at > $1 AND last_sequence > 0 ORDER BY merchant_id`,
);
const overlapMs = 10 * 60_000;
const perLine = 100;
/** What this process has published. Each replica publishes all heads, because a replica can stop at any time. */
const published = new LRUCache<number, number>(manyEntries(100_000));
let publishedUntilMs = Date.now() - 24 * 3_600_000;

export async function publishHeads(): Promise<void> {
  const nowMs = Date.now();
  const changed = await changedStatement([new Date(publishedUntilMs - overlapMs)]);
  const heads = changed.filter((head) => published.get(head.merchant_id) !== head.sequence);
  for (let from = 0; from < heads.length; from += perLine) await publish(heads.slice(from, from + perLine));
  for (const { merchant_id, sequence } of heads) published.set(merchant_id, sequence);
  publishedUntilMs = nowMs;
}

async function publish(heads: readonly ChainHead[]): Promise<void> {
  logger.info({ heads }, 'the heads of audit logs');
  const at = new Date().toISOString();
  if (auditHeadsFile !== undefined) await appendFile(auditHeadsFile, `${JSON.stringify({ at, heads })}\n`);
}

/** The heads in a file, or in a log of the API. Other lines are ignored, and so are lines that a crash has cut. */
export function readHeads(text: string): ChainHead[] {
  return text.split('\n').flatMap((line) => {
    if (!line.includes('"heads"')) return [];
    // Some collectors of logs write a prefix in front of each line.
    return PublishedHeads.safeParse(readObject(line.slice(line.indexOf('{')))).data?.heads ?? [];
  });
}

function readObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The heads whose entry is missing or differs, and was not deleted because of its age. */
export async function listMissingHeads(heads: readonly ChainHead[]) {
  const rows = await query<{ merchantId: number; sequence: number }>(
    `SELECT h.merchant_id AS "merchantId", h.sequence
     FROM unnest($1::int[], $2::bigint[], $3::text[]) AS h (merchant_id, sequence, hash)
     LEFT JOIN audit_chains c ON c.merchant_id = h.merchant_id
     LEFT JOIN audit_log l ON l.merchant_id = h.merchant_id AND l.sequence = h.sequence
     WHERE encode(l.hash, 'hex') IS DISTINCT FROM h.hash AND h.sequence > coalesce(c.forgotten_sequence, 0)
     ORDER BY h.merchant_id, h.sequence`,
    [heads.map((head) => head.merchant_id), heads.map(({ sequence }) => sequence), heads.map(({ hash }) => hash)],
  );
  return rows;
}
