import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { smtpError, startMailServer, type MailServer } from '../support/mailServer';
import { expectGrowth } from '../support/metrics';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';
import { answering, createReceivingMerchant, publishEvents, settledDeliveries } from '../support/webhooks';

/** The metrics of mails and webhooks after real attempts. The worker is in this process. */

let app: TestApp;
let mailServer: MailServer;

beforeAll(async () => {
  mailServer = await startMailServer();
  app = await startApp({ SMTP_URL: mailServer.url, WEBHOOK_ALLOW_PRIVATE: 'true' });
  await app.startWorker();
});

afterAll(async () => {
  await app.stop();
  await mailServer.stop();
});

const mails = (sent: number, retried: number, givenUp: number) => ({
  'paywall_mails_total{outcome="sent"}': sent,
  'paywall_mails_total{outcome="retried"}': retried,
  'paywall_mails_total{outcome="given_up"}': givenUp,
});
const webhooks = (delivered: number, retried: number, givenUp: number) => ({
  'paywall_webhook_attempts_total{outcome="delivered"}': delivered,
  'paywall_webhook_attempts_total{outcome="retried"}': retried,
  'paywall_webhook_attempts_total{outcome="given_up"}': givenUp,
});

/** Waits until the one mail of a new merchant is sent or given up. */
async function registers(): Promise<void> {
  const { id } = await createMerchant(app);
  const ended = 'SELECT FROM mails WHERE merchant_id = $1 AND (sent_at IS NOT NULL OR parked_at IS NOT NULL)';
  await until(async () => (await app.pool.query(ended, [id])).rows.length === 1);
}

test('a mail that is sent', () => expectGrowth(mails(1, 0, 0), registers));

test('a mail that is tried again', async () => {
  let isFirst = true;
  mailServer.misbehave = () => {
    if (!isFirst) return;
    isFirst = false;
    throw smtpError(451, 'try again later');
  };
  await expectGrowth(mails(1, 1, 0), registers);
});

test('a mail that the server refuses for good', async () => {
  mailServer.misbehave = () => {
    throw smtpError(550, 'no such mailbox');
  };
  await expectGrowth(mails(0, 0, 1), registers);
  mailServer.misbehave = undefined;
});

test('webhooks that are accepted', async () => {
  const { merchant, id, receiver } = await createReceivingMerchant(app);
  await expectGrowth(webhooks(2, 0, 0), async () => {
    await publishEvents(merchant, ['access.granted', 'access.revoked']);
    await settledDeliveries(app, merchant, id, 2);
  });
  await receiver.stop();
});

test('a webhook that is refused once', async () => {
  const { merchant, id, receiver } = await createReceivingMerchant(app);
  receiver.answer = (response) => answering(receiver.received.length === 1 ? 500 : 204)(response);
  await expectGrowth(webhooks(1, 1, 0), async () => {
    await publishEvents(merchant, ['access.granted']);
    // The second attempt does not reach into another test.
    await settledDeliveries(app, merchant, id, 1);
  });
  await receiver.stop();
});

test('a test message counts nothing, whether it is accepted or refused', async () => {
  const { merchant, id, receiver } = await createReceivingMerchant(app);
  await expectGrowth(webhooks(1, 0, 0), async () => {
    for (const status of [204, 500]) {
      receiver.answer = answering(status);
      await call(app, 'POST', `/webhooks/${id}/test`, {}, merchant);
    }
    await settledDeliveries(app, merchant, id, 2);
    receiver.answer = answering(204);
    // The last count.
    await publishEvents(merchant, ['access.granted']);
    await settledDeliveries(app, merchant, id, 3);
  });
  await receiver.stop();
});

test('a webhook whose receiver is gone', async () => {
  const { merchant, id, receiver } = await createReceivingMerchant(app);
  receiver.answer = answering(410);
  await expectGrowth(webhooks(0, 0, 1), async () => {
    await publishEvents(merchant, ['access.granted']);
    await settledDeliveries(app, merchant, id, 1);
  });
  await receiver.stop();
});
