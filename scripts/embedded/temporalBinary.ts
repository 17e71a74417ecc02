import { execFile } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { findInstalled } from './installed';
import { type ProcessGroup, lastLines } from './processes';

const execute = promisify(execFile);

/** The newest release that `go install` accepts: the module files of later releases have a `replace`. */
const version = '1.5.1';

interface Search {
  processes: ProcessGroup;
  logFile: string;
  say: (line: string) => void;
}

/** The first way that works. The binary is kept in the user's cache folder for all checkouts. */
export async function getTemporalBinary(search: Search): Promise<string> {
  const chosen = process.env['TEMPORAL_CLI_PATH'];
  if (chosen)
    return runs(chosen).then((works) => (works ? chosen : refuse(`TEMPORAL_CLI_PATH: ${chosen} does not run`)));
  const onPath = findInstalled('temporal');
  if (onPath !== undefined && (await runs(onPath))) return onPath;
  const cached = cachedBinary();
  if (existsSync(cached)) return cached;
  const failures: string[] = [];
  for (const fetchInto of [download, goInstall]) {
    try {
      await keep(cached, (folder) => fetchInto(folder, search));
      return cached;
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  return refuse(allWays(failures));
}

function refuse(message: string): never {
  throw new Error(message);
}

function allWays(failures: readonly string[]): string {
  return [
    'No Temporal server to run. Any one of these helps:',
    '  - set TEMPORAL_ADDRESS to a Temporal server that runs already (host:port)',
    '  - install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on PATH, or set TEMPORAL_CLI_PATH',
    '  - install Go 1.21 or newer, with which it is built once (about 6 minutes)',
    `  - allow a download from ${downloadHost}`,
    ...failures.map((failure) => `Tried: ${failure}`),
  ].join('\n');
}

function cachedBinary(): string {
  const caches = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(caches, 'paywall', `temporal-cli-${version}`, 'temporal');
}

async function runs(binary: string): Promise<boolean> {
  return execute(binary, ['--version'], { timeout: 20_000 }).then(
    () => true,
    () => false,
  );
}

/** Downloaded into the same folder and renamed, so that several processes may do this at once. */
async function keep(cached: string, fetchInto: (folder: string) => Promise<string>): Promise<void> {
  const parent = dirname(dirname(cached));
  await mkdir(parent, { recursive: true });
  const unfinished = await mkdtemp(join(parent, 'unfinished-'));
  try {
    const binary = await fetchInto(unfinished);
    if (!(await runs(binary))) throw new Error(`${binary} does not run on this machine`);
    await mkdir(dirname(cached), { recursive: true });
    await rename(binary, cached);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

const downloadHost = 'temporal.download';

/**
 * The download that Temporal's SDKs use, with our own time limits: theirs wait for minutes on an unreliable network.
 */
async function download(folder: string, { say }: Search): Promise<string> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const address = `https://${downloadHost}/cli/v${version}?platform=${process.platform}&arch=${arch}&format=tar.gz`;
  const answer = await fetch(address, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  if (!answer?.ok) throw new Error(`${downloadHost} gave no answer within 2 s`);
  const { archiveUrl, fileToExtract } = (await answer.json()) as { archiveUrl: string; fileToExtract: string };
  say(`Downloading the Temporal server ${version} (about 50 MB, once) ...`);
  const archive = await fetch(archiveUrl, { signal: AbortSignal.timeout(5 * 60_000) });
  if (!archive.ok || archive.body === null) throw new Error(`${archiveUrl} answered ${archive.status}`);
  const packed = join(folder, 'temporal.tar.gz');
  await pipeline(Readable.fromWeb(archive.body), createWriteStream(packed));
  await execute('tar', ['-xzf', packed, '-C', folder, fileToExtract]);
  const binary = join(folder, fileToExtract);
  await chmod(binary, 0o755);
  return binary;
}

async function goInstall(folder: string, { processes, logFile, say }: Search): Promise<string> {
  const go = findInstalled('go', ['/usr/local/go/bin']);
  if (go === undefined) throw new Error('there is no Go compiler on PATH');
  say(`Building the Temporal server ${version} with Go (about 6 minutes, once) ...`);
  const source = `github.com/temporalio/cli/cmd/temporal@v${version}`;
  const compiler = await processes.start('the Go compiler', go, ['install', '-ldflags', '-s -w', source], {
    stopRank: 0,
    logFile,
    cwd: folder,
    env: { ...process.env, GOBIN: folder, CGO_ENABLED: '0', GOTOOLCHAIN: 'auto' },
  });
  const how = await compiler.ended;
  if (how !== 'exit code 0') throw new Error(`go install ended with ${how}\n${lastLines(logFile)}`);
  return join(folder, 'temporal');
}
