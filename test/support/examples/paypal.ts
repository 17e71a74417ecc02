import { call } from '../client';
import { type Person } from '../factories';
import { cloneConsumer, type World } from '../world';
import { withPayItem } from './payItems';

/** Purchases by PayPal. */

/** Written as a row, because a follower may not be allowed to change the settings. */
export const enableMethods = ({ app, merchant }: World, methods: string) =>
  app.pool.query(
    `INSERT INTO merchant_settings (merchant_id, payment_methods) VALUES ($1, $2)
     ON CONFLICT (merchant_id) DO UPDATE SET payment_methods = excluded.payment_methods`,
    [merchant.id, `{card,${methods}}`],
  );

/** A request that begins a purchase. */
export async function paypalPurchase(world: World) {
  await enableMethods(world, 'paypal');
  const { fee } = await withPayItem(world);
  return { body: { origin: 'https://shop.example.org/film', access_fee: fee.id, payment_method: 2 } };
}

/** The link that a purchase has answered. */
export async function paypalLink(world: World) {
  const buyer: Person = await cloneConsumer(world);
  const { body } = await paypalPurchase(world);
  const begun = await call<{ endpoint: string }>(world.app, 'POST', '/external-payments', body, buyer);
  return { params: { token: begun.body.endpoint.split('/').at(-1) ?? '' } };
}
