import { fork } from 'node:child_process';
import { openSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { basename, join, resolve } from 'node:path';

export interface ChildProgram {
  pid: number;
  /** How it ended: `SIGKILL`, `exit code 0`. Never rejects. */
  ended: Promise<string>;
  /** Ends it without a word, as a power cut does. */
  kill: () => Promise<string>;
}

/**
 * Runs a built program of this folder (`dist/test/support/<name>.js`) with this file's database, servers and task queue,
 * and resolves when it is ready. The program ends with this process. With a `folder`, the program
 * works there and writes its output there. `build`: the folder of another release.
 */
export function startProgram(
  name: string,
  environment: Record<string, string>,
  folder?: string,
  build = resolve(__dirname, '../../dist'),
): Promise<ChildProgram> {
  return startFile(join(build, 'test/support', `${name}.js`), environment, folder);
}

async function startFile(program: string, environment: Record<string, string>, folder?: string): Promise<ChildProgram> {
  const name = basename(program, '.js');
  const output = folder === undefined ? 'inherit' : openSync(join(folder, `${name}.log`), 'a');
  const child = fork(program, {
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: join(process.env['TEST_DATA_DIR'] ?? '', 'compiled-programs'),
      ...environment,
      ...(folder !== undefined && { TMPDIR: folder, HOME: folder }),
    },
    ...(folder !== undefined && { cwd: folder }),
    stdio: ['ignore', output, output, 'ipc'],
  });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  const ready = new Promise<'ready'>((resolve) => child.once('message', () => resolve('ready')));
  const first = await Promise.race([ready, ended]);
  if (first !== 'ready' || child.pid === undefined) throw new Error(`${name} ended before it was ready: ${first}`);
  return {
    pid: child.pid,
    ended,
    kill: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

/**
 * For the program itself: reports that it is ready, and ends with the process that started it. The next program compiles
 * nothing that this one has compiled, even if this one is killed.
 */
export function sayReady(): void {
  flushCompileCache();
  process.once('disconnect', () => process.exit(1));
  process.send?.('ready');
}
