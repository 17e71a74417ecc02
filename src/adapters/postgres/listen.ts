import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { config } from '../../config';
import { logger } from '../logger';
import { pool } from './connection';

type Handler = (payload: string) => void;

const retryMs = 500;
const beatEveryMs = 1_000;
const beats = 'heartbeats';

/**
 * LISTEN on a connection of its own, which is opened again when it breaks. Notifications sent meanwhile are lost, so
 * `onConnect` tells the users of the listener to read the database. A connection can look open and receive nothing, behind
 * a pooler or after a network failure. So the listener sends itself a heartbeat each second by another connection.
 * PostgreSQL delivers notifications in the order of commits: a received heartbeat proves that all earlier ones arrived.
 */
export class Listener {
  private readonly handlers = new Map<string, Handler[]>();
  private readonly connected: (() => void)[] = [];
  private readonly heartbeatHandlers: ((sentAtMs: number) => void)[] = [];
  private client: pg.Client | undefined;
  /** The name of the current connection, which its heartbeats carry; undefined while there is none. */
  private name: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor() {
    this.on(beats, (beat) => {
      const [name, sentAtMs] = beat.split(' ');
      if (name === this.name) this.heartbeatHandlers.forEach((handler) => handler(Number(sentAtMs)));
    });
  }

  on(channel: string, handler: Handler): void {
    this.handlers.set(channel, [...(this.handlers.get(channel) ?? []), handler]);
  }

  /** Called after each connection, including the first one. Earlier notifications were not received. */
  onConnect(handler: () => void): void {
    this.connected.push(handler);
  }

  /** Called with a time in Unix milliseconds: all notifications between the connection and that time have arrived. */
  onHeard(handler: (sentAtMs: number) => void): void {
    this.heartbeatHandlers.push(handler);
  }

  async start(): Promise<void> {
    await this.connect();
    this.timer = setInterval(() => {
      if (this.name !== undefined) this.sendBeat(this.name);
    }, beatEveryMs).unref();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.client?.end();
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({ connectionString: config.DATABASE_DIRECT_URL, keepAlive: true });
    client.on('notification', ({ channel, payload }) => {
      for (const handler of this.handlers.get(channel) ?? []) handler(payload ?? '');
    });
    client.on('error', (error) => logger.warn({ reason: error.message }, 'the listening connection broke'));
    this.client = client;
    await client.connect();
    for (const channel of this.handlers.keys()) await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    client.on('end', () => this.retry());
    this.connected.forEach((handler) => handler());
    this.name = randomUUID();
    this.sendBeat(this.name);
  }

  private sendBeat(name: string): void {
    // A heartbeat that was not sent does not arrive either, so its error is ignored.
    pool.query('SELECT pg_notify($1, $2)', [beats, `${name} ${Date.now()}`]).catch(() => undefined);
  }

  private retry(): void {
    this.name = undefined;
    if (this.stopped) return;
    setTimeout(() => {
      if (!this.stopped) this.connect().catch(() => this.retry());
    }, retryMs).unref();
  }
}
