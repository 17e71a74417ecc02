import { addressOf, newAddress } from '../support/emailChanges';
import { tokenIn } from '../support/mailbox';
import { arrives, startMailServer, type MailServer } from '../support/mailServer';
import { createOperator, enterOperatorPages, inviteOperator } from '../support/operators';
import { startApp, type TestApp } from '../support/startApp';

/** An operator changes its address. No mailbox of a merchant shows the mails, so a mail server receives them. */
let app: TestApp;
let mailServer: MailServer;

beforeAll(async () => {
  mailServer = await startMailServer();
  app = await startApp({ SMTP_URL: mailServer.url });
});
afterAll(async () => {
  await app.stop();
  await mailServer.stop();
});

/** The token in the mail with these words in its subject. */
const tokenTo = async (address: string, words = '') => tokenIn(await arrives(mailServer, address, words));

test('an operator requests, cancels and confirms another address, and the former one undoes it', async () => {
  const operator = await createOperator(app);
  const walker = await enterOperatorPages(app, operator);
  const own = '/operator/security';
  const request = (new_email: string) => walker.submit(`${own}/email`, { new_email });
  expect((await walker.open(own)).text).toContain(`<bdi>${operator.email}</bdi>`);
  expect((await request(operator.email)).text).toContain('This is already your address.');
  const first = await request(newAddress());
  expect([first.status, first.headers.get('location')]).toEqual([303, `${own}?done=emailSent`]);
  expect((await walker.open(`${own}?done=emailSent`)).text).toContain('We have sent the link to the new address.');
  const cancelled = await walker.submit(`${own}/email/cancel`);
  expect(cancelled.headers.get('location')).toBe(`${own}?done=changed`);
  const email = newAddress();
  await request(email);
  const path = `/accounts/email/${await tokenTo(email)}`;
  expect((await walker.open(own)).text).toContain(`We sent a link to ${email}.`);
  // A mail scanner that follows the link changes nothing.
  await walker.open(path);
  expect(await addressOf(app, operator)).toBe(operator.email);
  expect((await walker.submit(path)).text).toContain('Your email address was changed');
  expect(await addressOf(app, operator)).toBe(email);
  // The command does not let anybody else have the former address while it can return.
  await expect(inviteOperator(operator.email)).rejects.toMatchObject({ code: 'account_exists' });
  const undo = `/accounts/email/stop/${await tokenTo(operator.email, 'The email address')}`;
  await walker.open(undo);
  expect((await walker.submit(undo)).text).toContain('Set a new password');
  expect(await addressOf(app, operator)).toBe(operator.email);
  expect((await walker.open('/operator')).status).toBe(303);
});

test('an operator whose code is too old confirms before the request of another address', async () => {
  const operator = await createOperator(app);
  const walker = await enterOperatorPages(app, operator);
  await walker.open('/operator/security');
  await app.pool.query(`UPDATE sessions SET factor_proven_at = now() - interval '11 minutes' WHERE account_id = $1`, [
    operator.id,
  ]);
  await walker.submit('/operator/security/email', { new_email: newAddress() });
  const { rows } = await app.pool.query('SELECT FROM email_changes WHERE account_id = $1', [operator.id]);
  expect(rows).toEqual([]);
});
