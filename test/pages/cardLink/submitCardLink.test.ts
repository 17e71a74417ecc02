import { call } from '../../support/client';
import { cards, reaches } from '../../support/factories';
import { chargesOf } from '../../support/ledger';
import { afterEightDays, beginErasure, openLink, planWithoutCard, pressButton } from '../../support/mailLinks';
import { putInState } from '../../support/operators';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';
import { changedLink } from '../../support/waitingRenewal';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const card = { number: cards.success, card_name: 'Ana Petrova', exp_month: '2', exp_year: '40', cvv: '123' };

const digitsOf = async (id: string) => {
  const text = `SELECT c.last_four FROM subscriptions s JOIN cards c ON c.id = s.card_id WHERE s.token = $1`;
  const { rows } = await app.pool.query<{ last_four: string }>(text, [id]);
  return rows[0]?.last_four;
};

test('303: the card pays the overdue amount and the renewals, and the link has had its use', async () => {
  const { shop, id, path } = await planWithoutCard(app);
  const { status, headers } = await pressButton(app, path, card);
  expect([status, headers.get('location')]).toEqual([303, path]);
  await reaches(app, shop.consumer, id, 'active');
  expect(await digitsOf(id)).toBe('4242');
  expect((await chargesOf(app, id)).map(({ status: of }) => of)).toEqual(['paid', 'declined', 'paid']);
  expect((await openLink(app, path)).body).toContain('Your card is updated');

  expect((await pressButton(app, path, { ...card, number: '4111111111111111' })).status).toBe(303);
  const { rows } = await app.pool.query('SELECT FROM cards WHERE account_id = $1', [shop.consumer.id]);
  expect([await digitsOf(id), rows.length]).toEqual(['4242', 2]);
});

test('303: of two cards that are sent at the same time, one is saved', async () => {
  const { shop, id, path } = await planWithoutCard(app);
  const sent = [card.number, '4111111111111111'].map((number) => pressButton(app, path, { ...card, number }));
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([303, 303]);
  await reaches(app, shop.consumer, id, 'active');
  const { rows } = await app.pool.query('SELECT FROM cards WHERE account_id = $1', [shop.consumer.id]);
  expect(rows).toHaveLength(2);
});

test('303: it is the default card, but the link lets no browser pay with saved cards', async () => {
  const { shop, path } = await planWithoutCard(app);
  await pressButton(app, path, card);
  const { body } = await call(app, 'GET', '/v2/payments/cards/default', undefined, shop.consumer);
  expect(body).toMatchObject({ cards: { EUR: { number: 4242 } } });
  const typed = 'SELECT FROM cards WHERE account_id = $1 AND browser_hash IS NOT NULL';
  expect((await app.pool.query(typed, [shop.consumer.id])).rows).toEqual([]);
});

test('303: the bank asks for the payer, who returns to the page, and the card is used', async () => {
  const { shop, id, path } = await planWithoutCard(app);
  const { status, headers } = await pressButton(app, path, { ...card, number: cards.authenticatedOnce });
  const bank = new URL(headers.get('location') ?? '').pathname;
  expect([status, bank]).toEqual([303, expect.stringContaining('/sandbox/authenticate/')]);
  expect((await openLink(app, path)).body).toContain('name="number"');
  const answered = await call(app, 'POST', bank, { answer: 'approved' });
  const back = new URL(answered.headers.get('location') ?? '');
  expect((await openLink(app, `${back.pathname}${back.search}`)).body).toContain('Your card is updated');
  await reaches(app, shop.consumer, id, 'active');
  expect(await digitsOf(id)).toBe('3155');
});

test('303: an expired link saves nothing', async () => {
  const { shop, path } = await planWithoutCard(app);
  expect((await afterEightDays(() => pressButton(app, path, card))).status).toBe(303);
  const { rows } = await app.pool.query('SELECT FROM cards WHERE account_id = $1', [shop.consumer.id]);
  expect(rows).toHaveLength(1);
});

test('303: the new card cannot pay the overdue amount; it stays, and the page says that the amount is being charged', async () => {
  const { id, path } = await planWithoutCard(app);
  await pressButton(app, path, { ...card, number: cards.declinedWhenCharged });
  await until(async () => (await chargesOf(app, id)).length === 3);
  expect((await openLink(app, path)).body).toContain('We are charging the overdue amount');
  expect(await digitsOf(id)).toBe('0341');
});

test('400 missing_parameter: a form without a card shows the fields again', async () => {
  const { path } = await planWithoutCard(app);
  const { status, body } = await pressButton(app, path, { card_name: 'Ana Petrova' });
  expect([status, body.includes('name="number"'), body.includes('aria-invalid="true"')]).toEqual([400, true, true]);
});

test('422 invalid_input: a card that breaks a rule is not saved, and its number is not shown again', async () => {
  const { shop, path } = await planWithoutCard(app);
  for (const wrong of [{ number: '4242424242424241' }, { exp_year: '20' }, { cvv: '12345' }]) {
    const sent = { ...card, ...wrong };
    const { status, body } = await pressButton(app, path, sent);
    expect([status, body.includes('name="number"'), body.includes(sent.number)]).toEqual([422, true, false]);
  }
  const { rows } = await app.pool.query('SELECT FROM cards WHERE account_id = $1', [shop.consumer.id]);
  expect(rows).toHaveLength(1);
});

test('402 payment_failed: the bank refuses the card, and the present one stays', async () => {
  const { id, path } = await planWithoutCard(app);
  const { status, body } = await pressButton(app, path, { ...card, number: cards.declined });
  expect([status, body.includes('The payment failed.')]).toEqual([402, true]);
  expect(await digitsOf(id)).toBe('0630');
});

test('402 provider_misconfigured: the payment service of the merchant does not take cards', async () => {
  const { id, path } = await planWithoutCard(app);
  const { status } = await pressButton(app, path, { ...card, number: cards.misconfigured });
  expect([status, await digitsOf(id)]).toEqual([402, '0630']);
});

test('403 merchant_not_open: the merchant is suspended', async () => {
  const { shop, path } = await planWithoutCard(app);
  await putInState(app, shop.merchant, 'suspended');
  expect((await pressButton(app, path, card)).status).toBe(403);
});

test('404 payment_not_found: a link that is changed or made up, or of an account that is erased', async () => {
  const { shop, path } = await planWithoutCard(app);
  for (const wrong of [changedLink(path), '/payments/card/1'])
    expect((await pressButton(app, wrong, card)).status).toBe(404);
  await beginErasure(app, shop.consumer);
  expect((await pressButton(app, path, card)).status).toBe(404);
});
