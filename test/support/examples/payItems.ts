import { createFee, createItem } from '../factories';
import { type World } from '../world';

/** With an item that is paid for once. */
export async function withPayItem(world: World): Promise<World> {
  const item = await createItem(world.app, world.merchant);
  const fee = { access_type: 'ppv', quantity: 2, period: 'day', amount: '4.50' };
  return { ...world, item, fee: await createFee(world.app, world.merchant, item.id, fee) };
}
