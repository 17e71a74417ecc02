import { call } from '../../support/client';
import { reaches } from '../../support/factories';
import { chargesOf } from '../../support/ledger';
import { beginMove } from '../../support/installations';
import { startApp, type TestApp } from '../../support/startApp';
import { changedLink, waitingRenewal } from '../../support/waitingRenewal';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

test('200: after a cancellation the payment is closed, and the button charges nothing', async () => {
  const { shop, id, path } = await waitingRenewal(app);
  await call(app, 'DELETE', `/subscriptions/${id}`, undefined, shop.consumer);
  await reaches(app, shop.consumer, id, 'canceled');
  expect((await call<string>(app, 'GET', path)).body).toContain('This payment is closed');
  expect((await call<string>(app, 'POST', path)).body).toContain('This payment is closed');
  expect((await chargesOf(app, id)).map(({ status }) => status)).toEqual(['paid', 'declined']);
});

test('404 payment_not_found: a link that is changed or made up', async () => {
  const { path } = await waitingRenewal(app);
  for (const wrong of [changedLink(path), '/payments/confirm/1'])
    expect(await call(app, 'POST', wrong)).toMatchObject({ status: 404, body: { error: 'payment_not_found' } });
});

test('503 service_unavailable: the provider does not answer; the payment still waits', async () => {
  const { id, path } = await waitingRenewal(app);
  const { cardProvider } = await import('../../../src/adapters/cardProviders/index.js');
  const silence = jest.spyOn(cardProvider, 'confirmCharge').mockResolvedValue({ outcome: 'unknown' });
  const { status, headers } = await call(app, 'POST', path);
  silence.mockRestore();
  expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  expect((await chargesOf(app, id)).at(-1)).toMatchObject({ status: 'requires_action' });
  expect((await call(app, 'POST', path)).status).toBe(303);
});

test('503 service_unavailable: the merchant moves to another installation; the payment still waits', async () => {
  const { id, path } = await waitingRenewal(app);
  const { rows } = await app.pool.query<{ id: number }>(
    'SELECT merchant_id AS id FROM subscriptions WHERE token = $1',
    [id],
  );
  const stay = await beginMove(app, { id: rows[0]?.id ?? 0 });
  expect((await call(app, 'POST', path)).status).toBe(503);
  expect((await chargesOf(app, id)).at(-1)).toMatchObject({ status: 'requires_action' });
  await stay();
  expect((await call(app, 'POST', path)).status).toBe(303);
});
