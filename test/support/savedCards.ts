import { call } from './client';
import { card, pathOf, signedInAt } from './checkout';
import { type Shop } from './factories';
import { receives } from './mailbox';
import { type PageWalker, type Walked } from './pageWalker';
import { type TestApp } from './startApp';

/** A customer with a saved card at the checkout of a browser that does not know it. */

export const question = 'on this device for the first time';

export async function saveCard(app: TestApp, { consumer }: Shop): Promise<void> {
  const fields = { ...card, currency_iso: 'EUR' };
  const { status } = await call(app, 'PUT', '/v2/payments/cards/default', fields, consumer);
  if (status !== 200) throw new Error(`The card was answered ${status}`);
}

export const openCheckout = signedInAt;

export const payBySavedCard = (walker: PageWalker, shop: Shop): Promise<Walked> =>
  walker.submit(`${pathOf(shop)}/pay`, { do: 'pay', fee: String(shop.fee.id), card: 'saved' });

/** Enters the code that is mailed. */
export async function confirmByMail(app: TestApp, walker: PageWalker, shop: Shop): Promise<Walked> {
  await walker.submit(`${pathOf(shop)}/pin/mail`);
  const mail = await receives(app, shop.merchant, shop.consumer.email, 'pin_code');
  return walker.submit(`${pathOf(shop)}/pin`, { pin_code: /\b\d{6}\b/.exec(mail.text ?? '')?.[0] ?? '' });
}
