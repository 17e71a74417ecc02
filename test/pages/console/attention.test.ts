import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { parkMail } from '../../support/mailbox';
import { enterConsole } from '../../support/pageWalker';
import { createRole, createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';
import { createWebhook } from '../../support/webhooks';

/** The list of what needs attention, beside subscriptions and disputes. */

let app: TestApp;
beforeAll(async () => void (app = await startApp()));
afterAll(() => app.stop());

/** The lines of the list: the text, its hint and the address of its link. */
async function linesFor(email: string): Promise<string[][]> {
  const { text } = await (await enterConsole(app, email)).open('/console');
  const [, list = ''] = /<section class="card stack attention">([^]*?)<\/section>/.exec(text) ?? [];
  const line = /<a class="strong" href="([^"]+)">([^<]+)<\/a\s*><span class="quiet small">([^<]+)</g;
  return [...list.matchAll(line)].map(([, address = '', words = '', hint = '']) => [words, hint, address]);
}

const change = (text: string, values: unknown[]) => app.pool.query(text, values);

const failDelivery = (
  webhookId: number,
  { sequence = 1, days = 0, state = 'failed' }: { sequence?: number | null; days?: number; state?: string } = {},
) =>
  change(
    `INSERT INTO webhook_deliveries (webhook_id, merchant_id, endpoint_id, sequence, type, state, is_queued, settled_at)
     SELECT 'msg_' || gen_random_uuid(), merchant_id, id, $2, 'access.granted', $3, true, now() - make_interval(days => $4)
     FROM webhook_endpoints WHERE id = $1`,
    [webhookId, sequence, state, days],
  );

const disable = (webhookId: number, reason: string) =>
  change(`UPDATE webhook_endpoints SET is_enabled = false, disabled_reason = $2, disabled_at = now() WHERE id = $1`, [
    webhookId,
    reason,
  ]);

const endSecret = (webhookId: number, hours: number) =>
  change(
    `UPDATE webhook_endpoints SET sealed_previous_secret = '', previous_secret_ends_at = now() + make_interval(hours => $2)
     WHERE id = $1`,
    [webhookId, hours],
  );

const losePurchase = ({ id }: Person, state = 'open') =>
  change(
    `INSERT INTO unmatched_payments (reference, idempotency_key, amount_minor, currency, paid_at, merchant_id, provider,
       state, refund_token)
     VALUES ('pi_' || gen_random_uuid(), 'S-LOST-SB:1:1', 999, 'EUR', now(), $1, 'sandbox', $2,
       'R-' || gen_random_uuid())`,
    [id, state],
  );

const differ = ({ id }: Person, resolution: string | null = null) =>
  change(
    `INSERT INTO balance_differences (merchant_id, provider, kind, reference, charge_reference, provider_minor,
       ledger_minor, currency, happened_at, state, resolution)
     VALUES ($1, 'sandbox', 'payment_missing', 'pi_' || gen_random_uuid(), 'pi_lost', 999, 0, 'EUR', now(),
       CASE WHEN $2::text IS NULL THEN 'open' ELSE 'resolved' END, $2)`,
    [id, resolution],
  );

const fault = ({ id }: Person, { code = 'api_key_expired', hours = 0 } = {}) =>
  change(
    `INSERT INTO provider_faults (merchant_id, provider, code, message, seen_at)
     VALUES ($1, 'stripe', $2, 'Expired API key', now() - make_interval(hours => $3))`,
    [id, code, hours],
  );

test('200: a webhook that was turned off because it failed', async () => {
  const merchant = await createMerchant(app);
  const { id } = await createWebhook(app, merchant);
  const other = await createWebhook(app, merchant);
  await disable(id, 'failing');
  await failDelivery(id);
  await disable(other.id, 'merchant');
  expect(await linesFor(merchant.email)).toEqual([
    [
      '1 webhook turned off',
      'Its server failed too often. Repair it, then turn the webhook on.',
      '/console/settings/webhooks',
    ],
  ]);
});

test('200: events that were given up, with the list of these events', async () => {
  const merchant = await createMerchant(app);
  const { id } = await createWebhook(app, merchant);
  await failDelivery(id, { sequence: 1 });
  await failDelivery(id, { sequence: 2 });
  await failDelivery(id, { sequence: 3, state: 'delivered' });
  await failDelivery(id, { sequence: null });
  await failDelivery(id, { sequence: 4, days: 7 });
  const address = `/console/settings/webhooks/${id}?find=failed`;
  expect(await linesFor(merchant.email)).toEqual([
    ['2 events not delivered', 'Not accepted by your server in the last 7 days. Send again.', address],
  ]);
  const { text } = await (await enterConsole(app, merchant.email)).open(address);
  expect(text.match(/<code>access\.granted<\/code>/g)).toHaveLength(4);
});

test('200: events of several webhooks lead to the list of webhooks', async () => {
  const merchant = await createMerchant(app);
  for (const each of [await createWebhook(app, merchant), await createWebhook(app, merchant)])
    await failDelivery(each.id);
  expect((await linesFor(merchant.email)).map(([text, , address]) => [text, address])).toEqual([
    ['2 events not delivered', '/console/settings/webhooks'],
  ]);
});

test('200: a replaced secret of a webhook, until it ends', async () => {
  const merchant = await createMerchant(app);
  await endSecret((await createWebhook(app, merchant)).id, 23);
  await endSecret((await createWebhook(app, merchant)).id, 0);
  expect(await linesFor(merchant.email)).toEqual([
    [
      '1 webhook secret expires within a day',
      'It was replaced. Check that your server uses the new secret.',
      '/console/settings/webhooks',
    ],
  ]);
});

test('200: mails that were given up in the last 7 days, without those that a newer one replaced', async () => {
  const merchant = await createMerchant(app);
  await parkMail(app, merchant);
  await parkMail(app, merchant, { error: 'too late', days: 6 });
  await parkMail(app, merchant, { days: 7 });
  await parkMail(app, merchant, { error: 'replaced by a newer mail' });
  expect(await linesFor(merchant.email)).toEqual([
    ['2 emails not delivered', 'Given up in the last 7 days. Check the email address.', '/console/customers/emails'],
  ]);
});

test('200: payments without a purchase, and differences to the books of the provider', async () => {
  const merchant = await createMerchant(app);
  await losePurchase(merchant);
  await losePurchase(merchant, 'failed');
  await losePurchase(merchant, 'refunding');
  await losePurchase(merchant, 'refunded');
  await differ(merchant);
  await differ(merchant, 'accepted');
  expect(await linesFor(merchant.email)).toEqual([
    ['2 payments without a purchase', 'No access was given. Refund the customer.', '/console/transactions/unmatched'],
    [
      '1 difference in the books',
      'The payment account and this service do not agree. Resolve it.',
      '/console/transactions/differences',
    ],
  ]);
});

test('200: a payment account that refuses charges, while it does', async () => {
  const merchant = await createMerchant(app);
  await fault(merchant);
  await fault(merchant, { code: 'another' });
  await fault(merchant, { code: 'old', hours: 2 });
  expect(await linesFor(merchant.email)).toEqual([
    ['Charges are refused', 'Expired API key', '/console/settings/payments'],
  ]);
});

test('200: nothing of another merchant', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  const { id } = await createWebhook(app, other);
  await failDelivery(id);
  await endSecret(id, 1);
  await parkMail(app, other);
  await losePurchase(other);
  await differ(other);
  await fault(other);
  await disable((await createWebhook(app, other)).id, 'gone');
  expect(await linesFor(merchant.email)).toEqual([]);
  expect(await linesFor(other.email)).toHaveLength(7);
});

test('200: staff sees only what it may open', async () => {
  const merchant = await createMerchant(app);
  await disable((await createWebhook(app, merchant)).id, 'gone');
  await parkMail(app, merchant);
  await parkMail(app, await createConsumer(app, merchant));
  await differ(merchant);
  const textsOf = async (scopes: string[]) =>
    (
      await linesFor((await createStaff(app, merchant, { role_id: await createRole(app, merchant, scopes) })).email)
    ).map(([text]) => text);
  expect(await textsOf(['settings:write'])).toEqual(['1 webhook turned off']);
  // Mails to staff and to readers of reports are for those who manage them.
  expect(await textsOf(['accounts:read'])).toEqual(['1 email not delivered']);
  expect(await textsOf(['payments:read'])).toEqual(['1 difference in the books']);
});
