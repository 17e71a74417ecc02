import { call } from '../support/client';
import { newAddress, requestEmail } from '../support/emailChanges';
import { tokenIn } from '../support/mailbox';
import { pathIn } from '../support/mailedLinks';
import { arrives, startMailServer, type MailServer } from '../support/mailServer';
import { createOperator, type Operator } from '../support/operators';
import { signInWith } from '../support/secondFactors';
import { startApp, type TestApp } from '../support/startApp';

/**
 * The buttons of mails to operators that end the password. An operator cannot request a new password by mail, so the form that
 * follows is the only way back.
 */
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

const mailTo = ({ email }: Operator, words: string) => arrives(mailServer, email, words);
const press = (path: string) => call<string>(app, 'POST', path, {});
const formIn = (page: string) => /action="(\/accounts\/forgot-password\/[\w-]+)"/.exec(page)?.[1] ?? '';
const chosen = { password: 'my-own-mare-battery', password_confirmation: 'my-own-mare-battery' };

/** Presses the button twice, sets the password of the second answer, and signs in with it. */
async function pressTwice(operator: Operator, path: string): Promise<number> {
  await press(path);
  const form = formIn((await press(path)).body);
  expect((await call<string>(app, 'POST', form, chosen)).body).toContain('Password changed');
  return (await signInWith(app, operator, { password: chosen.password })).status;
}

test('200: after a double press on the removal of a factor, an operator sets a new password and signs in', async () => {
  const operator = await createOperator(app);
  const path = pathIn(await mailTo(operator, 'factor'), '/accounts/second-factor/');
  expect(await pressTwice(operator, path)).toBe(200);
});

test('200: after a double press on the refusal of an address, too', async () => {
  const operator = await createOperator(app);
  expect((await requestEmail(app, operator, { email: newAddress() })).status).toBe(200);
  const token = tokenIn(await mailTo(operator, 'address'));
  // The factor is younger than a week, so it is removed with the change.
  expect(await pressTwice(operator, `/accounts/email/stop/${token}`)).toBe(200);
});
