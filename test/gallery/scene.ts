import { call } from '../support/client';
import {
  cards,
  createConsumer,
  createFee,
  createItem,
  type Person,
  purchase,
  reaches,
  type Submitted,
} from '../support/factories';
import { createBrandedMerchant } from '../support/paywall';
import { type TestApp } from '../support/startApp';
import { createVoucher } from '../support/vouchers';

/** A magazine with prices, readers, a declined card, a refund and a voucher: what the pictures show. */

export interface Scene {
  merchant: Person;
  reader: Person;
  itemId: number;
  subscriptionId: string;
  /** Merchants with the seven layouts of the paywall, and the item that each sells. */
  layouts: readonly { merchant: Person; itemId: number }[];
}

const brand = {
  brand_name: 'The Paywall Weekly',
  paywall_primary_color: '#b4341f',
  paywall_secondary_color: '#62636c',
  paywall_buttons_bg_color: '#b4341f',
  paywall_buttons_text_color: '#ffffff',
  preview_buttons_bg_color: '#b4341f',
  preview_buttons_text_color: '#ffffff',
  preview_top_border: false,
  paywall_footer: '<p>The Paywall Weekly, Zürich</p>',
  paywall_brand_logo: '',
  terms_url: 'https://weekly.example/terms',
};

const metadata = {
  preview_title: 'Read everything, without limits',
  preview_description: 'One long read a week, the full archive since 2011, and every audio edition.',
};

export async function setScene(app: TestApp): Promise<Scene> {
  const merchant = await createBrandedMerchant(app, brand);
  const { itemId, monthly } = await sell(app, merchant);
  await sellMore(app, merchant);
  const buy = async (card?: string) => {
    const consumer = await createConsumer(app, merchant);
    const { body } = await call<Submitted>(app, 'POST', '/subscriptions', purchase({ fee: monthly }, card), consumer);
    return { consumer, id: body.subscription_id };
  };
  const first = await buy();
  await reaches(app, first.consumer, first.id, 'active');
  for (const card of [cards.success, cards.success, cards.declined, cards.success]) await buy(card);
  await createVoucher(app, merchant, { code: 'READER20', discount: 20 });
  const layouts = [];
  for (const template of [1, 2, 3, 4, 5, 6, 7]) {
    const other = await createBrandedMerchant(app, { ...brand, template_id: template });
    layouts.push({ merchant: other, ...(await sell(app, other)) });
  }
  return { merchant, reader: first.consumer, itemId, subscriptionId: first.id, layouts };
}

async function sell(app: TestApp, merchant: Person) {
  const { id } = await createItem(app, merchant, {
    title: 'The Paywall Weekly',
    content: '<h1>Issue 48</h1>',
    metadata,
  });
  const monthly = await createFee(app, merchant, id, { description: 'Monthly' });
  await createFee(app, merchant, id, { description: 'Yearly', period: 'year', amount: '99.00' });
  return { itemId: id, monthly };
}

async function sellMore(app: TestApp, merchant: Person): Promise<void> {
  for (const [title, amount] of [
    ['Audio edition', '4.99'],
    ['The final, live', '12.00'],
  ]) {
    const { id } = await createItem(app, merchant, { title });
    await createFee(app, merchant, id, {
      amount,
      description: 'Pass for two days',
      access_type: 'ppv',
      quantity: 2,
      period: 'day',
    });
  }
}
