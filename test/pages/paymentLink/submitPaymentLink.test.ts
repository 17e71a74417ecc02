import { call } from '../../support/client';
import { reaches } from '../../support/factories';
import { chargesOf } from '../../support/ledger';
import { owedRenewal } from '../../support/owedRenewal';
import { startApp, type TestApp } from '../../support/startApp';
import { changedLink } from '../../support/waitingRenewal';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const statusesOf = async (id: string) => (await chargesOf(app, id)).map(({ status }) => status);
const press = (path: string) => call<string>(app, 'POST', path);

test('303: the saved card is charged once, also when the button is pressed several times at once', async () => {
  const { shop, id, path } = await owedRenewal(app);
  const answers = await Promise.all(Array.from({ length: 5 }, () => press(path)));
  expect(answers.map(({ status }) => status)).toContain(303);
  await reaches(app, shop.consumer, id, 'active');
  await press(path);
  expect(await statusesOf(id)).toEqual(['paid', 'declined', 'paid']);
  expect((await call<string>(app, 'GET', path)).body).toContain('Payment received');
});

test('303: a decline is shown, and the link can be used again', async () => {
  const { id, path } = await owedRenewal(app, 'insufficient_funds');
  expect((await press(path)).status).toBe(303);
  const { body } = await call<string>(app, 'GET', path);
  expect(body).toContain('insufficient funds');
  expect(body).toContain('Pay €9.99');
  expect(await statusesOf(id)).toEqual(['paid', 'declined', 'declined']);
});

test('303: if the bank asks for the payer, the page leads to the confirmation', async () => {
  const { path } = await owedRenewal(app, 'needs_authentication');
  await press(path);
  expect((await call<string>(app, 'GET', path)).body).toContain('/payments/confirm/');
});

test('200: after a cancellation the payment is closed, and the button charges nothing', async () => {
  const { shop, id, path } = await owedRenewal(app);
  await call(app, 'DELETE', `/subscriptions/${id}`, undefined, shop.consumer);
  await reaches(app, shop.consumer, id, 'canceled');
  const { status, body } = await press(path);
  expect(status).toBe(200);
  expect(body).toContain('This payment is closed');
  expect(await statusesOf(id)).toEqual(['paid', 'declined']);
});

test('404 payment_not_found: a link that is changed or made up', async () => {
  const { path } = await owedRenewal(app);
  for (const wrong of [changedLink(path), '/payments/pay/1'])
    expect(await press(wrong)).toMatchObject({ status: 404, body: { error: 'payment_not_found' } });
});
