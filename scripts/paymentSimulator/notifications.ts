import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sandboxSignatureHeader, signNotification } from '../../src/adapters/cardProviders/sandboxSignatures';
import { type WireNotification } from '../../src/adapters/cardProviders/sandboxWire';
import { timeNow, type Books } from './books';
import { Refusal } from './refusal';

const NotificationRow = z.object({ id: z.string(), content: z.string() });

/** The waits before a notification that was not received is sent again. After the last one it is given up. */
const waitsMs = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000];

const timeoutMs = 10_000;

/** What the provider reports to the service of one account. Without an address, notifications are only stored. */
export class Notifications {
  /** The address of the service. Undefined: nothing is sent. */
  address: string | undefined;
  /** The key of the account signs each notification. */
  key = '';
  private readonly timers = new Set<NodeJS.Timeout>();
  private isClosed = false;

  constructor(private readonly books: Books) {}

  publish(content: Omit<WireNotification, 'id'>): void {
    const notification: WireNotification = { id: `evt_${randomBytes(16).toString('hex')}`, ...content };
    const values = [notification.id, JSON.stringify(notification)];
    this.books.query('INSERT INTO notifications (id, content) VALUES ($1, $2)', values);
    if (this.address !== undefined) this.begin(notification.id, 0);
  }

  /** Sends what was not received before a restart. */
  resume(): void {
    if (this.address === undefined) return;
    for (const { id } of this.list('delivered_at IS NULL')) this.begin(id, 0);
  }

  /** The bodies and their ids, oldest first. */
  list(condition = 'true') {
    const text = `SELECT id, content FROM notifications WHERE ${condition} ORDER BY rowid`;
    return this.books.query(text).map((row) => NotificationRow.parse(row));
  }

  sign(body: string): string {
    return signNotification(this.key, body, new Date());
  }

  /** Sends a notification now, even if it was received before. Returns the status of the answer. */
  async deliver(id: string): Promise<number> {
    const [row] = this.books.query('SELECT id, content FROM notifications WHERE id = $1', [id]);
    if (!row || this.address === undefined)
      throw new Refusal(404, 'unknown_notification', 'There is no such notification, or no address to send it to.');
    const { content: body } = NotificationRow.parse(row);
    const headers = { 'Content-Type': 'application/json', [sandboxSignatureHeader]: this.sign(body) };
    const signal = AbortSignal.timeout(timeoutMs);
    const { status, ok } = await fetch(this.address, { method: 'POST', headers, body, signal });
    const values = [id, timeNow()];
    if (ok && !this.isClosed) this.books.query('UPDATE notifications SET delivered_at = $2 WHERE id = $1', values);
    return status;
  }

  close(): void {
    this.isClosed = true;
    for (const timer of this.timers) clearTimeout(timer);
  }

  private begin(id: string, attempt: number): void {
    const isReceived = this.deliver(id).then(
      (status) => status < 300,
      () => false,
    );
    void isReceived.then((received) => {
      const waitMs = waitsMs[attempt];
      if (!received && waitMs !== undefined && !this.isClosed) this.repeat(id, attempt + 1, waitMs);
    });
  }

  private repeat(id: string, attempt: number, waitMs: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.begin(id, attempt);
    }, waitMs);
    this.timers.add(timer.unref());
  }
}
