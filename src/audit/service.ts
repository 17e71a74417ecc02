import { createHash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { Op } from 'sequelize';
import { type z } from 'zod';
import { type Transaction } from '../adapters/postgres/connection';
import { execute, statement } from '../adapters/postgres/statement';
import { findPage } from '../adapters/postgres/totals';
import { type Caller } from '../kit/auth';
import { pageRange } from '../kit/page';
import { AuditLogEntry } from './model';
import { presentEntry } from './presenter';
import { type AuditEntry, type AuditQuery } from './schemas';

export { type AuditEntry } from './schemas';

/**
 * Writes into a merchant's append-only log, in the transaction of what it tells of. The merchant's chain stays locked
 * until the commit, so this belongs at a transaction's end.
 */
export async function writeAudit(inTransaction: Transaction, entry: AuditEntry): Promise<void> {
  await execute(
    inTransaction,
    `INSERT INTO audit_log (merchant_id, actor_account_id, acted_by, action, object_type, object_id, request_id, address)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      entry.merchantId,
      entry.actorAccountId,
      entry.actedBy ?? null,
      entry.action,
      entry.objectType,
      String(entry.objectId),
      entry.requestId ?? null,
      networkOf(entry.address),
    ],
  );
}

/** Who a caller is to the log of its merchant: `writeAudit(inTransaction, { ...actorOf(caller), action, … })`. */
export function actorOf(caller: Caller) {
  const { merchantId, accountId, actorUuid, clientAddress } = caller;
  return { merchantId, actorAccountId: accountId, actedBy: actorUuid, address: clientAddress };
}

/** Newest first. */
export async function listAudit(caller: Caller, query: z.output<typeof AuditQuery>) {
  const { page, limit, offset } = pageRange(query);
  const { merchantId } = caller;
  const key = `audit ${JSON.stringify([merchantId, query.action, query.actor_account_id])}`;
  const { rows, total } = await findPage(AuditLogEntry, key, {
    where: wantedOf(caller, query),
    order: [['sequence', 'DESC']],
    limit,
    offset,
  });
  return { total, page, offset, limit, collection: rows.map(presentEntry) };
}

type Wanted = Pick<z.output<typeof AuditQuery>, 'action' | 'actor_account_id'>;

function wantedOf({ merchantId }: Caller, { action, actor_account_id: actorAccountId }: Wanted) {
  return {
    merchantId,
    ...(action !== undefined && { action }),
    ...(actorAccountId !== undefined && { actorAccountId }),
  };
}

/** The same list from the one after a place of the log on: for who reads all of it. */
export async function readAuditAfter(caller: Caller, wanted: Wanted, limit: number, after?: number) {
  const place = after === undefined ? {} : { sequence: { [Op.lt]: after } };
  const where = { ...wantedOf(caller, wanted), ...place };
  const rows = await AuditLogEntry.findAll({ where, order: [['sequence', 'DESC']], limit });
  return rows.map(presentEntry);
}

interface ChainLink {
  sequence: number;
  content: string;
  previous_hash: Buffer;
  hash: Buffer;
}

const linksStatement = statement<ChainLink>(
  'audit_links',
  `SELECT sequence, previous_hash, hash, concat_ws(E'\\n', merchant_id, sequence, actor_account_id,
     coalesce(acted_by::text, '-'), action, object_type, object_id, coalesce(request_id, '-'), coalesce(address, '-'),
     (extract(epoch FROM created_at) * 1000000)::bigint) AS content
   FROM audit_log WHERE merchant_id = $1 AND sequence > $2 ORDER BY sequence LIMIT 1000`,
);
const chainStatement = statement<{ last_sequence: number; forgotten_sequence: number; forgotten_hash: Buffer }>(
  'audit_chain',
  'SELECT last_sequence, forgotten_sequence, forgotten_hash FROM audit_chains WHERE merchant_id = $1',
);

const chainsStatement = statement<{ merchant_id: number }>(
  'audit_chains',
  'SELECT merchant_id FROM audit_chains ORDER BY merchant_id',
);

/** Every merchant's log, held against its chain. */
export async function listBrokenLogs() {
  const chains = await chainsStatement([]);
  const broken: { merchantId: number; sequence: number }[] = [];
  for (const { merchant_id: merchantId } of chains) {
    const sequence = await findBrokenLink(merchantId);
    if (sequence !== undefined) broken.push({ merchantId, sequence });
  }
  return { checked: chains.length, broken };
}

/**
 * The place of the first entry of a merchant's log that was changed or is missing; undefined when the chain holds. What has
 * outlived its time is gone: the chain goes on from the hash of the last such entry.
 */
export async function findBrokenLink(merchantId: number): Promise<number | undefined> {
  const [chain] = await chainStatement([merchantId]);
  let last: Pick<ChainLink, 'sequence' | 'hash'> = {
    sequence: chain?.forgotten_sequence ?? 0,
    hash: chain?.forgotten_hash ?? Buffer.alloc(0),
  };
  for (;;) {
    const links = await linksStatement([merchantId, last.sequence]);
    for (const link of links) {
      if (!continues(last, link)) return last.sequence + 1;
      last = link;
    }
    if (links.length === 0) return last.sequence < (chain?.last_sequence ?? 0) ? last.sequence + 1 : undefined;
  }
}

function continues(last: Pick<ChainLink, 'sequence' | 'hash'>, link: ChainLink): boolean {
  const hash = createHash('sha256').update(last.hash).update(link.content).digest();
  return link.sequence === last.sequence + 1 && link.previous_hash.equals(last.hash) && link.hash.equals(hash);
}

/** An address is personal data: its /24, or /48 of IPv6, says enough of where something came from. */
function networkOf(address: string | undefined): string | null {
  const plain = (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '').toLowerCase();
  if (isIPv4(plain)) return `${plain.split('.').slice(0, 3).join('.')}.0/24`;
  if (!isIPv6(plain)) return null;
  const [before = ''] = plain.split('::');
  const groups = before.split(':').filter(Boolean).slice(0, 3);
  return `${[...groups, ...Array<string>(3 - groups.length).fill('0')].join(':')}::/48`;
}
