import { isIPv4, isIPv6 } from 'node:net';
import { Op } from 'sequelize';
import { type z } from 'zod';
import { type Transaction } from '../adapters/postgres/connection';
import { execute, statement } from '../adapters/postgres/statement';
import { findPage } from '../adapters/postgres/totals';
import { fingerprintOf } from '../adapters/sealing';
import { type Caller } from '../kit/auth';
import { cursorRange, nextCursor } from '../kit/page';
import { type ChainHead, listMissingHeads } from './heads';
import { AuditLogEntry, listActors } from './audit.model';
import { presentEntry } from './audit.presenter';
import { type AuditQuery } from './audit.schemas';

/** The account whose token was used. `actorUuid`: the account that acts as it (impersonation). */
export type Actor = Pick<Caller, 'merchantId' | 'accountId'> & {
  actorUuid?: string | undefined;
  clientAddress?: string | undefined;
};

/** What the actor did. It contains ids but no personal data, because it outlives the account. */
interface Action {
  /** `object.verb`, for example `impersonation.start`. */
  action: `${string}.${string}`;
  /** The type of the object, and its id. */
  object: readonly [type: string, id: number | string];
  requestId?: string | undefined;
}

/**
 * Writes to the append-only log of the actor's merchant, in the transaction of the change. The merchant's hash chain is
 * locked until the commit. So this comes after the rule's own rows, and only the end of sessions, events and wakes of
 * webhooks follow it. Every transaction takes these locks in the same order.
 */
export async function audit(inTransaction: Transaction, actor: Actor, action: Action): Promise<void> {
  await auditAll(inTransaction, actor, [action]);
}

/**
 * Writes an entry for each action of one change, in two statements, so that a long list does not lock the chain for
 * long.
 */
export async function auditAll(inTransaction: Transaction, actor: Actor, actions: readonly Action[]): Promise<void> {
  if (actions.length === 0) return;
  const { merchantId, accountId, actorUuid, clientAddress } = actor;
  const [place] = await execute<ChainPlace>(inTransaction, 'SELECT * FROM take_audit_place($1)', [merchantId]);
  if (!place) throw new Error('the audit log has no place');
  const { created_at_micros } = place;
  const address = networkOf(clientAddress);
  let previousHash = place.previous_hash;
  const entries = actions.map(({ action, object: [type, id], requestId = null }, index) => {
    const sequence = place.sequence + index;
    const columns = [accountId, actorUuid ?? null, action, type, String(id), requestId, address];
    const content = [merchantId, sequence, ...columns, created_at_micros].map((value) => value ?? '-').join('\n');
    const hash = hashOfEntry(previousHash, content);
    const entry = { sequence, action, type, id: String(id), requestId, before: previousHash.toString('hex') };
    previousHash = hash;
    return { ...entry, hash: hash.toString('hex') };
  });
  await execute(
    inTransaction,
    `INSERT INTO audit_log (merchant_id, sequence, actor_account_id, acted_by, action, object_type, object_id, request_id,
       address, previous_hash, hash)
     SELECT $1::int, e.sequence, $2::int, $3::uuid, e.action, e.type, e.id, e."requestId", $4::text,
       decode(e.before, 'hex'), decode(e.hash, 'hex')
     FROM jsonb_to_recordset($5::jsonb) AS e (sequence bigint, action text, type text, id text, "requestId" text,
       before text, hash text)
     ORDER BY e.sequence`,
    [merchantId, accountId, actorUuid ?? null, address, JSON.stringify(entries)],
  );
}

interface ChainPlace {
  sequence: number;
  previous_hash: Buffer;
  created_at_micros: number;
}

/** The hash of an entry, with a key that the database does not know. `content`: its columns, one per line. */
export function hashOfEntry(previousHash: Buffer, content: string): Buffer {
  return Buffer.from(fingerprintOf('audit log', `${previousHash.toString('hex')}\n${content}`), 'hex');
}

/** Lists the newest entry first, unless the oldest is requested first. */
export async function listAudit(caller: Caller, query: z.output<typeof AuditQuery>) {
  const { page, limit, offset, after } = cursorRange(query);
  const where = conditionsOf(caller, query);
  const { rows, total } = await findPage(AuditLogEntry, `audit ${JSON.stringify(where)}`, {
    where,
    order: inOrder(query),
    limit,
    offset,
    after: after && followsIn(query, after.id),
  });
  const next_cursor = nextCursor(rows, { limit }, ({ sequence }) => ({ id: sequence }));
  return { total, page, offset, limit, next_cursor, collection: await presentNamed(caller, rows) };
}

type AuditOrder = Pick<z.output<typeof AuditQuery>, 'order'>;
type AuditFilter = Pick<z.output<typeof AuditQuery>, 'action' | 'actor_account_id' | 'object_type' | 'object_id'>;

const inOrder = ({ order }: AuditOrder): [[string, string]] => [['sequence', order === 'asc' ? 'ASC' : 'DESC']];

const followsIn = ({ order }: AuditOrder, sequence: number) => ({
  sequence: { [order === 'asc' ? Op.gt : Op.lt]: sequence },
});

function conditionsOf({ merchantId }: Caller, filter: AuditFilter) {
  const { action, actor_account_id: actorAccountId, object_type: objectType, object_id: objectId } = filter;
  return {
    merchantId,
    ...(action !== undefined && { action }),
    ...(actorAccountId !== undefined && { actorAccountId }),
    ...(objectType !== undefined && { objectType }),
    ...(objectId !== undefined && { objectId }),
  };
}

/** Reads the log from the entry after a position, for an export. */
export async function readAuditAfter(caller: Caller, filter: AuditFilter & AuditOrder, limit: number, after?: number) {
  const place = after === undefined ? {} : followsIn(filter, after);
  const where = { ...conditionsOf(caller, filter), ...place };
  return presentNamed(caller, await AuditLogEntry.findAll({ where, order: inOrder(filter), limit }));
}

async function presentNamed({ merchantId }: Caller, entries: readonly AuditLogEntry[]) {
  const ids = new Set(entries.map(({ actorAccountId }) => actorAccountId));
  const uuids = new Set(entries.flatMap(({ actedBy }) => actedBy ?? []));
  const actors = await listActors(merchantId, { ids: [...ids], uuids: [...uuids] });
  return entries.map((entry) => presentEntry(entry, actors));
}

interface ChainLink {
  sequence: number;
  content: string;
  previous_hash: Buffer;
  hash: Buffer;
}

/** The columns of an entry, one per line, as `auditAll` has hashed them. */
export const contentOfEntry = `concat_ws(E'\\n', merchant_id, sequence, actor_account_id, coalesce(acted_by::text, '-'), action,
  object_type, object_id, coalesce(request_id, '-'), coalesce(address, '-'), (extract(epoch FROM created_at) * 1000000)::bigint)`;

const linksStatement = statement<ChainLink>(
  'audit_links',
  `SELECT sequence, previous_hash, hash, ${contentOfEntry} AS content
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

/** The merchants whose log does not match its hash chain, or a head of it that was published earlier. */
export async function listBrokenLogs(heads: readonly ChainHead[] = []) {
  const chains = await chainsStatement([]);
  const broken = await listMissingHeads(heads);
  for (const { merchant_id: merchantId } of chains) {
    const sequence = await findBrokenLink(merchantId);
    if (sequence !== undefined) broken.push({ merchantId, sequence });
  }
  return { checked: chains.length, broken };
}

/**
 * The position of the first entry that was changed or is missing; undefined if the chain is intact. After expired
 * entries are deleted, the chain starts from the hash of the last one deleted.
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
  const hash = hashOfEntry(last.hash, link.content);
  return link.sequence === last.sequence + 1 && link.previous_hash.equals(last.hash) && link.hash.equals(hash);
}

/** An IP address is personal data. Only its /24 network, or /48 for IPv6, is stored. */
function networkOf(address: string | undefined): string | null {
  const plain = (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '').toLowerCase();
  if (isIPv4(plain)) return `${plain.split('.').slice(0, 3).join('.')}.0/24`;
  if (!isIPv6(plain)) return null;
  const [before = ''] = plain.split('::');
  const groups = before.split(':').filter(Boolean).slice(0, 3);
  return `${[...groups, ...Array<string>(3 - groups.length).fill('0')].join(':')}::/48`;
}
