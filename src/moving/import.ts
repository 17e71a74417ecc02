import { type Client } from 'pg';
import { pepperChecks } from '../adapters/passwords';
import { seal } from '../adapters/sealing';
import { ownerDatabaseUrl } from '../adapters/settings';
import { rechain } from '../audit/chains';
import { keepFormerKey } from '../entitlements/trials';
import { noteUnseenPayments } from '../subscriptions/restorations';
import { rekeyGifts } from '../vouchers/gifts';
import { type ArchiveHeader, type ArchivePart, type ArchiveRows, MoveRefusal, readArchive } from './archive';
import { countHeldAddresses } from './heldAddresses';
import { type Column, leaveTriggersOut, quoted, readColumns, readMigrations, withClient } from './database';
import { advanceSequences } from './numbers';
import { keepOwner } from './owner';
import { findBrokenReferences } from './references';
import { mapSealed, tablePlaces } from './tables';

/** Reads a file and writes all of its rows in one transaction. The merchant is stopped until `startMerchant`. */

export interface Arrival {
  merchantId: number;
  merchantUuid: string;
  /** 0: the file was imported before. */
  rows: number;
}

interface ImportOptions {
  path: string;
  key: Buffer;
  /** This installation uses the payment account of the first one. */
  hasSameAccount: boolean;
}

export async function importMerchant({ path, key, hasSameAccount }: ImportOptions): Promise<Arrival> {
  const parts = readArchive(path, key);
  const first = await parts.next();
  if (first.done === true || first.value.part !== 'header') throw new MoveRefusal('The file has no header.');
  const header = first.value;
  const { merchantId, merchantUuid } = header;
  refuseOtherSecrets(header, hasSameAccount);
  return withClient(ownerDatabaseUrl, async (client) => {
    await refuseOtherSchema(client, header);
    await leaveTriggersOut(client);
    if (await refuseKnown(client, header)) return { merchantId, merchantUuid, rows: 0 };
    await advanceSequences(client, header.sequences);
    const write = () => keepOwner(client, header.merchantIds, () => writeAll(client, header, parts));
    return { merchantId, merchantUuid, rows: await inTransaction(client, write) };
  });
}

function refuseOtherSecrets({ peppers, sharedAccounts }: ArchiveHeader, hasSameAccount: boolean): void {
  const known = pepperChecks();
  const missing = peppers.filter(([version, check]) => known.get(version) !== check).map(([version]) => version);
  if (missing.length > 0)
    throw new MoveRefusal(
      `PASSWORD_PEPPER lacks version ${missing.join(', ')} of the first installation, which the passwords need.`,
    );
  if (sharedAccounts.length > 0 && !hasSameAccount)
    throw new MoveRefusal(
      `Cards of the merchant are in the payment account of the first installation (${sharedAccounts.join(', ')}). ` +
        'If this installation uses the same account, add --same-account.',
    );
}

async function refuseOtherSchema(client: Client, { migrations }: ArchiveHeader): Promise<void> {
  const own = await readMigrations(client);
  const different = [
    ...own.filter((name) => !migrations.includes(name)),
    ...migrations.filter((n) => !own.includes(n)),
  ];
  if (different.length > 0)
    throw new MoveRefusal(`Both installations must run the same version. Migrations differ: ${different.join(', ')}`);
}

/** True if the file was imported before. */
async function refuseKnown(client: Client, { id, merchantIds, merchantUuid }: ArchiveHeader): Promise<boolean> {
  const { rows: moves } = await client.query<{ direction: string }>(
    'SELECT direction FROM merchant_moves WHERE id = $1',
    [id],
  );
  if (moves[0]?.direction === 'out') throw new MoveRefusal('The file was made by this installation.');
  if (moves[0]) return true;
  const { rows: known } = await client.query<{ id: number; uuid: string; may_go: boolean }>(
    `SELECT a.id, a.uuid, ${mayGo} AS may_go FROM accounts a WHERE a.id = ANY($1::int[]) OR a.uuid = $2`,
    [merchantIds, merchantUuid],
  );
  const other = known.find((row) => !row.may_go || !merchantIds.includes(row.id));
  if (other?.uuid === merchantUuid) throw new MoveRefusal('The merchant lives in this installation already.');
  if (other) throw new MoveRefusal(`The id ${other.id} of the merchant belongs to another account here.`);
  return false;
}

/** The condition for rows that a new file may replace: the merchant was not started yet, or has moved away. */
export const mayGo = `EXISTS (SELECT FROM merchant_states s WHERE s.merchant_id = a.merchant_id AND (s.moved_at IS NOT NULL OR
  s.moving_since IS NOT NULL AND EXISTS (SELECT FROM merchant_moves m WHERE m.direction = 'in' AND m.finished_at IS NULL
    AND (m.merchant_id = s.merchant_id OR EXISTS (SELECT FROM follower_relations r
      WHERE r.master_id = m.merchant_id AND r.follower_id = s.merchant_id)))))`;

async function inTransaction<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

async function writeAll(client: Client, header: ArchiveHeader, parts: AsyncIterable<ArchivePart>): Promise<number> {
  const { id, merchantId, merchantIds } = header;
  await deleteGroup(client, merchantIds);
  const counts = await writeRows(client, parts);
  refuseTaken(await countHeldAddresses(client, merchantIds));
  const broken = await findBrokenReferences(client, merchantIds);
  if (broken.length > 0) throw new MoveRefusal(`Rows refer to rows that are not there: ${broken.join(', ')}`);
  for (const one of merchantIds) await rechain(client, one);
  await rekeyGifts(client, merchantIds);
  await keepFormerKey(client, merchantIds, header.trialKey);
  await client.query(
    `INSERT INTO merchant_moves (id, merchant_id, direction, code_hash) VALUES ($1, $2, 'in', decode($3, 'hex'))`,
    [id, merchantId, header.codeHash],
  );
  await noteUnseenPayments(client, header.madeAt);
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

async function writeRows(client: Client, parts: AsyncIterable<ArchivePart>): Promise<Record<string, number>> {
  const columns = await readColumns(client);
  const read: Record<string, number> = {};
  const taken: Record<string, number> = {};
  let counts: Record<string, number> | undefined;
  for await (const part of parts) {
    if (part.part === 'end') counts = part.counts;
    if (part.part !== 'rows') continue;
    const { table, rows } = part;
    read[table] = (read[table] ?? 0) + rows.length;
    const written = await insertRows(client, part, columns.get(table) ?? []);
    const place = tablePlaces[table];
    const mayLack = place?.moves === true && 'isShared' in place;
    if (written < rows.length && !mayLack) taken[table] = (taken[table] ?? 0) + rows.length - written;
  }
  if (!counts || Object.entries(counts).some(([table, count]) => count !== (read[table] ?? 0)))
    throw new MoveRefusal('The file is incomplete. Export again.');
  refuseTaken(taken);
  return counts;
}

function refuseTaken(taken: Record<string, number>): void {
  const list = Object.entries(taken).map(([table, count]) => `- ${table}: ${count} rows`);
  if (list.length === 0) return;
  const reason =
    'Numbers, names or addresses of the merchant belong to other rows of this installation. Nothing was imported.';
  throw new MoveRefusal(`${reason}\n${list.join('\n')}`);
}

/** Returns how many of the rows are new. */
async function insertRows(client: Client, part: ArchiveRows, known: readonly Column[]): Promise<number> {
  const { table, columns: names, rows } = part;
  const place = tablePlaces[table];
  const columns = names.map((name) => known.find((column) => column.name === name));
  if (place?.moves !== true || columns.some((column) => column === undefined))
    throw new MoveRefusal(`The file has rows of ${table} that this version does not know.`);
  const sealed = rows.map((row) => sealAgain(table, names, row));
  const list = names.map(quoted).join(', ');
  const values = columns.map((column, index) => `u.c${index}::${column?.type ?? 'text'}`).join(', ');
  const arrays = names.map((_, index) => `$${index + 1}::text[]`).join(', ');
  const given = names.map((_, index) => `c${index}`).join(', ');
  const { rowCount } = await client.query(
    `INSERT INTO ${quoted(table)} (${list}) OVERRIDING SYSTEM VALUE
     SELECT ${values} FROM unnest(${arrays}) AS u (${given}) ON CONFLICT DO NOTHING`,
    names.map((_, index) => sealed.map((row) => row[index] ?? null)),
  );
  return rowCount ?? 0;
}

/** Seals again, with the data key of this installation. */
const sealAgain = (table: string, columns: readonly string[], row: (string | null)[]) =>
  mapSealed({ table, columns, row }, (value, purpose) => `\\x${seal(purpose, value).toString('hex')}`);

/** Deletes all rows of merchants, without triggers. */
export async function deleteGroup(client: Client, group: readonly number[]): Promise<void> {
  for (const [table, place] of Object.entries(tablePlaces)) {
    if (place.rows === undefined || (place.moves && 'isShared' in place)) continue;
    await client.query(`DELETE FROM ${table} t WHERE ${place.rows}`, [group]);
  }
}
