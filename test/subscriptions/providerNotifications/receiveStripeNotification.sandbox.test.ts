import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('404 not_found: where the sandbox charges, nobody listens to Stripe', async () => {
  const answer = await fetch(`${app.address}/payments/stripe/notifications`, { method: 'POST', body: '{}' });
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ error: 'not_found' });
});
