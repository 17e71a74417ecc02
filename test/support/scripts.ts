import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

export interface ScriptOutcome {
  code: number;
  /** The standard output, or after a failure the standard error. */
  said: string;
}

/** Runs a built script, such as `messages.js`, with the settings of this file and others, as an operator does. */
export function runScript(
  name: string,
  input: readonly string[],
  settings: Record<string, string | undefined> = {},
): Promise<ScriptOutcome> {
  const program = resolve(__dirname, '../../dist/scripts', name);
  const env = { ...process.env, ...settings };
  return promisify(execFile)(process.execPath, [program, ...input], { env }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, said: stderr }),
  );
}
