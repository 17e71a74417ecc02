import { logger } from '../logger';
import { type StoreAnswer } from './store';

/** A store's answer. `at` is the store's own time. */
export interface RawAnswer {
  status: number;
  text: string;
  at: Date;
}

export async function askStore(url: string, timeoutMs: number, init: RequestInit = {}): Promise<RawAnswer> {
  const answer = await fetch(url, { redirect: 'error', ...init, signal: AbortSignal.timeout(timeoutMs) });
  const sentMs = Date.parse(answer.headers.get('date') ?? '');
  return { status: answer.status, text: await answer.text(), at: new Date(Number.isNaN(sentMs) ? Date.now() : sentMs) };
}

/** Turns an error into the answer that the store is unavailable. */
export async function answering(store: string, ask: () => Promise<StoreAnswer>): Promise<StoreAnswer> {
  try {
    return await ask();
  } catch (error) {
    // Only the name is logged: the address in the message contains the merchant's secret.
    logger.warn({ reason: error instanceof Error ? error.name : 'unknown' }, `${store} gave no answer`);
    return { outcome: 'unavailable' };
  }
}
