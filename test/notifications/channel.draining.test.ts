import { listen } from '../support/client';
import { publishEvents, upTo } from '../support/events';
import { createConsumer, createMerchant } from '../support/factories';
import { startApp } from '../support/startApp';

/** A server that shuts down tells its clients. They reconnect to another server after their last event. */

test('1012: a server that is stopped sends its listeners elsewhere', async () => {
  const app = await startApp();
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const channels = [await listen(app, consumer), await listen(app, merchant)];
  await publishEvents(consumer, merchant.id, upTo(3));
  for (const channel of channels) await channel.hears('access.revoked');
  await app.stop();
  for (const channel of channels) expect(await channel.closed).toBe(1012);
});
