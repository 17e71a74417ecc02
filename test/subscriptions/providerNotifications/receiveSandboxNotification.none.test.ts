import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
beforeAll(async () => (app = await startApp({ CARD_PROVIDER: 'none' })));
afterAll(() => app.stop());

test('404 not_found: an installation without the sandbox takes none of its notifications', async () => {
  const answer = await fetch(`${app.address}/payments/sandbox/notifications`, { method: 'POST', body: '{}' });
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ error: 'not_found' });
});
