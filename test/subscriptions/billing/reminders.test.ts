import { call } from '../../support/client';
import { createShop, reaches, subscribe, type Shop } from '../../support/factories';
import { mailsTo } from '../../support/mailbox';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

async function subscribed(): Promise<Shop & { token: string }> {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  return { ...shop, token: body.subscription_id };
}

async function remind(): Promise<void> {
  const { sendReminders } = await import('../../../src/subscriptions/lifecycle/reminders.js');
  await sendReminders();
}

/** The card of a customer is valid until the end of the month before the day that is so many days from now. */
async function expireIn({ consumer }: Shop, days: number): Promise<void> {
  const text = `UPDATE cards SET expiry_year = date_part('year', day), expiry_month = date_part('month', day)
    FROM (SELECT date_trunc('month', now() + make_interval(days => $2)) AS day) x WHERE account_id = $1`;
  await app.pool.query(text, [consumer.id, days]);
}

/** Moves the time of a merchant's subscriptions so that the card's last day is so many days away. */
async function atDaysBefore(shop: Shop, days: number): Promise<void> {
  await expireIn(shop, 45);
  const text = `SELECT make_timestamptz(expiry_year, expiry_month, 1, 0, 0, 0, 'UTC') + interval '1 month'
    - make_interval(days => $2, hours => -1) AS at FROM cards WHERE account_id = $1`;
  const { rows } = await app.pool.query<{ at: Date }>(text, [shop.consumer.id, days]);
  await app.pool.query(
    `INSERT INTO test_clocks (merchant_id, ahead) VALUES ($1, $2::timestamptz - now())
     ON CONFLICT (merchant_id) DO UPDATE SET ahead = excluded.ahead`,
    [shop.merchant.id, rows[0]?.at],
  );
}

const reminders = async (shop: Shop, template: string) =>
  (await mailsTo(app, shop.merchant, shop.consumer.email)).filter((mail) => mail.template === template);

const set = (shop: Shop, body: Record<string, unknown>) => call(app, 'PUT', '/accounts/settings', body, shop.merchant);

/** The period lasts longer than the test needs. */
const prolong = ({ token }: { token: string }, days: number) =>
  app.pool.query(
    `UPDATE subscriptions SET current_period_end = merchant_now(merchant_id) + make_interval(days => $2) WHERE token = $1`,
    [token, days],
  );

test('card_expires: 30 and 7 days before the card expires, each once', async () => {
  const shop = await subscribed();
  await prolong(shop, 400);
  await atDaysBefore(shop, 31);
  await remind();
  expect(await reminders(shop, 'card_expires')).toEqual([]);
  await atDaysBefore(shop, 30);
  await Promise.all([remind(), remind()]);
  const [mail, ...others] = await reminders(shop, 'card_expires');
  expect(others).toEqual([]);
  expect(mail?.text).toContain('4242');
  expect(mail?.text).toContain('/card');
  await atDaysBefore(shop, 7);
  await remind();
  await remind();
  expect(await reminders(shop, 'card_expires')).toHaveLength(2);
});

test('card_expires: none after the card was replaced, after a cancellation, and if the merchant does not want it', async () => {
  const [replaced, canceled, unwanted] = [await subscribed(), await subscribed(), await subscribed()];
  for (const shop of [replaced, canceled, unwanted]) {
    await prolong(shop, 400);
    await atDaysBefore(shop, 20);
  }
  await app.pool.query('UPDATE cards SET expiry_year = expiry_year + 5 WHERE account_id = $1', [replaced.consumer.id]);
  await call(app, 'DELETE', `/subscriptions/${canceled.token}`, undefined, canceled.consumer);
  await set(unwanted, { card_expiry_reminders: false });
  await remind();
  for (const shop of [replaced, canceled, unwanted]) expect(await reminders(shop, 'card_expires')).toEqual([]);
});

test('renewal_reminder: off by default, and once for each renewal where the merchant wants it', async () => {
  const shop = await subscribed();
  await prolong(shop, 20);
  await remind();
  expect(await reminders(shop, 'renewal_reminder')).toEqual([]);
  await set(shop, { renewal_reminder_days: 14 });
  await remind();
  expect(await reminders(shop, 'renewal_reminder')).toEqual([]);
  await prolong(shop, 13);
  await remind();
  await remind();
  const [mail, ...others] = await reminders(shop, 'renewal_reminder');
  expect(others).toEqual([]);
  expect(mail?.text).toContain('€9.99');
  await prolong(shop, 10);
  await remind();
  expect(await reminders(shop, 'renewal_reminder')).toHaveLength(2);
});
