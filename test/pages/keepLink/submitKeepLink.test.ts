import { reaches, type SubscriptionRow } from '../../support/factories';
import { call } from '../../support/client';
import { chargesOf } from '../../support/ledger';
import { afterEightDays, beginErasure, canceledPlan, openLink, pressButton } from '../../support/mailLinks';
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

const renewsOf = async (id: string) => {
  const text = 'SELECT auto_renew, canceled_at FROM subscriptions WHERE token = $1';
  return (await app.pool.query<{ auto_renew: boolean; canceled_at: Date | null }>(text, [id])).rows[0]?.auto_renew;
};

test('303: the subscription renews again, also when the button is pressed several times at once', async () => {
  const { shop, id, path } = await canceledPlan(app);
  const answers = await Promise.all(Array.from({ length: 5 }, () => pressButton(app, path)));
  expect(answers.map(({ status }) => status)).toContain(303);
  const { body } = await call<SubscriptionRow>(app, 'GET', `/subscriptions/${id}`, undefined, shop.consumer);
  expect(body).toMatchObject({ status: 'active', cancel_at_period_end: false });
  expect((await chargesOf(app, id)).map(({ status }) => status)).toEqual(['paid']);
  expect((await openLink(app, path)).body).toContain('Your subscription continues');
  const { rows } = await app.pool.query('SELECT action FROM audit_log WHERE merchant_id = $1 AND action LIKE $2', [
    shop.merchant.id,
    'subscription.%',
  ]);
  expect(rows).toEqual([{ action: 'subscription.resume' }]);
});

test('200: an expired link, and that of a subscription that has ended, change nothing', async () => {
  const { shop, id, path } = await canceledPlan(app);
  const late = await afterEightDays(() => pressButton(app, path));
  expect([late.status, late.body.includes('This link no longer works')]).toEqual([200, true]);
  expect(await renewsOf(id)).toBe(false);
  await passDays(app, shop.merchant, 32);
  await reaches(app, shop.consumer, id, 'canceled');
  expect((await pressButton(app, path)).status).toBe(200);
  expect(await renewsOf(id)).toBe(false);
});

test('403 merchant_not_open: the merchant is suspended', async () => {
  const { shop, id, path } = await canceledPlan(app);
  await putInState(app, shop.merchant, 'suspended');
  expect([(await pressButton(app, path)).status, await renewsOf(id)]).toEqual([403, false]);
});

test('404 subscription_not_found: a link that is changed or made up, or of an account that is erased', async () => {
  const { shop, id, path } = await canceledPlan(app);
  for (const wrong of [changedLink(path), '/subscriptions/keep/1'])
    expect((await pressButton(app, wrong)).status).toBe(404);
  await beginErasure(app, shop.consumer);
  expect((await pressButton(app, path)).status).toBe(404);
  expect(await renewsOf(id)).toBe(false);
});
