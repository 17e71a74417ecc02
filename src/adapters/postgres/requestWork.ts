import { AsyncLocalStorage } from 'node:async_hooks';
import { type ClientBase } from 'pg';
import { type Transaction } from 'sequelize';

type Unit<T> = (inTransaction: Transaction) => Promise<T>;

/**
 * The writes of a request with an Idempotency-Key: one transaction, which also holds the key and the answer. It begins with
 * the first write, so that earlier reads and calls to providers hold no transaction. Each unit of work is atomic, like a
 * transaction of its own. Actions that must follow the commit wait for it.
 */
export class RequestWork {
  private transaction: Transaction | undefined;
  /** The error after which nothing can be committed. */
  private failure: { error: unknown } | undefined;
  private turn: Promise<unknown> = Promise.resolve();
  private readonly afterwards: (() => Promise<void>)[] = [];

  /** `begin` opens the transaction and writes the key. */
  constructor(private readonly begin: () => Promise<Transaction>) {}

  get open(): Transaction | undefined {
    return this.transaction;
  }

  /** Runs units one after the other, since they share a connection. A unit inside another one is part of it. */
  unit<T>(work: Unit<T>): Promise<T> {
    if (storage.getStore()?.isInUnit && this.transaction) return work(this.transaction);
    const run = this.turn.then(() => this.runUnit(work));
    this.turn = run.catch(() => undefined);
    return run;
  }

  afterCommit(act: () => Promise<void>): void {
    this.afterwards.push(act);
  }

  async commit(): Promise<void> {
    const { transaction, failure } = this;
    if (failure) {
      await this.rollback();
      throw failure.error;
    }
    this.transaction = undefined;
    await transaction?.commit();
  }

  /** A failed rollback is ignored: PostgreSQL rolls back when the connection ends. */
  async rollback(): Promise<void> {
    const { transaction } = this;
    this.transaction = undefined;
    await transaction?.rollback().catch(() => undefined);
  }

  async runAfterwards(): Promise<void> {
    for (const act of this.afterwards.splice(0)) await apart(act);
  }

  private async runUnit<T>(work: Unit<T>): Promise<T> {
    if (this.failure) throw this.failure.error;
    const isFirst = this.transaction === undefined;
    const transaction = (this.transaction ??= await this.begin());
    if (!isFirst) await connectionOf(transaction).query('SAVEPOINT unit');
    try {
      return await storage.run({ ...storage.getStore(), work: this, isInUnit: true }, () => work(transaction));
    } catch (error) {
      if (isFirst) await this.rollback();
      else await this.undo(transaction);
      throw error;
    }
  }

  /** Undoes one unit. If that fails, the whole transaction has failed. */
  private async undo(transaction: Transaction): Promise<void> {
    try {
      await connectionOf(transaction).query('ROLLBACK TO SAVEPOINT unit');
    } catch (error) {
      this.failure = { error };
    }
  }
}

interface RequestContext {
  work?: RequestWork;
  isInUnit?: boolean;
  /** The merchant whose rows the request may see (`fence.ts`). */
  merchantId?: number;
}

const storage = new AsyncLocalStorage<RequestContext | undefined>();

/** The work of the current request; undefined if the request has no Idempotency-Key. */
export const requestWork = (): RequestWork | undefined => storage.getStore()?.work;

/** The open transaction of the current request's work, if there is one. */
export const openTransaction = (): Transaction | undefined => storage.getStore()?.work?.open;

export const isInUnit = (): boolean => storage.getStore()?.isInUnit === true;

export function onBehalfOf<T>(work: RequestWork, run: () => Promise<T>): Promise<T> {
  return storage.run({ ...storage.getStore(), work, isInUnit: false }, run);
}

/** Statements of the run see the rows of this merchant only (`fence.ts`). */
export function withinMerchant<T>(merchantId: number, run: () => T): T {
  return storage.run({ ...storage.getStore(), merchantId }, run);
}

/**
 * Statements of the run see the rows of all merchants: for a request about accounts that are merchants of their own. A
 * transaction that is open already keeps its merchant.
 */
export function acrossMerchants<T>(run: () => T): T {
  const { work, isInUnit } = storage.getStore() ?? {};
  return storage.run({ ...(work && { work, isInUnit: isInUnit === true }) }, run);
}

/**
 * Returns a function that always runs in the present context. It is a plain closure, because an AsyncResource for each statement
 * keeps results in memory for longer.
 */
export function inThisContext<Args extends unknown[]>(act: (...args: Args) => void): (...args: Args) => void {
  const context = storage.getStore();
  return (...args) => storage.run(context, act, ...args);
}

/** The merchant of the current request; undefined for work that is not for one merchant. */
export const currentMerchant = (): number | undefined => storage.getStore()?.merchantId;

/**
 * Runs outside the request's transaction, and for no merchant: for work that is shared by many requests, that must stay even
 * if the request fails, or that leaves the process.
 */
export function apart<T>(run: () => T): T {
  return storage.run(undefined, run);
}

/** Acts after the commit of the request's work, or now if there is nothing to commit. */
export async function afterCommit(act: () => Promise<void>): Promise<void> {
  const work = requestWork();
  if (work?.open) work.afterCommit(act);
  else await act();
}

/** Acts after the commit of the given transaction or of the request's, or now if there is none. */
export function onCommit(inTransaction: Transaction | undefined, act: () => void): void {
  const open = inTransaction ?? openTransaction();
  if (open) open.afterCommit(act);
  else act();
}

/** The `pg` client of a Sequelize transaction. No other query uses it until the transaction ends. */
export function connectionOf(inTransaction: Transaction): ClientBase {
  return (inTransaction as Transaction & { connection: ClientBase }).connection;
}
