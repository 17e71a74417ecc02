import { call, type Reply } from './client';
import { cards, createConsumer, type Person, type Shop } from './factories';
import { createPayShop, paid, type SubmittedPayment } from './payments';
import { type TestApp } from './startApp';
import { until } from './until';

export interface BoughtGift {
  shop: Shop;
  /** The payment's token. */
  token: string;
  code: string;
  receiver: Person;
  /** A person who is not the receiver. */
  stranger: Person;
}

/** Bought for somebody who has an account, and mailed. */
export async function buyGift(
  app: TestApp,
  { card = cards.success, fee = {} }: { card?: string; fee?: Record<string, unknown> } = {},
): Promise<BoughtGift> {
  const shop = await createPayShop(app, fee);
  const receiver = await createConsumer(app, shop.merchant);
  const token = await paid(app, shop, card, { is_gift: true, receiver_email: receiver.email });
  const path = `/test-mailbox?to=${receiver.email}`;
  // The mail is written after the payment.
  const code = await until(async () => {
    const { body } = await call<{ collection: { text: string }[] }>(app, 'GET', path, undefined, shop.merchant);
    return /\b[A-Z\d]{12}\b/.exec(body.collection[0]?.text ?? '')?.[0];
  });
  return { shop, token, code, receiver, stranger: await createConsumer(app, shop.merchant) };
}

export function redeemGift(app: TestApp, { shop, code }: BoughtGift, person: Person): Promise<Reply<SubmittedPayment>> {
  return call<SubmittedPayment>(app, 'POST', '/payments', { access_fee: shop.fee.id, voucher_code: code }, person);
}
