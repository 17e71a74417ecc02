import {
  ContinuedAsNew,
  handle,
  isUpdate,
  refusedBy,
  settle,
  SimulatedRun,
  type ActivityOutcome,
  type Code,
  type Delivery,
  type Handler,
  type Update,
  type UpdateAnswer,
} from './simulatedRun';

/**
 * Temporal in this process and without a server, for one workflow at a time: a clock that jumps to the next timer, and
 * activities that take time, wait for outages and can run twice. A worker can lose a workflow task after its local
 * activities had their effect. `workflowModule.ts` gives it to the workflow's code.
 */

/** How an activity behaves in one call. */
export interface ActivityFault {
  /** The time until its effect. */
  delayMs: number;
  /** The worker dies right after the effect, so the activity runs again. */
  isRepeated: boolean;
  /** A local activity only: the worker loses the task, and another one repeats it. The effect can come before or after that. */
  isTaskLost?: boolean;
}

export interface World {
  startMs: number;
  /** Executes an activity. `tryNo` counts the executions of one call from 1. */
  execute: (name: string, args: unknown[], tryNo: number) => unknown;
  faultOf: (isLocal: boolean, nowMs: number) => ActivityFault;
  /** A task was just lost. */
  onTaskLost: () => void;
  /** Whether the server loses an update together with the task. Otherwise the next worker gets it. */
  isUpdateLost: () => boolean;
}

export type Workflow<Input> = (input: Input) => Promise<unknown>;

interface Task {
  atMs: number;
  act: () => void | Promise<void>;
}

/** The time after which the server gives a task to another worker. */
const taskTimeoutMs = 10_000;

export class SimulatedTemporal {
  nowMs: number;
  /** The number of runs that have started. */
  runs = 0;
  /** The number of tasks that were lost. */
  lostTasks = 0;
  private turn = 0;
  private readonly tasks: Task[] = [];
  private run: SimulatedRun | undefined;
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
    const { run } = this;
    return run === undefined || (!run.isDown && run.code.calls.size === 0 && run.code.handling === 0);
  }

  start<Input>(workflow: Workflow<Input>, input: Input): void {
    this.runs += 1;
    const run = new SimulatedRun();
    this.run = run;
    const begin = (code: Code) => {
      const isCurrent = () => run.code === code;
      workflow(structuredClone(input)).then(
        () => isCurrent() && this.end(run),
        (error: unknown) => {
          if (!isCurrent()) return;
          this.end(run);
          if (error instanceof ContinuedAsNew) this.start(workflow, error.input as Input);
          else this.failure = error as Error;
        },
      );
    };
    this.deliver(run, { kind: 'event', deliver: begin });
  }

  /** The run is gone, as after the loss of Temporal's store. Activities that a worker executes just now take effect. */
  lose(): void {
    if (this.run) this.run.lostMs = this.nowMs;
    this.run = undefined;
  }

  signal(name: string, ...args: unknown[]): void {
    const deliver = ({ handlers }: Code) => handlers.get(name)?.handle(...structuredClone(args));
    if (this.run) this.deliver(this.run, { kind: 'event', deliver });
  }

  update<T>(name: string, ...args: unknown[]): Promise<UpdateAnswer<T>> {
    return new Promise((resolve) => {
      const update: Update = { name, args, answer: (answer) => resolve(answer as UpdateAnswer<T>) };
      if (!this.run) resolve({ lost: true });
      else if (this.run.isDown) this.run.waiting.push(update);
      else this.accept(this.run, update);
    });
  }

  private accept(run: SimulatedRun, update: Update): void {
    const handler = run.code.handlers.get(update.name);
    if (!handler) return update.answer({ lost: true });
    run.updates.push(update);
    try {
      handler.validator?.(...update.args);
    } catch (error) {
      run.answers.set(update, refusedBy(error));
      return;
    }
    this.deliver(run, { kind: 'update', deliver: (code) => handle(run, code, update) });
  }

  /** Calls `act` at a time. */
  at(atMs: number, act: Task['act']): void {
    const index = this.tasks.findIndex((task) => task.atMs > atMs);
    this.tasks.splice(index < 0 ? this.tasks.length : index, 0, { atMs, act });
  }

  /** Lets time pass until `endMs`, or until `isOver`. Throws what the workflow's code has thrown. */
  async passTime(endMs: number, isOver: () => boolean): Promise<void> {
    for (;;) {
      // A client that gets an answer acts at once.
      do await this.settle();
      while (this.run?.completeTask());
      if (this.failure !== undefined) throw this.failure;
      const [next] = this.tasks;
      if (isOver() || !next || next.atMs > endMs) return;
      this.tasks.shift();
      this.nowMs = Math.max(this.nowMs, next.atMs);
      this.turn += 1;
      await next.act();
    }
  }

  /** Runs the workflow's code until it waits for time or a message. */
  private async settle(): Promise<void> {
    do await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.wakeConditions());
  }

  /** Conditions are checked only when the code has received something, as in a task. */
  private wakeConditions(): boolean {
    const { run } = this;
    if (!run?.hasNews) return false;
    for (const condition of run.code.conditions)
      if (condition.check()) {
        run.code.conditions.delete(condition);
        condition.resolve(true);
        return true;
      }
    run.hasNews = false;
    return false;
  }

  private end(run: SimulatedRun): void {
    run.completeTask();
    if (this.run === run) this.run = undefined;
  }

  private deliver(run: SimulatedRun, delivery: Delivery): void {
    if (run.isDown) {
      run.waiting.push(delivery);
      return;
    }
    run.received.push({ ...delivery, atMs: this.nowMs, turn: this.turn });
    run.hasNews = true;
    delivery.deliver(run.code);
  }

  private loseTask(run: SimulatedRun): void {
    if (this.run !== run || run.isDown) return;
    this.lostTasks += 1;
    run.loseTask(() => this.world.isUpdateLost());
    this.at(this.nowMs + taskTimeoutMs, () => this.repeatTask(run));
    this.world.onTaskLost();
  }

  /** Another worker gets the task. Its code has the state of the last complete task, and receives what came since then. */
  private async repeatTask(run: SimulatedRun): Promise<void> {
    if (this.run !== run) return;
    const { nowMs } = this;
    run.isReplaying = true;
    run.isDown = false;
    for (const turn of run.turns) {
      this.nowMs = turn[0]?.atMs ?? nowMs;
      for (const { deliver } of turn) deliver(run.code);
      run.hasNews = true;
      await this.settle();
    }
    if (run.code.commands !== run.begun.length) throw new Error('the code has taken other steps than before');
    run.isReplaying = false;
    run.answers.clear();
    this.nowMs = nowMs;
    for (const arrived of run.waiting.splice(0))
      if (isUpdate(arrived)) this.accept(run, arrived);
      else this.deliver(run, arrived);
  }

  /** The run of the code that is calling now. The code of a lost run is never called. */
  private get caller(): SimulatedRun {
    if (!this.run) throw new Error('code of a lost run was called');
    return this.run;
  }

  waitFor(check: () => boolean, timeoutMs?: number): Promise<boolean> {
    if (check()) return Promise.resolve(true);
    const run = this.caller;
    return new Promise((resolve) => {
      const condition = { check, resolve };
      run.code.conditions.add(condition);
      if (timeoutMs === undefined) return;
      const { command, token } = run.begin();
      run.code.timers.set(command, condition);
      if (token) this.at(this.nowMs + timeoutMs, () => this.fire(run, command, token));
    });
  }

  private fire(run: SimulatedRun, command: number, token: object): void {
    if (this.run !== run || !run.knows(command, token)) return;
    const deliver = ({ timers, conditions }: Code) => {
      const condition = timers.get(command);
      timers.delete(command);
      if (condition && conditions.delete(condition)) condition.resolve(false);
    };
    this.deliver(run, { kind: 'event', command, deliver });
  }

  handle(name: string, handler: Handler): void {
    this.caller.code.handlers.set(name, handler);
  }

  haveHandlersFinished(): boolean {
    return this.caller.code.handling === 0;
  }

  execute(name: string, args: unknown[], isLocal: boolean): Promise<unknown> {
    const run = this.caller;
    const { command, token } = run.begin();
    return new Promise((resolve, reject) => {
      run.code.calls.set(command, { isLocal, resolve, reject });
      if (token) this.attempt({ name, args, isLocal, run, command, token }, 1);
    });
  }

  private attempt(call: ActivityCall, tryNo: number): void {
    const { name, args, run, command, token, isLocal } = call;
    const { delayMs, isRepeated, isTaskLost } = this.world.faultOf(isLocal, this.nowMs);
    if (isTaskLost) this.at(this.nowMs, () => this.loseTask(run));
    this.at(this.nowMs + delayMs, () => {
      if (run.lostMs !== undefined && this.nowMs > run.lostMs + executionMs) return;
      // A worker that has lost its task does not know it, and finishes its local activity.
      if (!isTaskLost && !run.knows(command, token)) return;
      const outcome = this.outcomeOf(name, args, tryNo);
      if (isRepeated && 'result' in outcome && tryNo < 3) return this.attempt(call, tryNo + 1);
      if (this.run !== run || !run.knows(command, token)) return;
      const deliver = (code: Code) => settle(code, command, outcome);
      this.deliver(run, { kind: isLocal ? 'local' : 'event', command, deliver });
    });
  }

  private outcomeOf(name: string, args: unknown[], tryNo: number): ActivityOutcome {
    try {
      return { result: structuredClone(this.world.execute(name, structuredClone(args), tryNo)) };
    } catch (error) {
      return { error: error as Error };
    }
  }
}

/** The longest time that a worker executes an activity. */
export const executionMs = 60_000;

interface ActivityCall {
  name: string;
  args: unknown[];
  isLocal: boolean;
  run: SimulatedRun;
  command: number;
  token: object;
}
