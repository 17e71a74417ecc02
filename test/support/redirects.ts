import { call, listen } from './client';
import { createShop, type Shop, type Submitted } from './factories';
import { createPayShop, type SubmittedPayment } from './payments';
import { type TestApp } from './startApp';
import { until } from './until';

/** Purchases by iDEAL, Bancontact and PayPal, which payers pay on another page. */

export type PageAnswer = 'approved' | 'approved_once' | 'refused';

export interface OnPage {
  shop: Shop;
  /** The token of the purchase. */
  id: string;
  /** The provider's reference, which the app gets back as `payment_intent`. */
  pi: string;
  redirectTo: string;
  /** The payer answers on the page of the sandbox. */
  answer: (answer: PageAnswer) => ReturnType<typeof call<string>>;
  /** The app reports that the payer came back. */
  comeBack: () => ReturnType<typeof call>;
}

/** Lets a merchant offer the methods. */
export const offerRedirects = (app: Pick<TestApp, 'address'>, { merchant }: Pick<Shop, 'merchant'>) =>
  call(app, 'PUT', '/accounts/settings', { payment_methods: ['card', 'ideal', 'bancontact', 'paypal'] }, merchant);

export async function createRedirectShop(
  app: TestApp,
  kind: 'subscription' | 'payment',
  fee: Record<string, unknown> = {},
): Promise<Shop> {
  const shop = await (kind === 'subscription' ? createShop(app, fee) : createPayShop(app, fee));
  await offerRedirects(app, shop);
  return shop;
}

const returnUrl = 'https://shop.example.org/back';

export function buy(
  app: Pick<TestApp, 'address'>,
  { item, fee, consumer }: Pick<Shop, 'item' | 'fee' | 'consumer'>,
  kind: 'subscription' | 'payment',
  fields: Record<string, unknown> = {},
) {
  const path = kind === 'subscription' ? '/v2/subscriptions' : '/v2/payments';
  const more = {
    payment_method: 'ideal',
    bank: 'abn_amro',
    return_url: returnUrl,
    referrer: 'https://shop.example.org',
  };
  const body = { item_id: item.id, access_fee_id: fee.id, ...more, ...fields };
  return call<Submitted & SubmittedPayment>(app, 'POST', path, body, consumer);
}

/** Buys, and waits until the app receives the address of the page. */
export async function buyOnPage(
  app: TestApp,
  shop: Shop,
  kind: 'subscription' | 'payment',
  fields: Record<string, unknown> = {},
): Promise<OnPage> {
  const channel = await listen(app, shop.consumer);
  const { body } = await buy(app, shop, kind, fields);
  const isIdeal = (fields['payment_method'] ?? 'ideal') === 'ideal';
  const ofPayment = isIdeal ? 'payment.ideal.requires.action' : 'payment.card.requires.action';
  const { resource } = await channel.hears(kind === 'subscription' ? 'subscribe.requires.action' : ofPayment);
  await channel.close();
  const pi = String(resource['pi_id']);
  return {
    shop,
    id: kind === 'subscription' ? body.subscription_id : body.transaction,
    pi,
    redirectTo: String(resource['redirect_to_url']),
    answer: (answer) => call<string>(app, 'POST', `/sandbox/authenticate/${pi}`, { answer }),
    comeBack: () => call(app, 'POST', '/payments', { pi_id: pi }, shop.consumer),
  };
}

/** The payer answers on the other page as soon as the charge waits for it. `key`: the idempotency key of the charge. */
export async function answerPage(app: TestApp, key: string, answer: PageAnswer): Promise<void> {
  const reference = await until(async () => {
    const { rows } = await app.pool.query<{ reference: string }>(
      `SELECT reference FROM charges WHERE idempotency_key = $1 AND status = 'requires_action'`,
      [key],
    );
    return rows[0]?.reference ?? false;
  });
  await call(app, 'POST', `/sandbox/authenticate/${reference}`, { answer });
}
