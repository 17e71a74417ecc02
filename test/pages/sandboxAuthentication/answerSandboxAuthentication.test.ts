import { createAuthentication } from '../../support/authentication';
import { call } from '../../support/client';
import { startApp, type TestApp } from '../../support/startApp';
import { queryBooks } from '../../support/providerBooks';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const answer = (reference: string, fields: object) =>
  call<string>(app, 'POST', `/sandbox/authenticate/${reference}`, { ...fields });

test.each([
  ['approved', 'paid', 'Payment approved'],
  ['refused', 'declined', 'Payment declined'],
])('200: %s, and the provider knows it as %s', async (given, outcome, title) => {
  const payment = await createAuthentication();
  const { status, headers, body } = await answer(payment.reference, { answer: given });
  expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
  expect(body).toContain(title);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await payment.outcome()).toBe(outcome);
});

test('303: back to where the purchase asked for, with the payment named', async () => {
  const payment = await createAuthentication({ returnUrl: 'https://shop.example.org/done?order=7' });
  const { status, headers, body } = await answer(payment.reference, { answer: 'approved' });
  expect({ status, body }).toEqual({ status: 303, body: '' });
  expect(headers.get('location')).toBe(`https://shop.example.org/done?order=7&payment_intent=${payment.reference}`);
});

test('200: the first answer stands', async () => {
  const payment = await createAuthentication();
  await answer(payment.reference, { answer: 'refused' });
  expect((await answer(payment.reference, { answer: 'approved' })).status).toBe(200);
  expect(await payment.outcome()).toBe('declined');
});

test('200: of approval and refusal at once one stands', async () => {
  const payment = await createAuthentication();
  const given = ['approved', 'refused', 'approved', 'refused'];
  await Promise.all(given.map((word) => answer(payment.reference, { answer: word })));
  const outcome = await payment.outcome();
  expect(['paid', 'declined']).toContain(outcome);
  const { rows } = await queryBooks(app.pool, 'SELECT status FROM sandbox_charges WHERE reference = $1', [
    payment.reference,
  ]);
  expect(rows).toEqual([{ status: outcome }]);
});

test('400 missing_parameter: no answer, and the payment still waits', async () => {
  const payment = await createAuthentication();
  expect(await answer(payment.reference, {})).toMatchObject({
    status: 400,
    body: { error: 'missing_parameter', errors: { answer: 'The answer must not be empty.' } },
  });
  expect(await payment.outcome()).toBe('requires_action');
});

test('404 payment_not_found: an unknown payment', async () => {
  expect(await answer('pi_unknown', { answer: 'approved' })).toMatchObject({
    status: 404,
    body: { code: 404, error: 'payment_not_found' },
  });
});

test('422 invalid_input: another answer, and the payment still waits', async () => {
  const payment = await createAuthentication();
  for (const word of ['maybe', ['approved', 'refused'], { is: 'approved' }])
    expect(await answer(payment.reference, { answer: word })).toMatchObject({
      status: 422,
      body: { error: 'invalid_input' },
    });
  expect(await payment.outcome()).toBe('requires_action');
});

test('200: a payer who is sent nowhere is led to the page of those who come back', async () => {
  const { reference } = await createAuthentication();
  const path = `/sandbox/authenticate/${reference}?lang=ar`;
  const { body } = await call<string>(app, 'POST', path, { answer: 'approved' });
  expect(body).toContain('تمت الموافقة على الدفعة');
  expect(body).toContain(`href="/payments/return?payment_intent=${reference}&amp;lang=ar"`);
});
