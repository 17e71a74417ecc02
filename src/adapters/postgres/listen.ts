import pg from 'pg';
import { config } from '../../config';
import { logger } from '../logger';

type Handler = (payload: string) => void;

const retryMs = 500;

/**
 * LISTEN on one connection of its own, opened again when it breaks. What was notified meanwhile is lost: whoever listens
 * polls as well, and is told by `onReconnect`.
 */
export class Listener {
  private readonly handlers = new Map<string, Handler[]>();
  private readonly reconnected: (() => void)[] = [];
  private client: pg.Client | undefined;
  private stopped = false;

  on(channel: string, handler: Handler): void {
    this.handlers.set(channel, [...(this.handlers.get(channel) ?? []), handler]);
  }

  onReconnect(handler: () => void): void {
    this.reconnected.push(handler);
  }

  async start(): Promise<void> {
    const client = new pg.Client({ connectionString: config.DATABASE_URL, keepAlive: true });
    client.on('notification', ({ channel, payload }) => {
      for (const handler of this.handlers.get(channel) ?? []) handler(payload ?? '');
    });
    client.on('error', (error) => logger.warn({ reason: error.message }, 'the listening connection broke'));
    this.client = client;
    await client.connect();
    client.on('end', () => this.retry());
    for (const channel of this.handlers.keys()) await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.client?.end();
  }

  private retry(): void {
    if (this.stopped) return;
    setTimeout(() => {
      if (this.stopped) return;
      this.start().then(
        () => this.reconnected.forEach((handler) => handler()),
        () => this.retry(),
      );
    }, retryMs).unref();
  }
}
