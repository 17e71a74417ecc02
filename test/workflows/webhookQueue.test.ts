import { call } from '../support/client';
import { createMerchant, type Person } from '../support/factories';
import { type TestApp } from '../support/startApp';
import { sweepAll } from '../support/sweeps';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';
import {
  answering,
  createWebhook,
  eventsOf,
  letPass,
  listDeliveries,
  publishAbout,
  publishEvents,
  runOf,
  settledDeliveries,
  startReceiver,
  startWebhookApp,
  type Receiver,
} from '../support/webhooks';

/** The queue of a webhook during changes, erasures and reads. */

let app: TestApp;
let receiver: Receiver;
let temporal: TemporalClient;

beforeAll(async () => {
  app = await startWebhookApp();
  temporal = await connectTemporal();
});

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(() => receiver.stop());

afterAll(async () => {
  await temporal.close();
  await app.stop();
});

const hears = (count: number) => until(() => receiver.received.length >= count);

describe('a webhook that is turned off while a delivery waits', () => {
  async function waiting(): Promise<{ merchant: Person; id: number }> {
    const merchant = await createMerchant(app);
    receiver.answer = answering(500);
    const { id } = await createWebhook(app, merchant, { url: receiver.url });
    await publishEvents(merchant, ['access.granted', 'access.revoked']);
    await until(async () => (await listDeliveries(app, merchant, id)).some(({ attempts }) => attempts === 1));
    return { merchant, id };
  }

  const change = (merchant: Person, id: number, fields: Record<string, unknown>) =>
    call(app, 'PATCH', `/webhooks/${id}`, fields, merchant);

  test('is sent nothing more; turned on again it goes on where it stopped', async () => {
    const { merchant, id } = await waiting();
    await change(merchant, id, { enabled: false });
    await hasEnded(await runOf(app, id));
    await publishEvents(merchant, ['account.logout']);
    const heard = receiver.received.length;
    receiver.answer = answering(200);
    await change(merchant, id, { enabled: true });
    await hears(heard + 3);
    expect(
      eventsOf(receiver)
        .slice(heard)
        .map(([event]) => event),
    ).toEqual([1, 2, 3]);
  });

  test('leaves out what it missed, when that is asked for', async () => {
    const { merchant, id } = await waiting();
    await change(merchant, id, { enabled: false });
    await hasEnded(await runOf(app, id));
    const heard = receiver.received.length;
    receiver.answer = answering(200);
    await change(merchant, id, { enabled: true, resume: 'now' });
    await publishEvents(merchant, ['account.logout']);
    await hears(heard + 1);
    expect(eventsOf(receiver).slice(heard)).toEqual([[3, 'account.logout']]);
    const states = (await listDeliveries(app, merchant, id)).map(({ event_id, state, error }) => [
      event_id,
      state,
      error,
    ]);
    expect(states).toContainEqual([1, 'dropped', 'left_out']);
  });

  test('goes to the new address at once when that is what is changed', async () => {
    const { merchant, id } = await waiting();
    const moved = await startReceiver();
    await change(merchant, id, { url: moved.url });
    await until(() => moved.received.length === 2);
    expect(eventsOf(moved).map(([event]) => event)).toEqual([1, 2]);
    await moved.stop();
  });

  test('has no run after it is deleted', async () => {
    const { merchant, id } = await waiting();
    const run = await runOf(app, id);
    expect((await call(app, 'DELETE', `/webhooks/${id}`, undefined, merchant)).status).toBe(200);
    await hasEnded(run);
    expect((await app.pool.query('SELECT FROM webhook_deliveries WHERE endpoint_id = $1', [id])).rowCount).toBe(0);
  });
});

describe('no event is forgotten', () => {
  test('however the falling asleep of the run and the next event meet', async () => {
    const merchant = await createMerchant(app);
    await createWebhook(app, merchant, { url: receiver.url });
    for (let count = 1; count <= 30; count += 1) {
      await publishEvents(merchant, ['access.granted']);
      await hears(count);
    }
    expect(eventsOf(receiver).map(([event]) => event)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });

  test('when many are written at once, by many', async () => {
    const merchant = await createMerchant(app);
    await createWebhook(app, merchant, { url: receiver.url });
    const writing = Array.from({ length: 10 }, () => publishEvents(merchant, ['access.granted', 'access.revoked']));
    await Promise.all(writing);
    await hears(20);
    expect(eventsOf(receiver).map(([event]) => event)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  test('when there are so many that the run goes on in a new one', async () => {
    const merchant = await createMerchant(app);
    const { id } = await createWebhook(app, merchant, { url: receiver.url });
    receiver.answer = answering(500);
    await publishEvents(merchant, ['access.granted']);
    await hears(1);
    const run = temporal.client.workflow.getHandle(await runOf(app, id));
    const firstRun = (await run.describe()).runId;
    await until(async () => {
      await run.signal('wake');
      return (await run.describe()).runId !== firstRun;
    });
    receiver.answer = answering(200);
    await publishAbout(merchant, [merchant.id, merchant.id]);
    await letPass(app, merchant, id, 3600);
    await settledDeliveries(app, merchant, id, 3);
    expect([...new Set(eventsOf(receiver).map(([event]) => event))]).toEqual([1, 2, 3]);
    const { raw } = await run.describe();
    const { execution, firstRunId, searchAttributes } = raw.workflowExecutionInfo ?? {};
    expect(execution?.runId).not.toBe(firstRunId);
    expect(Object.keys(searchAttributes?.indexedFields ?? {})).toContain('PaywallMerchant');
  });

  test('when an operator ends its run: the sweep begins another', async () => {
    const merchant = await createMerchant(app);
    const { id } = await createWebhook(app, merchant, { url: receiver.url });
    receiver.answer = answering(500);
    await publishEvents(merchant, ['access.granted', 'access.revoked']);
    await until(async () => (await listDeliveries(app, merchant, id)).some(({ attempts }) => attempts === 1));
    await temporal.client.workflow.getHandle(await runOf(app, id)).terminate();
    receiver.answer = answering(200);
    expect(await sweepAll()).toBeGreaterThan(0);
    await settledDeliveries(app, merchant, id, 2);
    expect(eventsOf(receiver).at(-1)).toEqual([2, 'access.revoked']);
  });
});

describe('an operator', () => {
  test('sees what is delivered, to which endpoint of whom, and why it is not', async () => {
    const merchant = await createMerchant(app);
    receiver.answer = answering(418);
    const { id } = await createWebhook(app, merchant, { url: receiver.url });
    await publishEvents(merchant, ['access.granted']);
    const handle = temporal.client.workflow.getHandle(await runOf(app, id));
    const described = await until(async () => {
      if ((await listDeliveries(app, merchant, id)).length === 0) return false;
      const found = await handle.describe().catch(() => undefined);
      return found?.searchAttributes['PaywallState']?.[0] === 'retrying' && found;
    });
    expect(described.searchAttributes).toMatchObject({ PaywallMerchant: [merchant.id], PaywallFailureReason: ['418'] });
    expect(await described.staticSummary()).toBe(`webhooks of endpoint ${id}`);
    const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    expect(metadata.currentDetails).toMatch(/^### retrying\nNext attempt: \d{4}-.*\nLast failure: 418$/);
    await call(app, 'DELETE', `/webhooks/${id}`, undefined, merchant);
  });
});

/** Waits until the run of this id has ended. */
async function hasEnded(workflowId: string): Promise<void> {
  const run = await temporal.begun(workflowId);
  await until(async () => (await run.describe()).status.name !== 'RUNNING');
}
