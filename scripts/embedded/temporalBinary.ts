import { execFile } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { type Build, cachedFile, goInstall, keep } from './goPrograms';
import { findInstalled } from './installed';

const execute = promisify(execFile);

/** The newest release that `go install` accepts: the module files of later releases have a `replace`. */
const version = '1.5.1';

interface Search extends Build {
  say: (line: string) => void;
}

/** The first way that works. The binary is kept in the user's cache folder for all checkouts. */
export async function getTemporalBinary(search: Search): Promise<string> {
  const chosen = process.env['TEMPORAL_CLI_PATH'];
  if (chosen)
    return runs(chosen).then((works) => (works ? chosen : refuse(`TEMPORAL_CLI_PATH: ${chosen} does not run`)));
  const onPath = findInstalled('temporal');
  if (onPath !== undefined && (await runs(onPath))) return onPath;
  const cached = cachedFile(`temporal-cli-${version}`, 'temporal');
  if (existsSync(cached)) return cached;
  const failures: string[] = [];
  for (const fetchInto of [download, build]) {
    try {
      await keep(cached, (folder) => fetchInto(folder, search).then(checked));
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

async function checked(binary: string): Promise<string> {
  return (await runs(binary)) ? binary : refuse(`${binary} does not run on this machine`);
}

async function runs(binary: string): Promise<boolean> {
  return execute(binary, ['--version'], { timeout: 20_000 }).then(
    () => true,
    () => false,
  );
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

function build(folder: string, search: Search): Promise<string> {
  search.say(`Building the Temporal server ${version} with Go (about 6 minutes, once) ...`);
  return goInstall(folder, `github.com/temporalio/cli/cmd/temporal@v${version}`, search);
}
