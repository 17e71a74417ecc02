import { AppError } from './errors';

/** Waits for all promises and returns their values. If several fail, it throws the error of the first one in the list. */
export async function allOrFirstError<T extends readonly unknown[]>(
  ...promises: { [I in keyof T]: Promise<T[I]> }
): Promise<T> {
  const settled = await Promise.allSettled(promises);
  return settled.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  }) as unknown as T;
}

/**
 * Runs each work, but at most `runningMax` at the same time. Of those that wait, at most `waitingMax` are kept: a further
 * one throws `service_unavailable`.
 */
export class WorkQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly runningMax: number,
    private readonly waitingMax: number,
  ) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.runningMax) this.running += 1;
    else await this.turn();
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // The next work takes the place of this one, so nobody comes between them.
      if (next) next();
      else this.running -= 1;
    }
  }

  private turn(): Promise<void> {
    if (this.waiting.length >= this.waitingMax) throw new AppError('service_unavailable', { retryAfterSeconds: 2 });
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}

/** Does the work for each item, in order, for at most `atOnce` items at the same time. */
export async function eachInParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const remaining = items.values();
  const workInTurn = async () => {
    for (const item of remaining) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, workInTurn));
}
