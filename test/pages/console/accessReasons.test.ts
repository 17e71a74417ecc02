import { call } from '../../support/client';
import { cards, createShop, type Person, purchase, reaches, type Shop, subscribe } from '../../support/factories';
import { receives } from '../../support/mailbox';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { createPayShop, paid } from '../../support/payments';
import { manage } from '../../support/restrictions';
import { createRole, createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';
import { failToRenew, passDays } from '../../support/testClock';
import { until } from '../../support/until';
import { createVoucher } from '../../support/vouchers';

/** Why a customer has access or none, and the actions beside it. */

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_MAILS: '2' });
  await app.startWorker();
});
afterAll(() => app.stop());

const plain = (text: string) =>
  text
    .replaceAll(/<svg[^]*?<\/svg>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const pageOf = ({ id }: Person) => `/console/customers/${id}`;

/** The lines of the card, each with its actions. */
async function reasonsOn(walker: PageWalker, consumer: Person): Promise<string[]> {
  const { text } = await walker.open(pageOf(consumer));
  const [, card = ''] = /aria-label="Why there is access or none">([^]*?)<\/section>/.exec(text) ?? [];
  return card
    .split('<div class="row spread">')
    .slice(1)
    .map((line) => plain(line));
}

const reasonsFor = async ({ merchant, consumer }: Shop) => reasonsOn(await enterConsole(app, merchant.email), consumer);

// The link of the mail would end the session of the test.
const activate = ({ consumer }: Shop) =>
  app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [consumer.id]);

async function activeShop(number: string = cards.success) {
  const shop = await createShop(app);
  await activate(shop);
  const { body } = await subscribe(app, shop, number);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  return { shop, token: body.subscription_id };
}

const mailsOf = async ({ id }: Person) => {
  const text = 'SELECT template FROM mails WHERE account_id = $1 ORDER BY template';
  return (await app.pool.query<{ template: string }>(text, [id])).rows.map(({ template }) => template);
};

const date = String.raw`[A-Z][a-z]+ \d{1,2}, \d{4}`;

test('200: a customer without any access, who has not opened the activation mail', async () => {
  expect(await reasonsFor(await createShop(app))).toEqual([
    'No access: this customer never had any.',
    'Not activated: the customer has not opened the link of the activation email. Resend activation email',
  ]);
});

test('200: a paid subscription, then a canceled one', async () => {
  const { shop, token } = await activeShop();
  const has = `^Has access to ${shop.item.title} until ${date}: subscription`;
  expect(await reasonsFor(shop)).toEqual([expect.stringMatching(new RegExp(`${has}, paid. Extend Resend receipt$`))]);
  await call(app, 'DELETE', `/subscriptions/${token}`, undefined, shop.consumer);
  const [reason] = await until(async () => {
    const found = await reasonsFor(shop);
    return found[0]?.includes('canceled') === true && found;
  });
  expect(reason).toMatch(new RegExp(`${has}, canceled. Extend Resend receipt$`));
});

test('200: an overdue subscription, then the end of its grace period', async () => {
  const { shop, token } = await activeShop(cards.declinedAtRenewal);
  await failToRenew(app, shop, token);
  const has = `^Has access to ${shop.item.title} until ${date}: subscription, payment overdue.`;
  expect(await reasonsFor(shop)).toEqual([expect.stringMatching(new RegExp(has))]);
  await passDays(app, shop.merchant, 10);
  await reaches(app, shop.consumer, token, 'on_hold');
  const lost = `^No access to ${shop.item.title}: the payment failed, and the grace period ended on ${date}. Resend receipt$`;
  expect(await reasonsFor(shop)).toEqual([expect.stringMatching(new RegExp(lost))]);
});

test('200: access of a deactivated account, blocked by the age rule, and revoked', async () => {
  const { shop } = await activeShop();
  const { merchant, consumer, item } = shop;
  const walker = await enterConsole(app, merchant.email);
  await app.pool.query(`UPDATE accounts SET date_of_birth = current_date - 3000 WHERE id = $1`, [consumer.id]);
  await manage(app, shop, 'POST', `age/item/${item.id}`, { min_age: 18 });
  expect(await reasonsOn(walker, consumer)).toEqual([
    expect.stringContaining(`No access to ${item.title}: the age rule blocks this customer.`),
  ]);
  const { rows } = await app.pool.query<{ id: number }>('SELECT id FROM accesses WHERE account_id = $1', [consumer.id]);
  await walker.submit(`${pageOf(consumer)}/accesses/${rows[0]?.id}/revoke`);
  expect(await reasonsOn(walker, consumer)).toEqual([
    expect.stringMatching(new RegExp(`^No access to ${item.title}: it was revoked on ${date}.`)),
  ]);
  await walker.submit(`${pageOf(consumer)}/deactivate`);
  expect(await reasonsOn(walker, consumer)).toEqual(['No access: the account is deactivated.']);
});

test('200: the extension opens with the access that was chosen', async () => {
  const { shop, token } = await activeShop();
  const walker = await enterConsole(app, shop.merchant.email);
  const { text } = await walker.open(pageOf(shop.consumer));
  expect(text).toContain(`href="?find=${token}#extend"`);
  const chosen = await walker.open(`${pageOf(shop.consumer)}?find=${token}`);
  expect(chosen.text).toMatch(/<details class="more" open>\s*<summary>Extend access/);
  expect(chosen.text).toMatch(new RegExp(`<option value="${token}"\\s+selected`));
});

test('200: the receipt is offered only if there is one to send', async () => {
  const free = await createShop(app);
  await activate(free);
  const voucher = await createVoucher(app, free.merchant, { discount: 100 });
  const fields = { ...purchase(free), voucher_code: voucher.code };
  const { body } = await call<{ subscription_id: string }>(app, 'POST', '/subscriptions', fields, free.consumer);
  await reaches(app, free.consumer, body.subscription_id, 'active');
  expect((await reasonsFor(free))[0]).toMatch(/subscription, paid. Extend$/);
  const { shop } = await activeShop();
  const change = (assignment: string) =>
    app.pool.query(`UPDATE charges SET ${assignment} WHERE account_id = $1`, [shop.consumer.id]);
  await change('reversed_at = now()');
  expect((await reasonsFor(shop))[0]).toMatch(/Extend$/);
  await change('reversed_at = NULL');
  expect((await reasonsFor(shop))[0]).toMatch(/Resend receipt$/);
});

test('303: the receipt and the activation mail are sent again', async () => {
  const shop = await createPayShop(app);
  const { merchant, consumer } = shop;
  await paid(app, shop);
  const walker = await enterConsole(app, merchant.email);
  const { text } = await walker.open(pageOf(consumer));
  const [, receipt = ''] = /action="([^"]+\/receipts\/[^"]+\/resend)"/.exec(text) ?? [];
  for (const [path, template] of [
    [receipt, 'receipt'],
    [`${pageOf(consumer)}/activation/resend`, 'activation'],
  ] as const) {
    const first = await receives(app, merchant, consumer.email, template);
    const done = await walker.submit(path, { resend: 'true' });
    expect([done.status, done.headers.get('location')]).toEqual([303, `${pageOf(consumer)}?done=sent`]);
    await receives(app, merchant, consumer.email, template, first.id);
  }
});

test('422: the page says that it was too often, and opens no other form', async () => {
  const { merchant, consumer } = await createShop(app);
  const walker = await enterConsole(app, merchant.email);
  await walker.open(pageOf(consumer));
  const send = () => walker.submit(`${pageOf(consumer)}/activation/resend`, { resend: 'true' });
  await send();
  await send();
  const { status, text } = await send();
  expect(status).toBe(422);
  expect(text).toContain('Too many attempts. Wait a moment, then try again.');
  expect(text).not.toContain('<details class="more" open>');
});

test('404, 422: a customer and a payment of another merchant, and no mail is sent', async () => {
  const [shop, other] = [await createPayShop(app), await createPayShop(app)];
  const token = await paid(app, other);
  const own = pageOf(shop.consumer);
  const walker = await enterConsole(app, shop.merchant.email);
  await walker.open(own);
  const send = async (path: string) => (await walker.submit(path, { resend: 'true' })).status;
  expect(await send(`${pageOf(other.consumer)}/activation/resend`)).toBe(404);
  // The page of the own customer shows the refusal.
  expect(await send(`${own}/receipts/${token}/resend`)).toBe(422);
  expect(await mailsOf(other.consumer)).toEqual(['activation', 'receipt']);
});

test('200: who may only read sees the reason without actions', async () => {
  const { shop } = await activeShop();
  const roleId = await createRole(app, shop.merchant, ['accounts:read', 'payments:read']);
  const reader = await createStaff(app, shop.merchant, { role_id: roleId });
  const walker = await enterConsole(app, reader.email);
  const [reason] = await reasonsOn(walker, shop.consumer);
  expect(reason).toMatch(/subscription, paid\.$/);
});

test('200: an old revocation of lifetime access is not the reason why a later subscription gives none', async () => {
  const { shop } = await activeShop();
  await app.pool.query(
    `INSERT INTO accesses (merchant_id, account_id, item_id, source, source_id, starts_at, expires_at, revoked_at, environment)
     SELECT merchant_id, account_id, item_id, 'grant', id, now() - interval '3 years', '2100-01-01', now() - interval '2 years', environment
     FROM accesses WHERE account_id = $1 LIMIT 1`,
    [shop.consumer.id],
  );
  await app.pool.query(
    `UPDATE accesses SET expires_at = now() - interval '1 day', starts_at = now() - interval '30 days'
     WHERE account_id = $1 AND revoked_at IS NULL`,
    [shop.consumer.id],
  );
  expect((await reasonsFor(shop))[0]).toMatch(/^No access to .*subscription/);
});

test('200: a role without purchases sees and resends an activation that waits', async () => {
  const shop = await createShop(app);
  const roleId = await createRole(app, shop.merchant, ['accounts:read', 'accounts:write']);
  const member = await createStaff(app, shop.merchant, { role_id: roleId });
  const walker = await enterConsole(app, member.email);
  expect(await reasonsOn(walker, shop.consumer)).toEqual([
    'Not activated: the customer has not opened the link of the activation email. Resend activation email',
  ]);
  await activate(shop);
  expect(await reasonsOn(walker, shop.consumer)).toEqual([]);
});
