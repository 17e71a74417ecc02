import { call } from '../../support/client';
import { addressOf, askForChange, createActiveConsumer } from '../../support/emailChanges';
import { createMerchant, password } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
beforeAll(async () => (app = await startApp({ RATE_LIMIT_SIGN_INS: '400' })));
afterAll(() => app.stop());

const open = (path: string) => call<string>(app, 'GET', path);
const press = (path: string, fields: Record<string, string> = {}) => call<string>(app, 'POST', path, fields);
const hasExpired = 'This link has expired';

test('200: the link to the new address changes it by its button only, with the password in a new browser', async () => {
  const asked = await askForChange(app, await createActiveConsumer(app));
  const path = `/accounts/email/${asked.confirm}`;
  const shown = await open(path);
  for (const part of ['Confirm your new email address', asked.email, 'type="password"'])
    expect(shown.body).toContain(part);
  expect(await addressOf(app, asked.consumer)).toBe(asked.consumer.email);
  expect((await press(path, { password: 'another-horse' })).body).toContain('The password is incorrect.');
  expect((await press(path, { password })).body).toContain('Your email address was changed');
  expect(await addressOf(app, asked.consumer)).toBe(asked.email);
  for (const answer of [await open(path), await press(path, { password })]) expect(answer.body).toContain(hasExpired);
});

test('200: an address that was taken meanwhile: the owner of the mailbox learns it', async () => {
  const people = await createActiveConsumer(app);
  const other = await createActiveConsumer(app, people.merchant);
  const asked = await askForChange(app, people, other.consumer.email);
  expect((await press(`/accounts/email/${asked.confirm}`, { password })).body).toContain('This address cannot be used');
});

test('200: the links of a merchant', async () => {
  const merchant = await createMerchant(app);
  await app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [merchant.id]);
  const asked = await askForChange(app, { merchant, consumer: merchant });
  expect((await press(`/accounts/email/${asked.confirm}`, { password })).body).toContain(
    'Your email address was changed',
  );
  expect(await addressOf(app, merchant)).toBe(asked.email);
});
