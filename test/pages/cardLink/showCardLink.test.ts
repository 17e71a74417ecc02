import { call } from '../../support/client';
import { cards, reaches } from '../../support/factories';
import {
  afterEightDays,
  beginErasure,
  canceledPlan,
  openLink,
  planWithoutCard,
  pressButton,
} from '../../support/mailLinks';
import { putInState } from '../../support/operators';
import { startApp, type TestApp } from '../../support/startApp';
import { changedLink } from '../../support/waitingRenewal';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const card = { card_name: 'Ana Petrova', exp_month: '2', exp_year: '40', cvv: '123' };

test('200: the form, the present card and the brand, in the reader’s language; opening the page saves nothing', async () => {
  const { shop, path } = await planWithoutCard(app);
  const { status, body } = await openLink(app, path);
  expect(status).toBe(200);
  for (const part of ['Update your card', 'Monthly pass', 'ending in 0630', 'overdue amount', 'logo.png'])
    expect(body).toContain(part);
  for (const secret of [shop.consumer.email, 'Ana Petrova']) expect(body).not.toContain(secret);
  expect((await openLink(app, path, 'ar')).body).toContain('حدّث بطاقتك');
  const { rows } = await app.pool.query('SELECT FROM cards WHERE account_id = $1', [shop.consumer.id]);
  expect(rows).toHaveLength(1);
});

test('200: the link is closed after seven days, and after the end of the subscription', async () => {
  const { shop, id, path } = await planWithoutCard(app);
  const later = await afterEightDays(() => openLink(app, path));
  expect(later.body).toContain('This link no longer works');
  await call(app, 'DELETE', `/subscriptions/${id}`, undefined, shop.consumer);
  await reaches(app, shop.consumer, id, 'canceled');
  expect((await openLink(app, path)).body).toContain('This link no longer works');
});

test('402 payment_failed: the payer refuses the authentication of the card, and can enter another one', async () => {
  const { path } = await planWithoutCard(app);
  const { headers } = await pressButton(app, path, { ...card, number: cards.authenticatedOnce });
  const bank = new URL(headers.get('location') ?? '').pathname;
  const answered = await call(app, 'POST', bank, { answer: 'refused' });
  const back = new URL(answered.headers.get('location') ?? '');
  expect(back.pathname).toBe(path);
  const { status, body } = await openLink(app, `${back.pathname}${back.search}`);
  expect([status, body.includes('name="number"')]).toEqual([402, true]);
});

test('403 merchant_not_open: the merchant is suspended', async () => {
  const { shop, path } = await planWithoutCard(app);
  await putInState(app, shop.merchant, 'suspended');
  expect(await openLink(app, path)).toMatchObject({ status: 403 });
});

test('404 payment_not_found: a link that is changed, made up, for another purpose, or of an account that is erased', async () => {
  const { shop, path } = await planWithoutCard(app);
  const keep = (await canceledPlan(app)).path.split('/').at(-1) ?? '';
  for (const wrong of [
    changedLink(path),
    `/payments/card/${keep}`,
    '/payments/card/1',
    `/payments/card/${'x'.repeat(201)}`,
  ]) {
    const { status, body } = await openLink(app, wrong);
    expect([wrong, status, body.includes('This link is not valid')]).toEqual([wrong, 404, true]);
  }
  await beginErasure(app, shop.consumer);
  expect((await openLink(app, path)).status).toBe(404);
});

test('404 payment_not_found: the authentication of another account', async () => {
  const [one, other] = [await planWithoutCard(app), await planWithoutCard(app)];
  const { headers } = await pressButton(app, one.path, { ...card, number: cards.authenticatedOnce });
  const reference = new URL(headers.get('location') ?? '').pathname.split('/').at(-1) ?? '';
  expect((await openLink(app, `${other.path}?setup_intent=${reference}`)).status).toBe(404);
});
