import { writeOldEntry } from '../support/auditLog';
import { call } from '../support/client';
import { createMerchant, createShop, type Person, reaches, subscribe } from '../support/factories';
import { createTransferFolder, forgetStop, runHere, type TransferFolder } from '../support/installations';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

/** Nothing changes the rows of a stopped merchant, so it leaves with those that were exported. */
let app: TestApp;
let folder: TransferFolder;

beforeAll(async () => {
  folder = await createTransferFolder();
  app = await startApp();
  await app.startWorker();
});
afterAll(async () => {
  await app.stop();
  await folder.remove();
});

const about = ({ uuid }: Person) => ['--merchant', uuid];

async function exportStopped(merchant: Person): Promise<void> {
  expect(await runHere('stop', ...about(merchant))).toMatchObject({ code: 0 });
  await forgetStop(app);
  const out = ['--out', folder.at(merchant.uuid), '--key-file', folder.keyFile];
  await until(async () => (await runHere('export', ...about(merchant), ...out)).code === 0);
}

async function workHourly(): Promise<void> {
  const { deleteOutdated } = await import('../../src/privacy/retention.js');
  const { sendReminders } = await import('../../src/subscriptions/lifecycle/reminders.js');
  await deleteOutdated();
  await sendReminders();
}

test('old rows are not deleted, and customers are not reminded, until it has moved', async () => {
  const shop = await createShop(app);
  const { merchant, consumer } = shop;
  const { subscription_id: id } = (await subscribe(app, shop)).body;
  await reaches(app, consumer, id, 'active');
  await call(app, 'PUT', '/accounts/settings', { renewal_reminder_days: 7 }, merchant);
  const old = [
    `UPDATE subscriptions SET current_period_end = now() + interval '3 days' WHERE merchant_id = $1`,
    `UPDATE events SET created_at = now() - interval '8 days' WHERE merchant_id = $1`,
    `UPDATE mails SET created_at = now() - interval '31 days', useful_until = now() - interval '1 day' WHERE merchant_id = $1`,
  ];
  for (const text of old) await app.pool.query(text, [merchant.id]);
  const count = async (table: string) =>
    (await app.pool.query(`SELECT FROM ${table} WHERE merchant_id = $1`, [merchant.id])).rows.length;
  await exportStopped(merchant);
  await workHourly();
  expect(await count('events')).toBeGreaterThan(0);
  expect(await count('subscription_reminders')).toBe(0);
  expect(await runHere('moved', ...about(merchant))).toMatchObject({ code: 0 });
  await workHourly();
  expect([await count('events'), await count('mails'), await count('subscription_reminders')]).toEqual([0, 0, 0]);
});

test('old entries of the audit log are not deleted', async () => {
  const merchant = await createMerchant(app);
  await writeOldEntry(app.pool, merchant.id, '15 months');
  await exportStopped(merchant);
  await workHourly();
  expect(await runHere('moved', ...about(merchant))).toMatchObject({ code: 0 });
});
