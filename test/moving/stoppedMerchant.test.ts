import { writeOldEntry } from '../support/auditLog';
import { call } from '../support/client';
import { createMerchant, createShop, type Person, reaches, subscribe } from '../support/factories';
import {
  createTransferFolder,
  forgetStop,
  type Installation,
  prepareInstallation,
  runHere,
  type TransferFolder,
} from '../support/installations';
import { createExportLink } from '../support/mailedLinks';
import { runScript, shareScriptProcess } from '../support/scripts';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

/** Nothing changes the rows of a stopped merchant, so it leaves with those that were exported. What it changes where it arrives. */
let app: TestApp;
let other: Omit<Installation, 'address'>;
let folder: TransferFolder;

shareScriptProcess();

beforeAll(async () => {
  folder = await createTransferFolder();
  app = await startApp();
  await app.startWorker();
  await runHere('reserve', '--from', '5000');
  other = await prepareInstallation();
});
afterAll(async () => {
  await other.stop();
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

test('links that were mailed end, and nobody gets another', async () => {
  const { merchant, consumer, path } = await createExportLink(app);
  expect(await runHere('stop', ...about(merchant))).toMatchObject({ code: 0 });
  expect(await call(app, 'PUT', path)).toMatchObject({ status: 422, body: { error: 'export_token_invalid' } });
  const asked = { merchant_uuid: merchant.uuid, email: consumer.email };
  expect((await call(app, 'POST', '/accounts/forgot-password', asked)).status).toBeLessThan(500);
  const { answerMailRequests } = await import('../../src/accounts/signIn/mailedTokens.js');
  await answerMailRequests();
  expect((await app.pool.query('SELECT FROM mailed_tokens WHERE merchant_id = $1', [merchant.id])).rows).toEqual([]);
});

describe('another installation', () => {
  let merchant: Person;
  const take = (changes: Record<string, string> = {}) => {
    const input = ['import', '--in', folder.at(merchant.uuid), '--key-file', folder.keyFile];
    return runScript('merchants.js', input, { ...other.settings, ...changes });
  };
  const lastOf = async (name: string) => {
    const text = 'SELECT last_value::int AS last FROM pg_sequences WHERE sequencename = $1';
    return (await other.pool.query<{ last: number }>(text, [name])).rows[0]?.last;
  };

  beforeAll(async () => {
    merchant = (await createShop(app)).merchant;
    await exportStopped(merchant);
    expect(await other.run('reserve', '--from', '10', '--to', '1000')).toMatchObject({ code: 0 });
    await other.pool.query(
      `INSERT INTO accounts (id, uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
       SELECT 2000000, u, 2000000, u, 'merchant', 'first@example.org', 'first@example.org', 'The first one', ''
       FROM gen_random_uuid() AS u`,
    );
  });

  test('does not give its Stripe account to another merchant', async () => {
    const stripe = { CARD_PROVIDER: 'stripe', STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_PUBLISHABLE_KEY: 'pk_test_1' };
    const { code, said } = await take({ ...stripe, STRIPE_WEBHOOK_SECRET: 'whsec_1' });
    expect(said).toContain('STRIPE_FOR_ALL_MERCHANTS=true');
    expect(said).toContain(`would belong to merchant ${merchant.id} instead of merchant 2000000`);
    expect(code).toBe(1);
    expect((await other.pool.query('SELECT FROM accounts WHERE id = $1', [merchant.id])).rows).toEqual([]);
  });

  test('keeps its own range of numbers when a merchant brings higher ones', async () => {
    expect(await take()).toMatchObject({ code: 0 });
    expect(await lastOf('accounts_id_seq')).toBe(10);
    expect(await lastOf('items_id_seq')).toBe(10);
    expect(await other.run('reserve', '--from', '10', '--to', '9')).toMatchObject({ code: 1 });
    expect((await other.run('reserve', '--from', '1', '--to', '10')).said).toContain('has given the number 10 already');
  });
});
