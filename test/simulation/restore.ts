import { type Client } from 'pg';
import { withClient } from '../../bench/database';
import { type Books } from './books';
import { readBooks } from './readBooks';
import { checkRestored } from './rules/restored';
import { type Violation } from './rules/violation';
import { type Target } from './schedule';
import { type Service } from './service';

/** What restores a backup, as the runbook says. */
export type Restorable = Pick<Service, 'freeze' | 'kill' | 'command' | 'restoreBackup' | 'backupAt' | 'databaseUrl'>;

const programs = ([0, 1] as const).flatMap((replica) =>
  (['API', 'worker'] as const).map((target): [Target, number] => [target, replica]),
);

/**
 * PostgreSQL gets the files that were copied during the run. Then the steps of docs/runbooks/restored-database.md follow,
 * before the API and the workers start. Everything after the copy is lost in the database, and known to the provider. No
 * violations without a copy.
 */
export async function restoreOlder(
  service: Restorable,
  before: Books,
  { settle, tell }: { settle: () => Promise<void>; tell: (line: string) => void },
): Promise<Violation[]> {
  const backupAt = service.backupAt();
  if (!backupAt) return [{ rule: 'restored', what: 'no backup was made during the run', lines: [] }];
  const erasures = await service.command('scripts/erasures.js', ['list']);
  for (const [target, replica] of programs) await service.freeze(target, replica);
  await service.restoreBackup();
  tell(`PostgreSQL is as it was at ${backupAt.toISOString()}`);
  await service.command('scripts/restored.js', [backupAt.toISOString()]);
  await service.command('scripts/erasures.js', ['replay'], erasures);
  for (const [target, replica] of programs) service.kill(target, replica);
  await settle();
  tell((await service.command('test/simulation/reconcileMain.js', [])).trim());
  await settle();
  const { books, unmatched } = await withClient(service.databaseUrl, readRestored);
  return checkRestored(before, books, unmatched).map((found) => ({ rule: 'restored', ...found }));
}

async function readRestored(client: Client) {
  const books = await readBooks(client);
  const text = 'SELECT idempotency_key AS key FROM unmatched_payments';
  const { rows } = await client.query<{ key: string }>(text);
  return { books, unmatched: rows.map(({ key }) => key) };
}
