import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setMoved } from '../accounts/merchants/states';
import { pepperChecks } from '../adapters/passwords';
import { query } from '../adapters/postgres/statement';
import { transaction } from '../adapters/postgres/connection';
import { seal, unseal } from '../adapters/sealing';
import { directDatabaseUrl } from '../adapters/settings';
import { audit, findBrokenLink } from '../audit/audit';
import { holdMails } from '../mail/mail';
import { type ArchiveHeader, ArchiveWriter, hashOfCode, MoveRefusal } from './archive';
import { digestTables, withClient } from './database';
import { readGroup } from './export';
import {
  findLastMove,
  findUnfinished,
  finishMove,
  insertDeparture,
  type MovingMerchant,
  type TableDigest,
} from './moves.model';
import { endRuns } from './runs';
import { getMerchant } from './stop';

/** A stopped merchant leaves: it is exported to a file, and marked as moved once the other installation has the file. */

/** After this time no request, transaction or mail of the time before the stop is under way. */
const quietMs = 120_000;
const codePurpose = 'merchant move';
const movedReason = 'Your shop has moved to another installation.';

/** Writes the file. Repeat it after any refusal: the last file counts. Returns the number of rows. */
export async function exportMerchant(
  idOrUuid: string,
  { path, key }: { path: string; key: Buffer },
): Promise<{ rows: number }> {
  const merchant = await getMerchant(idOrUuid);
  refuseUnready(merchant);
  await refuseUnfinished(merchant.group);
  for (const id of merchant.group)
    if ((await findBrokenLink(id)) !== undefined)
      throw new MoveRefusal(`The audit log of merchant ${id} was changed: npm run audit:verify`);
  await endRuns(merchant.group);
  await refuseUnfinished(merchant.group);
  await foldFigures();
  const writer = await ArchiveWriter.create(path, key);
  try {
    return await writeFile(merchant, writer);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

function refuseUnready({ movingSince, movedAt, isArriving }: MovingMerchant): void {
  if (movedAt) throw new MoveRefusal('The merchant was moved to another installation.');
  if (isArriving) throw new MoveRefusal('The merchant has come from another installation and was not started.');
  if (!movingSince) throw new MoveRefusal('Stop the merchant first: npm run merchant:stop');
  const quietAt = new Date(movingSince.getTime() + quietMs);
  if (quietAt > new Date())
    throw new MoveRefusal(`What was under way before the stop ends until ${quietAt.toISOString()}. Export then.`);
}

async function refuseUnfinished(group: readonly number[]): Promise<void> {
  const found = await findUnfinished(group);
  if (found.length === 0) return;
  const list = found.map(({ what, count, names }) => `- ${count} ${what}: ${names}`);
  throw new MoveRefusal(
    `Work of the merchant is not finished. Wait until it is, and export again.\n${list.join('\n')}`,
  );
}

/** Sums of reports are folded for all merchants from time to time. Afterwards nothing is left to fold. */
async function foldFigures(): Promise<void> {
  const most = 10_000;
  for (let folded = most; folded === most;)
    folded = (await query<{ folded: number }>('SELECT fold_figures($1) AS folded', [most]))[0]?.folded ?? 0;
}

async function writeFile(merchant: MovingMerchant, writer: ArchiveWriter): Promise<{ rows: number }> {
  const id = randomUUID();
  const code = randomBytes(16).toString('hex');
  const { rows, tables } = await withClient(directDatabaseUrl, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const header: Partial<ArchiveHeader> = {
      id,
      codeHash: hashOfCode(code),
      peppers: await readPeppers(merchant.group),
    };
    const written = await readGroup(client, merchant, (part) =>
      writer.write(part.part === 'header' ? { ...part, ...header } : part),
    );
    return { rows: written, tables: await digestTables(client, merchant.group) };
  });
  await writer.close();
  const sealedCode = seal(codePurpose, code);
  await transaction((inTransaction) =>
    insertDeparture(inTransaction, { id, merchantId: merchant.id, sealedCode, tables }),
  );
  return { rows };
}

/** The peppers of the passwords, which the other installation must know. */
async function readPeppers(group: readonly number[]): Promise<ArchiveHeader['peppers']> {
  const used = await query<{ version: number }>(
    `SELECT DISTINCT substring(password_hash FROM '^p(\\d+)')::int AS version FROM accounts
     WHERE merchant_id = ANY($1::int[]) AND password_hash ~ '^p\\d'`,
    [group],
  );
  const known = pepperChecks();
  return used.map(({ version }) => [version, known.get(version) ?? '']);
}

/**
 * The point of no return: the merchant never opens here again. Refuses if a row has changed since the last export. Returns the
 * code that starts the merchant in the other installation; a repeated call returns it again.
 */
export async function markMoved(idOrUuid: string): Promise<string> {
  const { id, group, movedAt, movingSince } = await getMerchant(idOrUuid);
  const move = await findLastMove(id, 'out');
  if (!movingSince || !move?.tables || !move.sealedCode) throw new MoveRefusal('The merchant was not exported.');
  if (!movedAt) {
    const { tables } = move;
    const now = await withClient(directDatabaseUrl, (client) => digestTables(client, group));
    const changed = Object.keys(now).filter((table) => !isSame(tables[table], now[table]));
    if (changed.length > 0)
      throw new MoveRefusal(`Rows have changed since the export: ${changed.join(', ')}. Export and import again.`);
    await transaction(async (inTransaction) => {
      await setMoved(inTransaction, group, movedReason);
      await holdMails(inTransaction, group);
      await finishMove(inTransaction, move.id);
      const object = ['merchant', id] as const;
      await audit(inTransaction, { merchantId: id, accountId: id }, { action: 'merchant.leave', object });
    });
  }
  const code = unseal(codePurpose, move.sealedCode);
  if (code === undefined) throw new Error('the code of the move was sealed with another key');
  return code;
}

const isSame = (one: TableDigest | undefined, other: TableDigest | undefined) =>
  one?.rows === other?.rows && one?.sum === other?.sum;
