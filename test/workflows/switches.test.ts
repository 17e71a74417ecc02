import { call } from '../support/client';
import { cards, createFee } from '../support/factories';
import { chargesOf, eventsOf } from '../support/ledger';
import { refund, refunded } from '../support/payments';
import { changeCardOutcome, startLives, type Lived, type Lives } from '../support/lives';

/** A change of plans: the price of the difference, and when it is due. */

let lives: Lives;

beforeAll(async () => (lives = await startLives()));

afterAll(() => lives.stop());

const feeOf = async (life: Lived, fields: Record<string, unknown>) =>
  (await createFee(lives.app, life.shop.merchant, life.shop.item.id, fields)).id;

const amounts = async (life: Lived) =>
  (await chargesOf(lives.app, life.id)).map(({ amount, status }) => [amount, status]);

test('200: a dearer plan begins now, and only the difference of the time left is charged', async () => {
  const life = await lives.begin();
  const fee = await feeOf(life, { amount: '19.99', description: 'Gold' });
  const { current_period_end: endsAt } = await life.row();
  const { body } = await life.ask('switch:preview', { access_fee_id: fee });
  expect(body).toMatchObject({ mode: 'now', total: 10, currency: 'EUR' });
  expect(body).toHaveProperty('lines', [
    { description: 'Unused time of Monthly pass', amount: -9.99 },
    { description: 'Gold', amount: 19.99 },
  ]);
  expect((await life.ask('switch', { access_fee_id: fee })).status).toBe(200);
  expect(await life.row()).toMatchObject({ access_fee_id: fee, current_period_end: endsAt, subscription_price: 19.99 });
  const purchases = await life.send('GET', '/items/access/customers');
  const told = { purchased_access_fee_id: fee, purchased_access_fee_description: 'Gold', purchased_amount: 19.99 };
  expect(purchases.body).toMatchObject({ collection: [told] });
  await life.pass(32);
  expect(await amounts(life)).toEqual([
    [999, 'paid'],
    [1000, 'paid'],
    [1999, 'paid'],
  ]);
});

test('200: a cheaper plan waits for the period’s end', async () => {
  const life = await lives.begin();
  const fee = await feeOf(life, { amount: '4.99' });
  const named = { access_fee_id: fee, inplayer_token: life.id };
  expect((await life.send('POST', '/v2/subscriptions/stripe:switch', named)).status).toBe(200);
  expect(await life.row()).toMatchObject({ access_fee_id: life.shop.fee.id, pending_access_fee_id: fee });
  expect(await life.pass(32)).toMatchObject({ access_fee_id: fee, pending_access_fee_id: 0 });
  expect(await amounts(life)).toEqual([
    [999, 'paid'],
    [499, 'paid'],
  ]);
});

test('200: a cheaper plan now leaves a credit, which the next invoice uses', async () => {
  const life = await lives.begin(cards.success, { fee: { amount: '20' } });
  const fee = await feeOf(life, { amount: '5' });
  await life.pass(15);
  await life.ask('switch', { access_fee_id: fee, mode: 'now' });
  await life.pass(17);
  const [, next] = (await chargesOf(lives.app, life.id)).map(({ amount }) => amount);
  expect(next).toBe(0);
  const text = 'SELECT balance_minor::int AS balance FROM customer_balances WHERE account_id = $1';
  const { rows } = await lives.app.pool.query<{ balance: number }>(text, [life.shop.consumer.id]);
  expect(rows[0]?.balance).toBeGreaterThan(200);
  expect(rows[0]?.balance).toBeLessThan(300);
});

test('200: another interval begins a new period now', async () => {
  const life = await lives.begin();
  const fee = await feeOf(life, { amount: '99', period: 'year' });
  await life.ask('switch', { access_fee_id: fee });
  const row = await life.row();
  expect(row.current_period_end - row.current_period_start).toBeGreaterThan(364 * 86_400);
  expect((await amounts(life))[1]).toEqual([8901, 'paid']);
});

test('402 payment_failed: without the money the plan stays', async () => {
  const life = await lives.begin(cards.declinedAtRenewal);
  const fee = await feeOf(life, { amount: '19.99' });
  const body = { error: 'payment_failed', errors: { payment: 'Your card was declined.' } };
  expect(await life.ask('switch', { access_fee_id: fee })).toMatchObject({ status: 402, body });
  expect(await life.row()).toMatchObject({ status: 'active', access_fee_id: life.shop.fee.id });
  expect((await life.pass(30.9)).status).toBe('past_due');
});

test('402 payment_failed: a card that asks for an authentication is refused, and nobody is sent there', async () => {
  const life = await lives.begin();
  const fee = await feeOf(life, { amount: '19.99' });
  await changeCardOutcome(lives.app, life, 'needs_authentication');
  expect(await life.ask('switch', { access_fee_id: fee })).toMatchObject({ status: 402 });
  expect(await eventsOf(lives.app, life.id)).toEqual(['access.granted', 'subscribe.success']);
  expect((await amounts(life)).map(([, status]) => status)).toEqual(['paid', 'declined']);
});

test('200: a difference that a provider would refuse is owed, and charged with the next period', async () => {
  const life = await lives.begin();
  const fee = await feeOf(life, { amount: '10.29' });
  expect((await life.ask('switch:preview', { access_fee_id: fee })).body).toMatchObject({ total: 0, balance: -0.3 });
  expect((await life.ask('switch', { access_fee_id: fee })).status).toBe(200);
  expect(await life.row()).toMatchObject({ status: 'active', access_fee_id: fee });
  await life.pass(32);
  expect(await amounts(life)).toEqual([
    [999, 'paid'],
    [1059, 'paid'],
  ]);
});

test('200: what a credit leaves of a period is carried where it is too little, and no credit comes of it', async () => {
  const life = await lives.begin();
  await lives.app.pool.query(
    `INSERT INTO customer_balances (merchant_id, account_id, currency, balance_minor) VALUES ($1, $2, 'EUR', 970)`,
    [life.shop.merchant.id, life.shop.consumer.id],
  );
  await life.pass(32);
  const text = 'SELECT paid_minor::int AS paid, carried_minor::int AS carried FROM subscriptions WHERE token = $1';
  expect((await lives.app.pool.query(text, [life.id])).rows).toEqual([{ paid: 970, carried: 0 }]);
  await life.pass(31);
  expect(await amounts(life)).toEqual([
    [999, 'paid'],
    [0, 'paid'],
    [1028, 'paid'],
  ]);
});

test('200: the plan costs what it was priced at, even if the fee changes before the money is there', async () => {
  const life = await lives.begin();
  const fee = await feeOf(life, { amount: '19.99' });
  const { cardProvider } = await import('../../src/adapters/cardProviders/index.js');
  const provider = { ...cardProvider };
  cardProvider.charge = async (request) => {
    await lives.app.pool.query('UPDATE access_fees SET amount_minor = 9999 WHERE id = $1', [fee]);
    return provider.charge(request);
  };
  await life.ask('switch', { access_fee_id: fee });
  Object.assign(cardProvider, provider);
  expect(await life.row()).toMatchObject({ access_fee_id: fee, subscription_price: 19.99 });
});

test('200: submitted twice at once, it happens once and costs once', async () => {
  const life = await lives.begin();
  const fee = await feeOf(life, { amount: '99', period: 'year' });
  await Promise.all([1, 2, 3].map(() => life.ask('switch', { access_fee_id: fee })));
  expect(await life.row()).toMatchObject({ status: 'active', access_fee_id: fee });
  expect(await amounts(life)).toEqual([
    [999, 'paid'],
    [8901, 'paid'],
  ]);
  const text =
    'SELECT reason FROM subscription_events e JOIN subscriptions s ON s.id = subscription_id WHERE token = $1';
  const { rows } = await lives.app.pool.query<{ reason: string }>(text, [life.id]);
  expect(rows.filter(({ reason }) => reason === `plan ${fee}`)).toHaveLength(1);
});

test('200: what was given back of a period is no credit for another plan', async () => {
  const life = await lives.begin();
  const fee = await feeOf(life, { amount: '19.99' });
  const trxToken = `${life.id}-1-1`;
  await refund(lives.app, life.shop.merchant, trxToken);
  await refunded(lives.app, trxToken);
  expect((await life.ask('switch:preview', { access_fee_id: fee })).body).toMatchObject({ total: 19.99 });
});

test('200: in a trial no money moves, and the time that was used counts', async () => {
  const life = await lives.begin(cards.success, { trial: [7, 'day'] });
  const { trial_end: before } = await life.row();
  const fee = await feeOf(life, { amount: '19.99' });
  await lives.app.pool.query(`UPDATE access_fees SET trial_quantity = 14, trial_period = 'day' WHERE id = $1`, [fee]);
  await life.pass(3);
  await life.ask('switch', { access_fee_id: fee });
  expect(await life.row()).toMatchObject({ status: 'trialing', trial_end: before + 7 * 86_400 });
  expect(await amounts(life)).toEqual([]);
  expect((await life.pass(12)).status).toBe('active');
  expect(await amounts(life)).toEqual([[1999, 'paid']]);
});

test('409 subscription_state: not while it is canceled, nor where the item forbids it', async () => {
  const life = await lives.begin();
  const fee = await feeOf(life, { amount: '19.99' });
  await lives.app.pool.query('UPDATE items SET plan_switch_enabled = false WHERE id = $1', [life.shop.item.id]);
  expect((await life.ask('switch', { access_fee_id: fee })).body).toMatchObject({ error: 'subscription_state' });
  await lives.app.pool.query('UPDATE items SET plan_switch_enabled = true WHERE id = $1', [life.shop.item.id]);
  await call(lives.app, 'DELETE', `/subscriptions/${life.id}`, {}, life.shop.consumer);
  expect((await life.ask('switch', { access_fee_id: fee })).body).toMatchObject({ error: 'subscription_state' });
});
