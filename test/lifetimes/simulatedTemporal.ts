/**
 * Temporal in this process and without a server, for one workflow at a time: a clock that jumps to the next timer, and
 * activities that take time, wait for outages and can run twice. `workflowModule.ts` gives it to the workflow's code.
 */

/** How an activity behaves in one call. */
export interface ActivityFault {
  /** The time until its effect. */
  delayMs: number;
  /** The worker dies right after the effect, so the activity runs again. */
  isRepeated: boolean;
}

export interface World {
  startMs: number;
  /** Executes an activity. `tryNo` counts the executions of one call from 1. */
  execute: (name: string, args: unknown[], tryNo: number) => unknown;
  faultOf: (isLocal: boolean, nowMs: number) => ActivityFault;
}

export type Workflow<Input> = (input: Input) => Promise<unknown>;

interface Task {
  atMs: number;
  act: () => void;
}

interface Condition {
  check: () => boolean;
  resolve: (isMet: boolean) => void;
}

type Handle = (...args: unknown[]) => unknown;

interface Handler {
  handle: Handle;
  validator?: Handle | undefined;
}

/** One run of the workflow. What a lost run waits for never happens. */
interface Run {
  conditions: Set<Condition>;
  handlers: Map<string, Handler>;
  /** The number of update handlers in progress. */
  handling: number;
  /** The number of activities in progress. */
  activities: number;
  lostMs?: number;
}

/** A run that ends with this continues as a new run with the input. */
export class ContinuedAsNew extends Error {
  constructor(readonly input: unknown) {
    super('continued as new');
  }
}

/** The update came to no answer: it was refused, or its run was lost or has ended. */
export type UpdateAnswer<T> = { result: T } | { refused: string } | { lost: true };

export class SimulatedTemporal {
  nowMs: number;
  /** The number of runs that have started. */
  runs = 0;
  private readonly tasks: Task[] = [];
  private run: Run | undefined;
  private failure: Error | undefined;

  constructor(private readonly world: World) {
    this.nowMs = world.startMs;
  }

  /** A run exists that has not ended and is not lost. */
  get isRunning(): boolean {
    return this.run !== undefined;
  }

  /** The run waits for a timer or a message, and has no activity in progress. */
  get isQuiet(): boolean {
    return this.run === undefined || (this.run.activities === 0 && this.run.handling === 0);
  }

  start<Input>(workflow: Workflow<Input>, input: Input): void {
    this.runs += 1;
    const run: Run = { conditions: new Set(), handlers: new Map(), handling: 0, activities: 0 };
    this.run = run;
    workflow(input).then(
      () => this.end(run),
      (error: unknown) => {
        this.end(run);
        if (error instanceof ContinuedAsNew) this.start(workflow, error.input as Input);
        else this.failure = error as Error;
      },
    );
  }

  /** The run is gone, as after the loss of Temporal's store. Activities that a worker executes just now take effect. */
  lose(): void {
    this.run?.conditions.clear();
    if (this.run) this.run.lostMs = this.nowMs;
    this.run = undefined;
  }

  signal(name: string, ...args: unknown[]): void {
    this.run?.handlers.get(name)?.handle(...args);
  }

  async update<T>(name: string, ...args: unknown[]): Promise<UpdateAnswer<T>> {
    const { run } = this;
    const handler = run?.handlers.get(name);
    if (!run || !handler) return { lost: true };
    try {
      handler.validator?.(...args);
    } catch (error) {
      return { refused: (error as Error).message };
    }
    run.handling += 1;
    const result = (await handler.handle(...args)) as T;
    run.handling -= 1;
    return { result };
  }

  /** Calls `act` at a time. */
  at(atMs: number, act: () => void): void {
    const index = this.tasks.findIndex((task) => task.atMs > atMs);
    this.tasks.splice(index < 0 ? this.tasks.length : index, 0, { atMs, act });
  }

  /** Lets time pass until `endMs`, or until `isOver`. Throws what the workflow's code has thrown. */
  async passTime(endMs: number, isOver: () => boolean): Promise<void> {
    for (;;) {
      await this.settle();
      if (this.failure !== undefined) throw this.failure;
      const [next] = this.tasks;
      if (isOver() || !next || next.atMs > endMs) return;
      this.tasks.shift();
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.act();
    }
  }

  /** Runs the workflow's code until it waits for time or a message. */
  private async settle(): Promise<void> {
    do await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.wakeConditions());
  }

  private wakeConditions(): boolean {
    const { run } = this;
    if (!run) return false;
    for (const condition of run.conditions)
      if (condition.check()) {
        run.conditions.delete(condition);
        condition.resolve(true);
        return true;
      }
    return false;
  }

  private end(run: Run): void {
    if (this.run === run) this.run = undefined;
  }

  /** The run of the code that is calling now. The code of a lost run is never called. */
  private get caller(): Run {
    if (!this.run) throw new Error('code of a lost run was called');
    return this.run;
  }

  waitFor(check: () => boolean, timeoutMs?: number): Promise<boolean> {
    if (check()) return Promise.resolve(true);
    const { conditions } = this.caller;
    return new Promise((resolve) => {
      const condition = { check, resolve };
      conditions.add(condition);
      if (timeoutMs !== undefined)
        this.at(this.nowMs + timeoutMs, () => {
          if (conditions.delete(condition)) resolve(false);
        });
    });
  }

  handle(name: string, handler: Handler): void {
    this.caller.handlers.set(name, handler);
  }

  haveHandlersFinished(): boolean {
    return this.caller.handling === 0;
  }

  execute(name: string, args: unknown[], isLocal: boolean): Promise<unknown> {
    const run = this.caller;
    run.activities += 1;
    return new Promise((resolve, reject) => this.attempt({ name, args, isLocal, run, resolve, reject }, 1));
  }

  private attempt(call: ActivityCall, tryNo: number): void {
    const { delayMs, isRepeated } = this.world.faultOf(call.isLocal, this.nowMs);
    this.at(this.nowMs + delayMs, () => {
      const { name, args, run, resolve, reject } = call;
      if (run.lostMs !== undefined && this.nowMs > run.lostMs + executionMs) return;
      try {
        const result = this.world.execute(name, args, tryNo);
        if (isRepeated && tryNo < 3) return this.attempt(call, tryNo + 1);
        run.activities -= 1;
        if (this.run === run) resolve(result);
      } catch (error) {
        run.activities -= 1;
        if (this.run === run) reject(error as Error);
      }
    });
  }
}

/** The longest time that a worker executes an activity. */
const executionMs = 60_000;

interface ActivityCall {
  name: string;
  args: unknown[];
  isLocal: boolean;
  run: Run;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}
