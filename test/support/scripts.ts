import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { type Printed, type ScriptOrder } from './scriptHost';

export interface ScriptOutcome {
  code: number;
  /** The standard output, or after a failure the standard error. */
  said: string;
}

type Run = (order: ScriptOrder) => Promise<Printed>;

const runApart: Run = ({ program, input, settings }) =>
  promisify(execFile)(process.execPath, [program, ...input], { env: settings }).then(
    (output) => ({ ...output, code: 0 }),
    (error: Printed) => error,
  );

let run = runApart;

/**
 * All scripts of this file run in one process, one after the other: it loads the packages once. For files that try many
 * commands. A script that ends the process has ended like one in a process of its own, and the next one gets a new process.
 */
export function shareScriptProcess(): void {
  let host: Host | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const runShared: Run = async (order) => {
    host ??= await startHost();
    const printed = await runIn(host, order);
    if (host.child.exitCode !== null || host.child.signalCode !== null) host = undefined;
    return printed;
  };
  beforeAll(() => {
    run = (order) => {
      const printed = last.then(() => runShared(order));
      last = printed.catch(() => undefined);
      return printed;
    };
  });
  afterAll(() => {
    run = runApart;
    host?.child.kill();
  });
}

interface Host {
  child: ChildProcess;
  /** Settles when the process ends: with its code and its last words. */
  ended: Promise<Printed>;
}

async function startHost(): Promise<Host> {
  const child = fork(resolve(__dirname, '../../dist/test/support/scriptHost.js'), { silent: true });
  const ended = Promise.all([once(child, 'exit'), text(child.stderr ?? Readable.from([]))]).then(
    ([[code], stderr]): Printed => ({ code: Number(code), stdout: '', stderr }),
  );
  await Promise.race([once(child, 'message'), ended]);
  return { child, ended };
}

async function runIn({ child, ended }: Host, order: ScriptOrder): Promise<Printed> {
  const stop = new AbortController();
  const answered = once(child, 'message', { signal: stop.signal }).then(([printed]) => printed as Printed);
  child.send(order);
  try {
    return await Promise.race([answered, ended]);
  } finally {
    answered.catch(() => undefined);
    stop.abort();
  }
}

/** Runs a built script, such as `messages.js`, with the settings of this file and others, as an operator does. */
export async function runScript(
  name: string,
  input: readonly string[],
  changes: Record<string, string | undefined> = {},
): Promise<ScriptOutcome> {
  const program = resolve(__dirname, '../../dist/scripts', name);
  const { code, stdout, stderr } = await run({ program, input, settings: { ...process.env, ...changes } });
  return { code, said: code === 0 ? stdout : stderr };
}
