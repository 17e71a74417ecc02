import { call } from './client';
import { createConsumer, createFee, type Person, purchase, type Shop } from './factories';
import { type SubmittedPayment } from './payments';
import { type TestApp } from './startApp';
import { answerOf, type importStores, newOriginal } from './storeTold';

/** Sales besides subscriptions, whose steps are taken by hand: gifts and purchases in an app store. No worker runs. */

interface GiftSteps {
  chargeCycle: (input: { paymentId: number }) => Promise<{ outcome: string }>;
  completePayment: (paymentId: number) => Promise<unknown>;
  readGiftCode: (sealedCode: Buffer) => string;
}

export async function importGifts(): Promise<GiftSteps> {
  const { chargeCycle } = await import('../../src/subscriptions/charges/charges.js');
  const { completePayment } = await import('../../src/subscriptions/payments/paymentSteps.js');
  const { readGiftCode } = await import('../../src/vouchers/gifts.js');
  return { chargeCycle, completePayment, readGiftCode };
}

/** Ten days of access, sold once. */
export function createPass(app: TestApp, shop: Shop, price: { amount: string; currency: string }) {
  return createFee(app, shop.merchant, shop.item.id, { ...price, access_type: 'ppv', quantity: 10, period: 'day' });
}

/** One-time payments of a merchant, from the request to the outcome, as the workflow makes them. */
export class GiftLife {
  private readonly codes: string[] = [];
  /** The receiver of each code. */
  private readonly receivers: Person[] = [];

  constructor(
    private readonly app: TestApp,
    private readonly steps: GiftSteps,
    private readonly shop: Shop,
  ) {}

  /** The consumer of the shop buys access for somebody else, who gets the code. */
  async give(): Promise<void> {
    const receiver = await createConsumer(this.app, this.shop.merchant);
    const gift = { ...purchase(this.shop), is_gift: true, receiver_email: receiver.email };
    const token = await this.settle(gift, this.shop.consumer);
    const { rows } = await this.app.pool.query<{ sealed: Buffer }>(
      'SELECT sealed_code AS sealed FROM gift_vouchers WHERE payment_token = $1',
      [token],
    );
    const [gifted] = rows;
    if (!gifted) throw new Error(`no gift was created: ${token}`);
    this.codes.push(this.steps.readGiftCode(gifted.sealed));
    this.receivers.push(receiver);
  }

  /** One of the codes is entered. It may have been used, or its gift refunded or disputed. */
  async redeem(pick: number): Promise<void> {
    const place = pick % Math.max(1, this.codes.length);
    const [code, receiver] = [this.codes[place], this.receivers[place]];
    if (code === undefined || !receiver) return;
    await this.settle({ access_fee: this.shop.fee.id, voucher_code: code }, receiver);
  }

  /** Undefined if the request is refused. */
  private async settle(fields: Record<string, unknown>, person: Person): Promise<string | undefined> {
    const { status, body } = await call<SubmittedPayment>(this.app, 'POST', '/payments', fields, person);
    if (status >= 300) return undefined;
    const token = body.transaction;
    const { rows } = await this.app.pool.query<{ id: number }>('SELECT id FROM payments WHERE token = $1', [token]);
    const paymentId = rows[0]?.id ?? 0;
    const { outcome } = await this.steps.chargeCycle({ paymentId });
    if (outcome === 'paid') await this.steps.completePayment(paymentId);
    return token;
  }
}

const storePrices = { EUR: 4, JPY: 400, KWD: 1.25 };

/** A subscription in an app store: bought, renewed, refunded, and paid again after the refund. */
export class StoreLife {
  private readonly original = newOriginal();
  private transaction = 0;
  private isRefunded = false;

  constructor(
    private readonly stores: Awaited<ReturnType<typeof importStores>>,
    private readonly shop: Shop,
    private readonly currency: keyof typeof storePrices,
  ) {}

  async next(pick: number, atMs: number): Promise<void> {
    const price = { amount: storePrices[this.currency], currency: this.currency };
    const isFirst = this.transaction === 0;
    this.isRefunded = !isFirst && pick % 3 === 0 && !this.isRefunded;
    if (isFirst || (pick % 3 === 1 && !this.isRefunded)) this.transaction += 1;
    const state = this.isRefunded ? 'revoked' : 'active';
    const told = answerOf(this.original, { state, isTrial: false, price, transaction: this.transaction }, atMs);
    if (isFirst) await this.stores.claim(this.shop, this.shop.consumer, 'google-play', told);
    else await this.stores.look(this.original, told, atMs);
  }
}
