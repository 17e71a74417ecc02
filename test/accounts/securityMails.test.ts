import { call } from '../support/client';
import { createConsumer, createMerchant, password, type Person } from '../support/factories';
import { receives } from '../support/mailbox';
import { addPasskey } from '../support/passkeys';
import { switchFactorOn } from '../support/secondFactors';
import { iPhone, signInAgain } from '../support/sessions';
import { createStaff } from '../support/staff';
import { startApp, type TestApp } from '../support/startApp';

/** A mail about the safety of an account has a button to the page on which its owner acts. */

let app: TestApp;
let merchant: Person;
let consumer: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
  consumer = await createConsumer(app, merchant);
});
afterAll(() => app.stop());

async function textOf(person: Pick<Person, 'email'>, template: string): Promise<string> {
  return (await receives(app, merchant, person.email, template)).text ?? '';
}

/** The address of the installation that the settings of tests name. */
const base = 'http://paywall.test';
const portal = (page: string) => `${base}/portal/${merchant.uuid}/${page}`;
const consolePage = `${base}/console/security`;

const changePassword = (person: Person) =>
  call(
    app,
    'POST',
    '/accounts/change-password',
    { old_password: password, password: 'another-horse-battery', password_confirmation: 'another-horse-battery' },
    person,
  );

test('new_sign_in: customers review their sessions in the portal, merchants and their staff in the console', async () => {
  const member = await createStaff(app, merchant, { role: 'admin' });
  await signInAgain(app, consumer, iPhone);
  expect(await textOf(consumer, 'new_sign_in')).toContain(`Review your sessions: ${portal('security')}`);
  for (const person of [merchant, { ...member, merchantUuid: 'platform' }]) {
    await signInAgain(app, person, iPhone);
    expect(await textOf(person, 'new_sign_in')).toContain(`Review your sessions: ${base}/console/sessions`);
  }
});

test('passkey_added: the security settings', async () => {
  const owner = await createConsumer(app, merchant);
  await addPasskey(app, owner);
  const link = `Review security settings: ${portal('security')}`;
  expect(await textOf(owner, 'passkey_added')).toContain(link);
  await addPasskey(app, merchant);
  expect(await textOf(merchant, 'passkey_added')).toContain(`Review security settings: ${consolePage}`);
});

test('second_factor_on: a link that removes the factor, because the owner could not sign in to the settings', async () => {
  await switchFactorOn(app, merchant);
  expect(await textOf(merchant, 'second_factor_on')).toMatch(
    /This was not me: http:\S+\/accounts\/second-factor\/[\w-]{43}/,
  );
});

test('password_changed: customers reset it in the portal, merchants and their staff in the console', async () => {
  const owner = await createConsumer(app, merchant);
  expect((await changePassword(owner)).status).toBe(200);
  expect(await textOf(owner, 'password_changed')).toContain(`Reset your password: ${portal('forgotten')}`);
  const member = await createStaff(app, merchant, { role: 'admin' });
  for (const person of [member, await createMerchant(app)]) {
    expect((await changePassword(person)).status).toBe(200);
    const { text } = await receives(app, { ...merchant, ...person }, person.email, 'password_changed');
    expect(text).toContain(`Reset your password: ${base}/console/forgotten`);
  }
});

test('every page exists for its reader', async () => {
  const { securityUrl, sessionsUrl } = await import('../../src/accounts/securityLinks.js');
  const addresses = [
    ...(['consumer', 'merchant', 'staff', 'operator'] as const).flatMap((role) =>
      [securityUrl, sessionsUrl].map((urlFor) => urlFor({ role, merchantUuid: merchant.uuid })),
    ),
    portal('forgotten'),
    `${base}/console/forgotten`,
  ];
  for (const address of addresses) {
    const { status } = await fetch(address.replace(base, app.address), { redirect: 'manual' });
    expect([address, [200, 303].includes(status)]).toEqual([address, true]);
  }
});
