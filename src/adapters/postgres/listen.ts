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
 * LISTEN on one connection of its own, opened again when it breaks. What was notified meanwhile is lost: whoever listens
 * is told by `onConnect`. A connection that looks whole may be deaf, behind a pooler or a cut wire, so the listener sends
 * itself a word each second, by another connection: PostgreSQL delivers in the order of commits, so to hear it is to have
 * heard all that was committed before it was sent.
 */
export class Listener {
  private readonly handlers = new Map<string, Handler[]>();
  private readonly connected: (() => void)[] = [];
  private readonly heard: ((sentAtMs: number) => void)[] = [];
  private client: pg.Client | undefined;
  /** Of the connection that listens, so that no word to an earlier one is taken for its own; undefined while it is away. */
  private name: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor() {
    this.on(beats, (beat) => {
      const [name, sentAtMs] = beat.split(' ');
      if (name === this.name) this.heard.forEach((handler) => handler(Number(sentAtMs)));
    });
  }

  on(channel: string, handler: Handler): void {
    this.handlers.set(channel, [...(this.handlers.get(channel) ?? []), handler]);
  }

  /** After each connection, the first too: what was notified before it was not heard. */
  onConnect(handler: () => void): void {
    this.connected.push(handler);
  }

  /** Time and again: all that was committed until then (Unix milliseconds), since the connection, has been heard. */
  onHeard(handler: (sentAtMs: number) => void): void {
    this.heard.push(handler);
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
    const client = new pg.Client({ connectionString: config.DATABASE_URL, keepAlive: true });
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
    // One that does not get through is not heard, which says enough.
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
