import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';

interface AnyStatement {
  name?: string;
  text?: string;
}

/** What a new connection sends at its start, and the merchant of the fence, which needs no round trip of its own. */
const ofConnections = /^(SET|SHOW|SELECT typname|WITH ranges)\b/;

/**
 * The statements that `work` waits for, in their order: the name of a prepared statement, or the first words of another one.
 * Statements of other work that runs at the same time are not among them.
 */
export async function roundTripsOf(work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  const inWork = new AsyncLocalStorage<true>();
  const prototype = pg.Client.prototype as unknown as { query: (...values: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function watched(this: unknown, ...values: unknown[]) {
    const given = values[0] as string | AnyStatement;
    const { name, text = '' }: AnyStatement = typeof given === 'string' ? { text: given } : given;
    if (inWork.getStore() && !ofConnections.test(text)) sent.push(name ?? shortened(text));
    return query.apply(this, values);
  };
  try {
    await inWork.run(true, work);
  } finally {
    prototype.query = query;
  }
  return sent;
}

/** `UPDATE subscriptions`, `SELECT FROM subscriptions`, `COMMIT`. */
function shortened(text: string): string {
  const [verb = ''] = /^\w+/.exec(text) ?? [];
  const [, table] = /\b(?:FROM|UPDATE|INTO) "?(\w+)/.exec(text) ?? [];
  return table === undefined ? verb : `${verb} ${table}`;
}
