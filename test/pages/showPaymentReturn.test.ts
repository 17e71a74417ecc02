import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('200: a payer who comes back from the bank is told that they can go', async () => {
  const answer = await fetch(`${app.address}/payments/return?payment_intent=pi_1`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await answer.text()).toContain('You can close this window.');
});
