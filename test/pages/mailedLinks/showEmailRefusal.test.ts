import { call } from '../../support/client';
import { addressOf, askForChange, createActiveConsumer } from '../../support/emailChanges';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
beforeAll(async () => (app = await startApp({ RATE_LIMIT_SIGN_INS: '400' })));
afterAll(() => app.stop());

const open = async (path: string) => (await call<string>(app, 'GET', path)).body;

test('200: a page with the new address and a button, which changes nothing', async () => {
  const asked = await askForChange(app, await createActiveConsumer(app));
  const body = await open(`/accounts/email/stop/${asked.stop}`);
  for (const part of ['Was it not you?', asked.email, '<form method="post"']) expect(body).toContain(part);
  expect(await addressOf(app, asked.consumer)).toBe(asked.consumer.email);
  const { rows } = await app.pool.query('SELECT confirmed_at FROM email_changes WHERE account_id = $1', [
    asked.consumer.id,
  ]);
  expect(rows).toEqual([{ confirmed_at: null }]);
});

test('200: a link that is too old, that serves another purpose, or never was says so', async () => {
  const asked = await askForChange(app, await createActiveConsumer(app));
  expect(await open(`/accounts/email/stop/${asked.confirm}`)).toContain('This link has expired');
  expect(await open('/accounts/email/stop/nothing')).toContain('This link has expired');
  await app.pool.query(`UPDATE email_changes SET created_at = now() - interval '7 days' WHERE account_id = $1`, [
    asked.consumer.id,
  ]);
  expect(await open(`/accounts/email/stop/${asked.stop}`)).toContain('This link has expired');
});
