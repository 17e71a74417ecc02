import { randomUUID } from 'node:crypto';
import { type CycleCharge } from '../../workflows/messages';
import { listen, requestChange } from '../support/client';
import { createShop, reaches, subscribe } from '../support/factories';
import { findFaults } from '../support/books';
import { installQuietRuntime } from '../support/quietRuntime';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { workerSettings } from '../support/workerSettings';

/** The step that charges publishes the first period, before the run of the subscription continues. */

let app: TestApp;
let temporal: TemporalClient;

beforeAll(async () => {
  app = await startApp();
  temporal = await connectTemporal();
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
});

/** A worker that makes first charges and holds their results back until the test releases them. */
async function startHolding() {
  const { createActivities } = await import('../../activities/index.js');
  const { startWorker } = await import('../../workers/worker.js');
  installQuietRuntime();
  const activities = createActivities();
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const worker = await startWorker({
    ...workerSettings(),
    activities: {
      ...activities,
      chargeFirstPeriod: async (input: CycleCharge) => {
        const outcome = await activities.chargeFirstPeriod(input);
        await held;
        return outcome;
      },
    },
  });
  return { worker, letGo };
}

test('subscribe.success: is told before the run knows; what is asked then waits for the run', async () => {
  const { worker, letGo } = await startHolding();
  const shop = await createShop(app);
  const channel = await listen(app, shop.consumer);
  const { body } = await subscribe(app, shop);
  const { subscription_id: id } = body;
  await channel.hears('subscribe.success');
  await channel.close();
  await reaches(app, shop.consumer, id, 'active');

  const asked = requestChange(app, 'POST', `/subscriptions/${id}/pause`, {}, shop.consumer);
  const handle = temporal.client.workflow.getHandle(`subscription-${id}`);
  for (let refusals = 0; refusals < 10; refusals += 1) {
    const request = { id: randomUUID(), kind: 'resume', atMs: Date.now(), aheadMs: 0 };
    await expect(handle.executeUpdate('resume', { args: [request] })).rejects.toMatchObject({
      cause: { message: 'The subscription has not begun yet.' },
    });
  }
  letGo();
  expect((await asked).status).toBe(200);
  expect(
    await findFaults(app.pool, id, {
      charged: 1,
      events: ['access.granted', 'subscribe.success', 'subscribe.updated'],
    }),
  ).toEqual([]);
  await worker.stop();
});
