import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type Image, startInImage } from './dockerfile';

/** The settings of this test file that the service needs. Paths of this machine mean nothing in an image. */
const shared = [
  'DATABASE_URL',
  'TEMPORAL_ADDRESS',
  'TEMPORAL_TASK_QUEUE',
  'SANDBOX_API_BASE',
  'SANDBOX_KEY',
  'ENCRYPTION_KEY',
];

/** Programs of the service that run in an image, on the servers of this test file. */
export class ImagePrograms {
  private readonly started: Program[] = [];

  constructor(private readonly image: Image) {}

  start(file: string, settings: Record<string, string>): void {
    this.launch(file, settings);
  }

  /** Throws what the program has printed if it does not succeed. */
  async toEnd(file: string, settings: Record<string, string>): Promise<void> {
    const { ended } = this.launch(file, settings);
    const { code, printed } = await ended;
    if (code !== 0) throw new Error(`${file} ended with ${code}: ${printed}`);
  }

  /** The result of `work`. Throws as soon as a program has failed. */
  whileRunning<T>(work: Promise<T>): Promise<T> {
    const failures = this.started.map(async ({ file, ended }) => {
      const { code, printed } = await ended;
      if (code !== 0) throw new Error(`${file} ended with ${code}: ${printed}`);
      return new Promise<never>(() => undefined);
    });
    return Promise.race([work, ...failures]);
  }

  async stop(): Promise<void> {
    for (const { child } of this.started) child.kill('SIGTERM');
    await Promise.all(this.started.map(({ ended }) => ended));
  }

  private launch(file: string, settings: Record<string, string>): Program {
    const own = Object.fromEntries(shared.map((name) => [name, process.env[name]]));
    // The test environment starts on all addresses only by a setting of its own.
    const variables = { ...own, ENVIRONMENT: 'test', HOST: '127.0.0.1', LOG_LEVEL: 'error', ...settings };
    const child = startInImage(this.image, ['node', file], variables);
    const program = { file, child, ended: endOf(child) };
    this.started.push(program);
    return program;
  }
}

interface Program {
  file: string;
  child: ChildProcess;
  ended: Promise<{ code: number | string; printed: string }>;
}

async function endOf(child: ChildProcess): Promise<{ code: number | string; printed: string }> {
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (printed += String(text)));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code: code ?? signal ?? '', printed };
}
