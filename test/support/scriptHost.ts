import { createRequire } from 'node:module';
import { resolve, sep } from 'node:path';
import { sayReady } from './childProcess';

/** A built script, its arguments and all of its settings. */
export interface ScriptOrder {
  program: string;
  input: readonly string[];
  settings: Record<string, string | undefined>;
}

export interface Printed {
  code: number;
  stdout: string;
  stderr: string;
}

const load = createRequire(__filename);
const build = resolve(__dirname, '../..') + sep;
const printed = { stdout: '', stderr: '' };

/**
 * Runs scripts one after the other, as in processes of their own: each has its arguments, its settings and all modules of
 * the product for itself, and it has ended when nothing is left to wait for. Only the packages stay loaded.
 */
function main(): void {
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (text: string | Uint8Array) => {
      printed[name] += String(text);
      return true;
    };
  process.on('message', (order: ScriptOrder) => run(order));
  process.on('beforeExit', answer);
  sayReady();
}

function run({ program, input, settings }: ScriptOrder): void {
  for (const file of Object.keys(load.cache)) if (file.startsWith(build)) delete load.cache[file];
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, settings);
  process.argv = [process.execPath, program, ...input];
  process.exitCode = 0;
  Object.assign(printed, { stdout: '', stderr: '' });
  process.channel?.unref();
  load(program);
}

function answer(): void {
  process.channel?.ref();
  process.send?.({ ...printed, code: Number(process.exitCode) } satisfies Printed);
}

main();
