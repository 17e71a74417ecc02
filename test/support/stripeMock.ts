import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { cachedFile, findGo, keep } from '../../scripts/embedded/goPrograms';

const execute = promisify(execFile);
const version = '0.203.0';

/** Stripe's own mock, which validates each request against Stripe's published schema. It is a Go program. */
export interface StripeMock {
  url: string;
  stop(): Promise<void>;
}

/** Undefined on a machine without Go. */
export const goCompiler = findGo();

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

async function build(): Promise<string> {
  const binary = cachedFile(`stripe-mock-${version}`, 'stripe-mock');
  if (existsSync(binary)) return binary;
  if (goCompiler === undefined) throw new Error('stripe-mock needs Go');
  const compiler = goCompiler;
  await keep(binary, async (folder) => {
    const source = `github.com/stripe/stripe-mock@v${version}`;
    const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0', GOTOOLCHAIN: 'auto' };
    await execute(compiler, ['install', source], { cwd: folder, env });
    return join(folder, 'stripe-mock');
  });
  return binary;
}
