import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';
import { createWebhook, listDeliveries, startReceiver } from '../support/webhooks';

let app: TestApp;

// With the default settings.
beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])(
  'nothing is sent to an address inside, however it came to be there: %s',
  async (host) => {
    const receiver = await startReceiver();
    const merchant = await createMerchant(app);
    const { id } = await createWebhook(app, merchant);
    const text = 'UPDATE webhook_endpoints SET url = $2 WHERE id = $1';
    await app.pool.query(text, [id, receiver.url.replace('127.0.0.1', host)]);
    await call(app, 'POST', `/webhooks/${id}/test`, undefined, merchant);
    const [failed] = await until(async () => {
      const found = await listDeliveries(app, merchant, id, 'failed');
      return found.length === 1 && found;
    });
    expect(failed).toMatchObject({ response_code: null, error: 'private_address' });
    expect(receiver.received).toEqual([]);
    await receiver.stop();
  },
);
