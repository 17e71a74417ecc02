import pg from 'pg';
import { config } from '../../config';
import { AppError } from '../../kit/errors';
import { logger } from '../logger';

const answerWithinMs = 5_000;

/**
 * Locks the Idempotency-Keys of running requests, across all replicas. The locks of a process are on one connection that
 * its requests share. They end with the process or the connection, never by a timer.
 */
export class KeyLocks {
  private connecting: Promise<pg.Client> | undefined;
  /** The locks of this process. PostgreSQL would let the same session take a lock twice. */
  private readonly held = new Set<string>();
  /** A connection runs one statement at a time, so each waits for the one before. */
  private lastStatement: Promise<unknown> = Promise.resolve();

  /** Takes a lock and returns the function that frees it; undefined while another request holds the lock. */
  async take(lock: bigint): Promise<(() => Promise<void>) | undefined> {
    const name = String(lock);
    if (this.held.has(name)) return undefined;
    this.held.add(name);
    const client = await this.lockOn(name).catch((error: unknown) => {
      this.held.delete(name);
      throw error;
    });
    if (client) return () => this.free(client, name);
    this.held.delete(name);
    return undefined;
  }

  async close(): Promise<void> {
    const client = await this.connecting?.catch(() => undefined);
    this.connecting = undefined;
    await client?.end();
  }

  private async lockOn(name: string): Promise<pg.Client | undefined> {
    const connecting = (this.connecting ??= this.open());
    try {
      const client = await connecting;
      const text = 'SELECT pg_try_advisory_lock($1) AS is_taken';
      const { rows } = await this.query<{ is_taken: boolean }>(client, { name: 'key_lock', text, values: [name] });
      return rows[0]?.is_taken === true ? client : undefined;
    } catch (error) {
      this.drop(connecting);
      logger.warn({ reason: (error as Error).message }, 'the connection of the Idempotency-Key locks broke');
      throw new AppError('service_unavailable', { retryAfterSeconds: 2 });
    }
  }

  /** If the lock cannot be freed, the connection is closed, which frees all its locks. */
  private async free(client: pg.Client, name: string): Promise<void> {
    this.held.delete(name);
    const text = 'SELECT pg_advisory_unlock($1)';
    const unlock = { name: 'key_unlock', text, values: [name] };
    await this.query(client, unlock).catch(() => client.end().catch(() => undefined));
  }

  private query<Row extends pg.QueryResultRow>(client: pg.Client, statement: pg.QueryConfig) {
    const result = this.lastStatement.then(() => client.query<Row>(statement));
    this.lastStatement = result.catch(() => undefined);
    return result;
  }

  private open(): Promise<pg.Client> {
    const connecting = this.connect(() => this.drop(connecting));
    return connecting;
  }

  private async connect(onEnd: () => void): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: config.DATABASE_DIRECT_URL,
      keepAlive: true,
      connectionTimeoutMillis: answerWithinMs,
      query_timeout: answerWithinMs,
    });
    client.on('error', (error) =>
      logger.warn({ reason: error.message }, 'the connection of the Idempotency-Key locks broke'),
    );
    client.on('end', onEnd);
    await client.connect();
    return client;
  }

  private drop(connecting: Promise<pg.Client> | undefined): void {
    if (this.connecting !== connecting) return;
    this.connecting = undefined;
    void connecting?.then((client) => client.end()).catch(() => undefined);
  }
}
