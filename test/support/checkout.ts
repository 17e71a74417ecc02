import { cards, password, type Shop } from './factories';
import { PageWalker } from './pageWalker';
import { type TestApp } from './startApp';

/** The paywall without a script: its pages, and what its checkout sends. */

export const pathOf = ({ merchant, item }: Pick<Shop, 'merchant' | 'item'>) => `/paywall/${merchant.uuid}/${item.id}`;

/** The shop's consumer, signed in at its item. */
export async function signedInAt(app: Pick<TestApp, 'address'>, shop: Shop): Promise<PageWalker> {
  const walker = new PageWalker(app);
  await walker.open(pathOf(shop));
  const credentials = { username: shop.consumer.email, password };
  const { status } = await walker.submit(`${pathOf(shop)}/sign-in`, credentials);
  if (status !== 303) throw new Error(`The sign-in was answered ${status}`);
  return walker;
}

export const card = { number: cards.success, card_name: 'Ana Petrova', exp_month: '2', exp_year: '2040', cvv: '123' };
