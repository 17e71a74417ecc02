import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../support/client';
import { createConsumer, createFee, createItem, createMerchant, type Person, purchase } from '../support/factories';
import { createWebhook } from '../support/webhooks';
import { type Entry } from '../simulation/history';
import { Listener } from '../simulation/listener';

const consumers = 40;
const checkEveryMs = 100;
const buyEveryMs = 500;
const answerWithinMs = 10_000;
const repeatAfterMs = 500;

/** A request. Times are those of `performance.now()`. */
export interface Attempt {
  sentAt: number;
  endedAt: number;
  /** `ok`, a status such as `503`, or `no answer`. */
  result: string;
}

export interface Purchase {
  sentAt: number;
  /** The same request is sent until it is accepted. */
  attempts: Attempt[];
  /** When the event about the payment arrived. */
  openedAt?: number;
}

export interface Shop {
  merchant: Person;
  people: Person[];
  itemId: number;
  feeId: number;
}

/** A merchant who receives webhooks, and consumers. The first one also checks the access. */
export async function openShop(address: string, webhookUrl: string): Promise<Shop> {
  const app = { address };
  const merchant = await createMerchant(app);
  await createWebhook(app, merchant, { url: webhookUrl });
  const { id: itemId } = await createItem(app, merchant);
  const dayPass = { access_type: 'ppv', quantity: 2, period: 'day', amount: '4.50', description: 'Two days' };
  const { id: feeId } = await createFee(app, merchant, itemId, dayPass);
  const people: Person[] = [];
  for (let number = 0; number < consumers; number += 1) people.push(await createConsumer(app, merchant));
  return { merchant, people, itemId, feeId };
}

/** Consumers at one API: they check their access and buy at a steady rate, and hear on a WebSocket that a payment is through. */
export class Clients {
  readonly checks: Attempt[] = [];
  readonly purchases: Purchase[] = [];
  /** Two purchases of a consumer at the same time are one. */
  private readonly byToken = new Map<string, Purchase[]>();
  private readonly heard = new Map<string, number>();
  private readonly listener: Listener;
  private readonly timers: NodeJS.Timeout[];
  private isOver = false;

  constructor(
    private readonly address: string,
    private readonly shop: Shop,
  ) {
    const { merchant } = shop;
    const world = { addresses: [address], history: { add: this.hear } };
    const audience = { actor: 'merchant', token: merchant.token, merchantUuid: merchant.uuid };
    this.listener = new Listener(world, audience);
    this.timers = [setInterval(() => void this.check(), checkEveryMs), setInterval(() => void this.buy(), buyEveryMs)];
  }

  /** The purchases whose event has not arrived. */
  waiting(): Purchase[] {
    return this.purchases.filter(({ openedAt }) => openedAt === undefined);
  }

  /** Sends nothing new. */
  rest(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  stop(): void {
    this.rest();
    this.isOver = true;
    this.listener.stop();
  }

  private readonly hear = (entry: Entry): void => {
    if (entry.kind !== 'heard' || entry.type !== 'payment.card.success' || entry.subject === undefined) return;
    const at = performance.now();
    this.heard.set(entry.subject, at);
    for (const bought of this.byToken.get(entry.subject) ?? []) bought.openedAt ??= at;
  };

  private async check(): Promise<void> {
    const [viewer] = this.shop.people;
    const { attempt } = await this.send('GET', `/items/${this.shop.itemId}/access`, viewer);
    this.checks.push(attempt);
  }

  private async buy(): Promise<void> {
    const bought: Purchase = { sentAt: performance.now(), attempts: [] };
    const buyer = this.shop.people[(this.purchases.push(bought) - 1) % consumers];
    const body = purchase({ fee: { id: this.shop.feeId } });
    const key = randomUUID();
    while (!this.isOver) {
      const { attempt, transaction } = await this.send('POST', '/payments', buyer, { body, key });
      bought.attempts.push(attempt);
      if (attempt.result === 'ok') {
        this.byToken.set(transaction, [...(this.byToken.get(transaction) ?? []), bought]);
        const heardAt = this.heard.get(transaction);
        if (heardAt !== undefined) bought.openedAt = heardAt;
        return;
      }
      await sleep(repeatAfterMs);
    }
  }

  private async send(
    method: 'GET' | 'POST',
    path: string,
    person: Person | undefined,
    { body, key }: { body?: Record<string, unknown>; key?: string } = {},
  ): Promise<{ attempt: Attempt; transaction: string }> {
    const sentAt = performance.now();
    const done = (result: string, transaction = '') => ({
      attempt: { sentAt, endedAt: performance.now(), result },
      transaction,
    });
    try {
      const reply = await call<{ transaction?: string }>({ address: this.address }, method, path, body, {
        token: person?.token ?? '',
        ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
        signal: AbortSignal.timeout(answerWithinMs),
      });
      return done(reply.status < 300 ? 'ok' : String(reply.status), reply.body.transaction);
    } catch {
      return done('no answer');
    }
  }
}
