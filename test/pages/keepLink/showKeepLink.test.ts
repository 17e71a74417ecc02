import { call } from '../../support/client';
import { reaches } from '../../support/factories';
import { mailsTo } from '../../support/mailbox';
import { afterEightDays, beginErasure, cancel, canceledPlan, openLink, planWithoutCard } from '../../support/mailLinks';
import { putInState } from '../../support/operators';
import { startApp, type TestApp } from '../../support/startApp';
import { passDays } from '../../support/testClock';
import { changedLink } from '../../support/waitingRenewal';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const rowOf = async (id: string) => {
  const { rows } = await app.pool.query('SELECT auto_renew FROM subscriptions WHERE token = $1', [id]);
  return rows[0] as unknown;
};

test('200: what continues, for what amount and when; opening the page changes nothing', async () => {
  const { shop, id, path } = await canceledPlan(app);
  const { status, body } = await openLink(app, path);
  expect(status).toBe(200);
  for (const part of ['Keep your subscription', 'Monthly pass', '€9.99', 'It ends on', 'logo.png'])
    expect(body).toContain(part);
  expect(body).not.toContain(shop.consumer.email);
  expect((await openLink(app, path, 'ar')).body).toContain('احتفظ باشتراكك');
  expect(await rowOf(id)).toEqual({ auto_renew: false });
});

test('200: the link is closed after seven days, after a later cancellation, and after the end', async () => {
  const { shop, id, path } = await canceledPlan(app);
  const isClosed = async () => (await openLink(app, path)).body.includes('This link no longer works');
  expect((await afterEightDays(() => openLink(app, path))).body).toContain('This link no longer works');
  await call(app, 'POST', `/subscriptions/${id}/resume`, undefined, shop.consumer);
  expect((await openLink(app, path)).body).toContain('Your subscription continues');
  const [{ id: lastMail } = { id: 0 }] = await mailsTo(app, shop.merchant, shop.consumer.email);
  const later = await cancel(app, shop, id, lastMail);
  expect(await isClosed()).toBe(true);
  expect((await openLink(app, later)).body).toContain('Keep your subscription');
  await passDays(app, shop.merchant, 32);
  await reaches(app, shop.consumer, id, 'canceled');
  expect((await openLink(app, later)).body).toContain('This link no longer works');
});

test('200: without a card the page leads to the account', async () => {
  const { id, path } = await canceledPlan(app);
  await app.pool.query('UPDATE subscriptions SET card_id = NULL WHERE token = $1', [id]);
  const { body } = await openLink(app, path);
  expect([body.includes('add a card in your account'), body.includes('<form')]).toEqual([true, false]);
});

test('403 merchant_not_open: the merchant is suspended', async () => {
  const { shop, path } = await canceledPlan(app);
  await putInState(app, shop.merchant, 'suspended');
  expect((await openLink(app, path)).status).toBe(403);
});

test('404 subscription_not_found: a link that is changed, made up, for another purpose, or of an account that is erased', async () => {
  const { shop, path } = await canceledPlan(app);
  const card = (await planWithoutCard(app)).path.split('/').at(-1) ?? '';
  for (const wrong of [changedLink(path), `/subscriptions/keep/${card}`, '/subscriptions/keep/1']) {
    const { status, body } = await openLink(app, wrong);
    expect([wrong, status, body.includes('This link is not valid')]).toEqual([wrong, 404, true]);
  }
  await beginErasure(app, shop.consumer);
  expect((await openLink(app, path)).status).toBe(404);
});
