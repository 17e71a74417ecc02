import { call } from '../../support/client';
import { createMerchant, reaches, type Person } from '../../support/factories';
import {
  completeAccount,
  connect,
  createAccount,
  createShopBelow,
  openBelow,
  startAccountsApp,
  subscribeWithForm,
  tellPlatform,
  type AccountsApp,
  type Provider,
} from '../../support/paymentAccounts';
import { refund } from '../../support/payments';
import { type ErrorBody } from '../../support/raw';
import { platformSettings } from '../../support/stripePlatform';
import { buyOnPage, offerRedirects } from '../../support/redirects';
import { passDays } from '../../support/testClock';
import { until } from '../../support/until';

let app: AccountsApp;

beforeAll(async () => {
  const fees = { CONNECT_FEE_PERCENT: '10', CONNECT_FEE_FIXED: 'EUR:0.25', CONNECT_FEE_REFUNDED: 'true' };
  app = await startAccountsApp({ CARD_PROVIDER: 'none', ...platformSettings, ...fees });
  await app.startWorker();
});

afterAll(() => app.stop());

const read = async (merchant: Person) =>
  (await call<Provider>(app, 'GET', '/payments/provider', undefined, merchant)).body;

const ask = (merchant: Person) =>
  call<{ url: string } & ErrorBody>(app, 'POST', '/payments/provider/connect', {}, merchant);

test('200: an account is opened once, and the merchant sells when Stripe lets it take payments', async () => {
  const merchant = await createMerchant(app);
  const account = await openBelow(app, merchant);
  expect(await read(merchant)).toMatchObject({
    source: 'none',
    can_sell: false,
    connect_offered: true,
    connect: { account: account.id, mode: 'test', state: 'onboarding', missing: [] },
  });
  const again = await ask(merchant);
  expect(again.body.url).toContain(account.id);
  account.hasAnswered = true;
  await tellPlatform(app, { type: 'account.updated', account: account.id, object: {} });
  expect(await read(merchant)).toMatchObject({
    can_sell: false,
    connect: { state: 'restricted', missing: ['external_account'] },
  });
  await completeAccount(app, account);
  expect(await read(merchant)).toMatchObject({
    source: 'own',
    can_sell: true,
    kind: 'connect',
    account: account.id,
    secret_key: null,
    notification_url: null,
    connect: { state: 'active', missing: [] },
  });
  expect(app.stripe.accounts.filter(({ id }) => id === account.id)).toHaveLength(1);
});

test('200: two requests at once open one account', async () => {
  const merchant = await createMerchant(app);
  const before = app.stripe.accounts.length;
  const replies = await Promise.all([ask(merchant), ask(merchant), ask(merchant)]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(app.stripe.accounts).toHaveLength(before + 1);
});

test('200: every request for the merchant names the account, and the platform gets its fee', async () => {
  const { shop, account } = await createShopBelow(app);
  const before = app.stripe.sent.length;
  const { subscription_id: id } = (await subscribeWithForm(app, shop, account)).body;
  const { current_period_end: endsAt } = await reaches(app, shop.consumer, id, 'active');
  await passDays(app, shop.merchant, (endsAt - Date.now() / 1000) / 86_400 + 0.1);
  await until(() => account.intents.size === 2);
  const sent = app.stripe.sent.slice(before);
  expect(new Set(sent.map(({ account: named }) => named))).toEqual(new Set([account.id]));
  const charges = sent.filter(({ path }) => path === '/v1/payment_intents');
  // 10 % of 9.99 are 0.999, with 0.25 they are 1.249.
  expect(charges.map(({ fields }) => fields['application_fee_amount'])).toEqual(['125', '125']);
  const paid = `SELECT trx_token, application_fee_minor::int AS fee FROM charges
    WHERE merchant_id = $1 AND status = 'paid' ORDER BY cycle`;
  await until(async () => (await app.pool.query(paid, [shop.merchant.id])).rows.length === 2);
  const { rows } = await app.pool.query<{ trx_token: string; fee: number }>(paid, [shop.merchant.id]);
  expect(rows.map(({ fee }) => fee)).toEqual([125, 125]);
  expect((await refund(app, shop.merchant, rows[0]?.trx_token ?? '')).status).toBe(200);
  await until(() => account.refunds.length === 1);
  const refunded = app.stripe.sent.find(({ path, account: named }) => path === '/v1/refunds' && named === account.id);
  expect(refunded?.fields['refund_application_fee']).toBe('true');
});

test('paid: a payment on a page of the bank and its renewal are made in the account, with the fee', async () => {
  const { shop, account } = await createShopBelow(app);
  await offerRedirects(app, shop);
  const before = app.stripe.sent.length;
  const page = await buyOnPage(app, shop, 'subscription');
  account.answerAuthentication(page.pi, true);
  await page.comeBack();
  const { current_period_end: endsAt } = await reaches(app, shop.consumer, page.id, 'active');
  await passDays(app, shop.merchant, (endsAt - Date.now() / 1000) / 86_400 + 0.1);
  await until(() => account.intents.size === 2);
  const sent = app.stripe.sent.slice(before);
  expect(new Set(sent.map(({ account: named }) => named))).toEqual(new Set([account.id]));
  const charges = sent.filter(({ path }) => path === '/v1/payment_intents').map(({ fields }) => fields);
  expect(charges.map((fields) => fields['application_fee_amount'])).toEqual(['125', '125']);
  expect(charges.map((fields) => fields['allowed_payment_method_types'])).toEqual([['ideal'], ['sepa_debit']]);
});

test('200: the keys of the same account replace the platform, and renewals go on', async () => {
  const { shop, account } = await createShopBelow(app);
  const { subscription_id: id } = (await subscribeWithForm(app, shop, account)).body;
  const { current_period_end: endsAt } = await reaches(app, shop.consumer, id, 'active');
  const own = { secretKey: `sk_test_${account.id.slice(5)}`, publishableKey: `pk_test_${account.id.slice(5)}` };
  Object.assign(account, { ...own, isAuthorized: false });
  await tellPlatform(app, { type: 'account.application.deauthorized', account: account.id, object: {} });
  expect((await connect(app, shop.merchant, own)).body).toMatchObject({ kind: 'keys', can_sell: true, connect: null });
  await passDays(app, shop.merchant, (endsAt - Date.now() / 1000) / 86_400 + 0.1);
  await until(() => account.intents.size === 2);
});

test('200: an account that was disconnected is connected again, and takes payments at once', async () => {
  const { shop, account } = await createShopBelow(app);
  expect((await call(app, 'DELETE', '/payments/provider', undefined, shop.merchant)).status).toBe(200);
  expect(await read(shop.merchant)).toMatchObject({ source: 'none', can_sell: false, connect: null });
  // What Stripe tells of it in the meantime changes nothing.
  await tellPlatform(app, { type: 'account.updated', account: account.id, object: {} });
  expect((await read(shop.merchant)).can_sell).toBe(false);
  expect((await ask(shop.merchant)).body.url).toContain(account.id);
  expect(await read(shop.merchant)).toMatchObject({ can_sell: true, account: account.id });
});

test('200: an account with keys stays the current one until the account of the platform takes payments', async () => {
  const merchant = await createMerchant(app);
  const own = createAccount(app);
  await connect(app, merchant, own);
  const account = await openBelow(app, merchant);
  expect(await read(merchant)).toMatchObject({ kind: 'keys', account: own.id, connect: { state: 'onboarding' } });
  await completeAccount(app, account);
  expect(await read(merchant)).toMatchObject({
    kind: 'connect',
    account: account.id,
    former_accounts: [{ account: own.id }],
  });
});

test('503 service_unavailable: Stripe does not answer; nothing is saved, and a later request opens one account', async () => {
  const merchant = await createMerchant(app);
  app.stripe.fail('/v1/accounts', '500 after the work', 2);
  expect((await ask(merchant)).status).toBe(503);
  app.stripe.mend();
  expect((await read(merchant)).connect).toBeNull();
  const before = app.stripe.accounts.length;
  expect((await ask(merchant)).status).toBe(200);
  expect(app.stripe.accounts).toHaveLength(before);
});

test('409 connect_refused: Stripe refuses the platform', async () => {
  const merchant = await createMerchant(app);
  app.stripe.refuse('/v1/accounts', 400, { type: 'invalid_request_error', message: 'Sign up for Connect first.' });
  const { status, body } = await ask(merchant);
  app.stripe.mend();
  expect([status, body.error]).toEqual([409, 'connect_refused']);
});
