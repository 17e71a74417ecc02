import { consolePages } from '../../src/pages/console/pages';
import { createCode, enterCode } from './access';
import { call } from './client';
import { reaches, type Shop, subscribe } from './factories';
import { createFollower } from './followers';
import { parkMail } from './mailbox';
import { inviteUnread } from './staff';
import { type TestApp } from './startApp';
import { nameSeller } from './tax';
import { createPackage, createVoucher, giveGift, voucherFields } from './vouchers';
import { createWebhook } from './webhooks';

/** What answers a part of a page, or a file. */
export const noPages: readonly string[] = [
  '/console/csv/{list}',
  '/console/customers/import/example',
  '/console/test-mailbox/{id}/attachment',
  '/console/invoices/{number}/document',
  '/console/transactions/disputes/{id}/receipt',
  '/console/reports/tax/oss',
  '/console/branding/mails/{kind}/{language}/preview',
];

/** Every page of the console that can be opened. */
export const consolePaths = Object.values(consolePages)
  .filter(({ method, path }) => method === 'get' && !noPages.includes(path))
  .map(({ path }) => path);

/** The page of an item, where it is a package. */
export const packageOf = '/console/items/{id} of a package';

type Post = (path: string, body: object) => Promise<number>;

/**
 * Rows for every list of the console, so that none is empty, and one object for every page that shows one,
 * about, by the page's path. The worker runs.
 */
export async function fillConsole(app: TestApp, shop: Shop): Promise<Record<string, string>> {
  const { merchant, consumer, item, fee } = shop;
  const post: Post = async (path, body) => {
    const answered = await call<{ id: number }>(app, 'POST', path, body as Record<string, unknown>, merchant);
    if (answered.status >= 300) throw new Error(`POST ${path}: ${answered.status} ${JSON.stringify(answered.body)}`);
    return answered.body.id;
  };
  await nameSeller(app, shop);
  const { body } = await subscribe(app, shop);
  await reaches(app, consumer, body.subscription_id, 'active');
  await post(`/v2/accounts/customers/${consumer.id}/balances/movements`, {
    amount: 2,
    currency: 'EUR',
    note: 'Goodwill',
  });
  await loseAPurchase(app, shop);
  const dispute = await loseToBank(app, shop);
  const difference = await addDifference(app, shop);
  await parkMail(app, shop.consumer);
  const list = '/payments/transactions';
  const sold = await call<{ collection: { trx_token: string }[] }>(app, 'GET', list, undefined, merchant);
  const mails = await call<{ collection: { id: number; subject: string }[] }>(
    app,
    'GET',
    '/test-mailbox',
    undefined,
    merchant,
  );
  return {
    ...(await fillCatalogue(app, shop, post)),
    ...(await fillSetup(app, shop, post)),
    ...(await fillRestrictions(shop, post)),
    '/console/items/{id}': String(item.id),
    '/console/items/{id}/restrictions': String(item.id),
    '/console/items/{id}/fees/new': String(item.id),
    '/console/items/{id}/fees/{fee_id}': `${item.id}/fees/${fee.id}`,
    '/console/customers/{id}': String(consumer.id),
    '/console/customers/{id}/balances': String(consumer.id),
    '/console/customers/{id}/sessions': String(consumer.id),
    '/console/subscriptions/{id}': body.subscription_id,
    '/console/transactions/{trx_token}/refund': sold.body.collection[0]?.trx_token ?? '',
    '/console/transactions/disputes/{id}': String(dispute),
    '/console/transactions/differences/{id}': String(difference),
    '/console/branding/mails/{kind}/{language}': 'receipt/de',
    // The content of a mail that was not delivered is deleted.
    '/console/test-mailbox/{id}': String(mails.body.collection.find(({ subject }) => subject !== '')?.id),
  };
}

/** Writes an unmatched payment, as after a restored backup. */
function loseAPurchase({ pool }: TestApp, { merchant, consumer }: Shop) {
  return pool.query(
    `INSERT INTO unmatched_payments (reference, idempotency_key, amount_minor, currency, paid_at, merchant_id, account_id,
       provider)
     VALUES ('pi_' || gen_random_uuid(), 'S-LOST-SB:1:1', 999, 'EUR', now(), $1, $2, 'sandbox')`,
    [merchant.id, consumer.id],
  );
}

/** Writes a dispute of a paid charge. */
async function loseToBank({ pool }: TestApp, { merchant }: Shop): Promise<number | undefined> {
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO disputes (provider, reference, charge_id, is_won, told_at)
     SELECT 'sandbox', 'dp-' || id, id, false, now() FROM charges WHERE merchant_id = $1 AND status = 'paid' LIMIT 1
     RETURNING id`,
    [merchant.id],
  );
  return rows[0]?.id;
}

/** Writes a payment that only the provider has. */
async function addDifference({ pool }: TestApp, { merchant }: Shop): Promise<number | undefined> {
  await pool.query(
    `INSERT INTO balance_transactions (merchant_id, provider, reference, kind, charge_reference, object_reference,
       amount_minor, currency, fee_minor, fee_currency, happened_at)
     VALUES ($1, 'sandbox', 'txn_lost', 'charge', 'pi_lost', '', 999, 'EUR', 30, 'EUR', now())`,
    [merchant.id],
  );
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO balance_differences (merchant_id, provider, kind, reference, charge_reference, provider_minor,
       ledger_minor, currency, happened_at)
     VALUES ($1, 'sandbox', 'payment_missing', 'pi_lost', 'pi_lost', 999, 0, 'EUR', now()) RETURNING id`,
    [merchant.id],
  );
  return rows[0]?.id;
}

async function fillCatalogue(app: TestApp, shop: Shop, post: Post) {
  const { merchant, item } = shop;
  const { body: code } = await createCode(app, shop);
  await enterCode(app, item.id, code.code);
  const season = await createPackage(app, shop);
  await app.pool.query(
    'INSERT INTO package_items (merchant_id, package_id, item_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [merchant.id, season.id, item.id],
  );
  const voucher = await createVoucher(app, merchant);
  await post(`/vouchers/${voucher.id}/assets`, { value: item.id });
  await post('/v2/voucher-batches', { ...voucherFields, count: 2 });
  await giveGift(shop);
  await post('/v2/cancel-offers', { kind: 'discount', percent: 50, charges: 2 });
  return {
    '/console/items/{id}/codes': String(item.id),
    '/console/items/{id}/codes/{code_id}': `${item.id}/codes/${code.code_id}`,
    '/console/vouchers/{id}': String(voucher.id),
    [packageOf]: String(season.id),
  };
}

async function fillSetup(app: TestApp, { merchant }: Shop, post: Post) {
  await post('/v2/accounts/customers/data-capture', {
    email: 'left@example.org',
    full_name: 'Left Behind',
    merchant_uuid: merchant.uuid,
  });
  await createFollower(app, merchant, ['reports:read']);
  const { token } = await inviteUnread(app, merchant, { role: 'editor' });
  const webhook = await createWebhook(app, merchant);
  await post(`/webhooks/${webhook.id}/test`, {});
  const report = { report: 'summary', cadence: 'weekly', recipients: [merchant.email] };
  const question = { name: 'club', label: 'Your club', type: 'text', required: 'false' };
  return {
    '/console/join/{token}': token,
    '/console/reports/schedules/{id}': String(await post('/reporting/schedules', report)),
    '/console/settings/registration/{id}': String(await post('/accounts/register-field', question)),
    '/console/settings/apps/{id}': String(await post('/accounts/apps', { name: 'Newsroom' })),
    '/console/settings/stores/{platform}': 'apple',
    '/console/settings/webhooks/{id}': String(webhook.id),
  };
}

async function fillRestrictions(shop: Shop, post: Post) {
  const domains = [{ domain: 'copies.example' }];
  await post('/restrictions/domain/blacklist', { domains });
  await post(`/restrictions/domain/blacklist/item/${shop.item.id}`, { domains });
  const countries = { name: 'Home', type: 'whitelist', global: 'false', countries: ['DE'] };
  return {
    '/console/restrictions/countries/{id}': String(await post('/restrictions/geo/country-set', countries)),
    '/console/restrictions/places/{id}': String(await post('/restrictions/geo/set', countries)),
  };
}

/** The path of a page. Throws if the page shows an object that is not listed here. */
export function consoleAddress(path: string, known: Readonly<Record<string, string>>): string {
  if (!path.includes('{')) return path;
  const [before = '', after = ''] = path.split(/\{.*\}/);
  const value = known[path];
  if (value === undefined) throw new Error(`There is nothing to show at ${path}: name it in fillConsole`);
  return before + value + after;
}
