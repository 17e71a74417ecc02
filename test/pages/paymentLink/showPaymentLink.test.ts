import { call } from '../../support/client';
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

const open = (path: string, language = 'en') =>
  call<string>(app, 'GET', path, undefined, { headers: { 'Accept-Language': language, Accept: 'text/html' } });

test('200: what is owed and the saved card; opening the page charges nothing', async () => {
  const { id, path } = await owedRenewal(app);
  const { status, body } = await open(path);
  expect(status).toBe(200);
  for (const part of ['Pay €9.99', 'Monthly pass', 'ending in 4242', 'Use another card', 'logo.png'])
    expect(body).toContain(part);
  const arabic = (await open(path, 'ar')).body;
  // The amount in the format of the language, and the reason of the decline, which the bank says in English.
  for (const part of ['ادفع اشتراكك', 'رُفضت بطاقتك.', '9.99\u00a0€']) expect(arabic).toContain(part);
  expect(arabic).not.toContain('Your card was declined.');
  expect(body).toContain('Your card was declined.');
  expect((await chargesOf(app, id)).map(({ status: of }) => of)).toEqual(['paid', 'declined']);
});

test('200: the link is closed after seven days', async () => {
  const { path } = await owedRenewal(app);
  const now = Date.now();
  const clock = jest.spyOn(Date, 'now').mockReturnValue(now + 7 * 86_400_000 + 1000);
  const { body } = await open(path);
  clock.mockRestore();
  expect(body).toContain('This payment is closed');
});

test('404 payment_not_found: a link that is changed or made up', async () => {
  const { path } = await owedRenewal(app);
  for (const wrong of [changedLink(path), path.slice(0, -8), '/payments/pay/1', `/payments/pay/${'x'.repeat(201)}`]) {
    const { status, body } = await open(wrong);
    expect([wrong, status, body.includes('This link is not valid')]).toEqual([wrong, 404, true]);
  }
});
