/**
 * One run of the workflow in the simulated Temporal. The state of its code follows from what the code has received, so a new
 * worker repeats the deliveries of the complete tasks and has the same state again.
 */

export type Handle = (...args: unknown[]) => unknown;

export interface Handler {
  handle: Handle;
  validator?: Handle | undefined;
}

export interface Condition {
  check: () => boolean;
  resolve: (isMet: boolean) => void;
}

interface Call {
  isLocal: boolean;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** The result or the error of an activity. */
export type ActivityOutcome = { result: unknown } | { error: Error };

/** The state of the code: what it waits for, and its handlers. */
export interface Code {
  conditions: Set<Condition>;
  /** The conditions with a time limit, by the number of their command. */
  timers: Map<number, Condition>;
  /** The activities in progress, by the number of their command. */
  calls: Map<number, Call>;
  handlers: Map<string, Handler>;
  /** The number of update handlers in progress. */
  handling: number;
  /** The number of timers and activities that the code has begun. */
  commands: number;
}

/** Something that the code receives: its start, a signal, an update, the end of a timer or the outcome of an activity. */
export interface Delivery {
  kind: 'event' | 'local' | 'update';
  /** The command that it answers. */
  command?: number;
  deliver: (code: Code) => void;
}

/** The update came to no answer: it was refused, or its run or its worker was lost, or the run has ended. */
export type UpdateAnswer<T> = { result: T } | { refused: string; details: readonly unknown[] } | { lost: true };

export interface Update {
  name: string;
  args: unknown[];
  answer: (answer: UpdateAnswer<unknown>) => void;
}

/** A delivery of a complete task, or of the task in progress, with the time and the turn in which it came. */
export interface Received extends Delivery {
  atMs: number;
  turn: number;
}

/** A run that ends with this continues as a new run with the input. */
export class ContinuedAsNew extends Error {
  constructor(readonly input: unknown) {
    super('continued as new');
  }
}

export class SimulatedRun {
  code = newCode();
  readonly received: Received[] = [];
  /** What arrives while no worker has the run. */
  waiting: (Delivery | Update)[] = [];
  /** The updates of the task in progress. */
  updates: Update[] = [];
  /** The answers that the task in progress gives. A client gets them when the task is complete. */
  readonly answers = new Map<Update, UpdateAnswer<unknown>>();
  /** The timers and activities that were begun, by the number of their command. */
  readonly begun: object[] = [];
  hasNews = false;
  isReplaying = false;
  /** Its task was lost, and no worker has repeated it yet. */
  isDown = false;
  lostMs?: number;
  private complete = { received: 0, commands: 0 };

  /** A task is complete as soon as its code waits for no local activity. Returns whether a client has got an answer. */
  completeTask(): boolean {
    if (this.isDown || [...this.code.calls.values()].some(({ isLocal }) => isLocal)) return false;
    this.complete = { received: this.received.length, commands: this.code.commands };
    this.updates = [];
    const answers = [...this.answers];
    this.answers.clear();
    for (const [update, answer] of answers) update.answer(answer);
    return answers.length > 0;
  }

  /** The worker is gone with its task. Signals and the ends of earlier timers and activities stay in the history. */
  loseTask(isUpdateLost: () => boolean): void {
    const { received, commands } = this.complete;
    const events = this.received
      .splice(received)
      .filter(({ kind, command = -1 }) => kind === 'event' && command < commands);
    const updates = this.updates.filter((update) => {
      const isLost = isUpdateLost();
      if (isLost) update.answer({ lost: true });
      return !isLost;
    });
    this.waiting.push(...events, ...updates);
    this.updates = [];
    this.answers.clear();
    this.begun.length = commands;
    this.code = newCode();
    this.isDown = true;
  }

  /** The deliveries of the complete tasks, by the turn in which they came. */
  get turns(): Received[][] {
    return [...Map.groupBy(this.received, ({ turn }) => turn).values()];
  }

  /** Begins a timer or an activity, and returns its number. Undefined `token`: it was begun before the replay. */
  begin(): { command: number; token?: object } {
    const command = this.code.commands;
    this.code.commands += 1;
    if (this.isReplaying) return { command };
    const token = {};
    this.begun[command] = token;
    return { command, token };
  }

  /** Whether the code still knows the timer or the activity: those of a lost task were never begun for the server. */
  knows(command: number, token: object): boolean {
    return this.begun[command] === token;
  }
}

function newCode(): Code {
  return {
    conditions: new Set(),
    timers: new Map(),
    calls: new Map(),
    handlers: new Map(),
    handling: 0,
    commands: 0,
  };
}

export const isUpdate = (arrived: Delivery | Update): arrived is Update => 'answer' in arrived;

/** The failure of a validator or a handler, as the sender of the update gets it. */
export function refusedBy(error: unknown): UpdateAnswer<never> {
  const { message, details = [] } = error as Error & { details?: unknown[] };
  return { refused: message, details };
}

/** Calls the handler of an accepted update. */
export function handle(run: SimulatedRun, code: Code, update: Update): void {
  code.handling += 1;
  const result = code.handlers.get(update.name)?.handle(...structuredClone(update.args)) as Promise<unknown>;
  const answer = (given: UpdateAnswer<unknown>): void => {
    code.handling -= 1;
    if (run.code === code) run.answers.set(update, given);
  };
  void result.then(
    (value) => answer({ result: value }),
    (error: unknown) => answer(refusedBy(error)),
  );
}

/** Ends an activity. */
export function settle({ calls }: Code, command: number, outcome: ActivityOutcome): void {
  const call = calls.get(command);
  calls.delete(command);
  if ('result' in outcome) call?.resolve(structuredClone(outcome.result));
  else call?.reject(outcome.error);
}
