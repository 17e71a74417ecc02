import { call } from '../client';
import { createWebhook, type Delivery } from '../webhooks';
import { type World } from '../world';
import { type Example, type Examples } from './example';

/** The limit must leave room for one more, even after 20 requests in the same world. */
async function newWebhook({ app, merchant }: World): Promise<number> {
  const { rows } = await app.pool.query<{ id: number }>(
    'SELECT id FROM webhook_endpoints WHERE merchant_id = $1 ORDER BY id DESC LIMIT 1',
    [merchant.id],
  );
  const [known] = rows;
  return known ? known.id : (await createWebhook(app, merchant)).id;
}

/** A webhook that can be deleted or created. The previous one is deleted first. */
async function makeRoom({ app, merchant }: World): Promise<void> {
  await app.pool.query(
    `DELETE FROM webhook_endpoints WHERE merchant_id = $1
     AND id NOT IN (SELECT id FROM webhook_endpoints WHERE merchant_id = $1 ORDER BY id LIMIT 10)`,
    [merchant.id],
  );
}

async function newDelivery(world: World): Promise<{ id: number; delivery_id: string }> {
  const id = await newWebhook(world);
  const { body } = await call<Delivery>(world.app, 'POST', `/webhooks/${id}/test`, undefined, world.merchant);
  return { id, delivery_id: body.id };
}

const named: Example = {
  request: async (world) => ({ params: { id: await newWebhook(world) } }),
  owned: { 'params.id': 'merchant' },
};

export const webhookExamples: Examples = {
  createWebhook: {
    request: async (world) => {
      await makeRoom(world);
      const fields = { events: ['access.granted'], format: 'form', enabled: true, description: 'Books' };
      return { body: { url: 'https://hooks.example.org/in', ...fields } };
    },
  },
  listWebhooks: { request: () => ({}) },
  getWebhook: named,
  updateWebhook: {
    ...named,
    request: async (world) => ({
      params: { id: await newWebhook(world) },
      body: {
        url: 'https://hooks.example.org/other',
        events: ['access.revoked'],
        format: 'standard',
        enabled: true,
        description: 'Ledger',
        resume: 'missed',
      },
    }),
  },
  deleteWebhook: {
    ...named,
    request: async (world) => {
      await makeRoom(world);
      return { params: { id: (await createWebhook(world.app, world.merchant)).id } };
    },
  },
  replaceWebhookSecret: named,
  listWebhookDeliveries: {
    ...named,
    request: async (world) => ({
      params: { id: (await newDelivery(world)).id },
      query: { page: 1, size: 5, state: 'pending' },
    }),
  },
  retryWebhookDelivery: {
    request: async (world) => ({ params: await newDelivery(world) }),
    owned: { 'params.id': 'merchant', 'params.delivery_id': 'merchant' },
  },
  resendWebhookEvents: {
    ...named,
    request: async (world) => ({
      params: { id: await newWebhook(world) },
      body: { from: 1_700_000_000, to: 1_700_003_600, events: ['access.granted'] },
    }),
  },
  testWebhook: named,
};
