import { createFee, createItem, purchase, subscribe } from '../factories';
import { awaitAuthentication, customerFor, type World } from '../world';
import { type Example, type Examples } from './example';

/** With a new item, because a consumer has one live subscription to each item. */
async function withNewItem(world: World): Promise<World> {
  const item = await createItem(world.app, world.merchant);
  return { ...world, item, fee: await createFee(world.app, world.merchant, item.id) };
}

const submissions: readonly Example[] = [
  {
    request: async (world) => ({ body: purchase(await withNewItem(world)) }),
    owned: { 'body.access_fee': 'merchant' },
    roomy: ['branding_id'],
    unowned: {
      'body.branding_id': 'whatever names no brand means the default one',
      'body.payment_token': 'of the card provider’s form, and nobody’s until it is sent here',
    },
  },
  {
    request: async (world) => {
      const { access_fee, ...card } = purchase(await withNewItem(world));
      return { body: { access_fee_id: access_fee, ...card } };
    },
    owned: { 'body.access_fee_id': 'merchant' },
    roomy: ['branding_id'],
  },
  {
    request: async (world, caller) => ({
      body: { pi_id: (await awaitAuthentication(await withNewItem(world), caller)).pi },
    }),
    owned: { 'body.pi_id': 'account' },
    roomy: ['branding_id'],
  },
];

export const subscriptionExamples: Examples = {
  createSubscription: submissions,
  createSubscriptionV2: submissions,
  listSubscriptions: {
    request: ({ consumer, item }) => ({ query: { account_id: consumer.id, item_id: item.id, page: 0, limit: 5 } }),
    owned: { 'query.account_id': 'account', 'query.item_id': 'merchant' },
  },
  getSubscription: {
    request: async (world, caller) => {
      const consumer = await customerFor(world, caller);
      const { body } = await subscribe(world.app, { ...(await withNewItem(world)), consumer });
      return { params: { id: body.subscription_id } };
    },
    owned: { 'params.id': 'account' },
  },
};
