import { cards, createConsumer, createFee, reaches, subscribe, type Person, type Shop } from './factories';
import { createPayShop, paid, pay, refund, refunded, settles } from './payments';
import { type TestApp } from './startApp';

export interface HistoryPage {
  total: number;
  collection: {
    trx_token: string;
    transaction_token: string;
    action_type: string;
    charged_amount: number;
    created_at: number | string;
  }[];
}

export interface History {
  shop: Shop;
  other: Person;
  payment: string;
  subscription: string;
  gift: string;
}

/** Two customers: one pays, gets a partial refund and subscribes; the other one sends a gift and then has a declined payment. */
export async function createHistory(app: TestApp): Promise<History> {
  const shop = await createPayShop(app);
  const other = await createConsumer(app, shop.merchant);
  const payment = await paid(app, shop);
  await refund(app, shop.merchant, payment, { amount: '1.50' });
  await refunded(app, payment);
  const fee = await createFee(app, shop.merchant, shop.item.id, {});
  const { body } = await subscribe(app, { ...shop, fee });
  const subscription = body.subscription_id;
  await reaches(app, shop.consumer, subscription, 'active');
  const present = { is_gift: true, receiver_email: 'x@example.org' };
  const gift = await paid(app, { ...shop, consumer: other }, cards.success, present);
  const failed = await pay(app, { ...shop, consumer: other }, cards.declined);
  await settles(app, failed.body.transaction, 'failed');
  return { shop, other, payment, subscription, gift };
}

/** The first field of each row. */
export const kindsOf = ({ collection }: HistoryPage) => collection.map((row) => [row.action_type, row.charged_amount]);
