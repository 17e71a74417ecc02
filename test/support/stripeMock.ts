import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const version = '0.203.0';

/** Stripe's own mock, which validates each request against Stripe's published schema. It is a Go program. */
export interface StripeMock {
  url: string;
  stop(): Promise<void>;
}

const searched = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/go/bin'].filter(Boolean);
/** Undefined on a machine without Go. */
export const goCompiler = searched.map((folder) => join(folder, 'go')).find(existsSync);

export async function startStripeMock(): Promise<StripeMock> {
  const address = '127.0.0.1:0';
  const server = spawn(await build(), ['-http-addr', address, '-https-addr', address], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(server, 'exit');
  for await (const line of createInterface(server.stdout)) {
    const port = /Listening for HTTP at address: .*:(\d+)/.exec(line)?.[1];
    if (port === undefined) continue;
    const stop = async () => {
      server.kill();
      await exited;
    };
    return { url: `http://127.0.0.1:${port}`, stop };
  }
  throw new Error('stripe-mock ended before it listened');
}

/** Built once for each user, under another name first, and then renamed. */
async function build(): Promise<string> {
  const caches = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const binary = join(caches, 'paywall', `stripe-mock-${version}`, 'stripe-mock');
  if (existsSync(binary)) return binary;
  if (goCompiler === undefined) throw new Error('stripe-mock needs Go');
  const parent = dirname(dirname(binary));
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, 'unfinished-'));
  try {
    const source = `github.com/stripe/stripe-mock@v${version}`;
    const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0', GOTOOLCHAIN: 'auto' };
    await execute(goCompiler, ['install', source], { cwd: folder, env });
    await mkdir(dirname(binary), { recursive: true });
    await rename(join(folder, 'stripe-mock'), binary);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return binary;
}
