import { hash, verify } from '@node-rs/argon2';
import { AppError } from '../kit/errors';

// argon2id, the library's default, at OWASP and ASVS grade: 13 ms a hash. Two at once and a bounded queue: hashing is what a flood of sign-ins would exhaust.
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const runningMax = 2;
const queuedMax = 64;

let running = 0;
const waiting: (() => void)[] = [];

export function hashPassword(password: string): Promise<string> {
  return queued(() => hash(password.normalize('NFKC'), parameters));
}

/** Made with weaker parameters than today's: hashed anew when its owner signs in. */
export function isOutdated(passwordHash: string): boolean {
  const found = /^\$argon2id\$v=\d+\$m=(\d+),t=(\d+),p=\d+\$/.exec(passwordHash);
  return !found || Number(found[1]) < parameters.memoryCost || Number(found[2]) < parameters.timeCost;
}

/** Takes as long for an account that does not exist (`undefined`) as for one that does. */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  const matches = await queued(async () => verify(passwordHash ?? (await dummyHash()), password.normalize('NFKC')));
  return passwordHash !== undefined && matches;
}

let dummy: Promise<string> | undefined;

function dummyHash(): Promise<string> {
  dummy ??= hash('no account has this password', parameters);
  return dummy;
}

async function queued<T>(work: () => Promise<T>): Promise<T> {
  if (running >= runningMax) {
    if (waiting.length >= queuedMax) throw new AppError('service_unavailable', { retryAfterSeconds: 2 });
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}
