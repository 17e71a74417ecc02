import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { newAddress, requestEmail } from '../../support/emailChanges';
import { auditOf } from '../../support/followers';
import { createNewPasswordLink, createRejectionLink, outlive, pathIn } from '../../support/mailedLinks';
import { receives } from '../../support/mailbox';
import { addPasskey } from '../../support/passkeys';
import { codeOf, listFactors, removeFactor, signInWith, switchFactorOn } from '../../support/secondFactors';
import { isSignedIn } from '../../support/sessions';
import { createStaff, invite } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

/** The owner of an account removes a second factor that a thief with the password has switched on. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const press = (path: string) => call<string>(app, 'POST', path, {});
const isRefused = async (path: string) => (await press(path)).body.includes('This link has expired');
const formIn = (page: string) => /action="(\/accounts\/forgot-password\/[\w-]+)"/.exec(page)?.[1] ?? '';
const chosen = { password: 'my-own-mare-battery', password_confirmation: 'my-own-mare-battery' };

async function linkOf(merchant: Person, person: Person): Promise<string> {
  return pathIn(await receives(app, merchant, person.email, 'second_factor_on'), '/accounts/second-factor/');
}

test('200: the factor and the password of the thief end with every session, and the owner sets a new password', async () => {
  const { consumer, path } = await createRejectionLink(app);
  const { status, body } = await press(path);
  expect(status).toBe(200);
  expect(body).toContain('The second factor is removed');
  expect(await isSignedIn(app, consumer)).toBe(false);
  expect((await signInWith(app, consumer)).status).toBe(401);
  expect((await call<string>(app, 'POST', formIn(body), chosen)).body).toContain('Password changed');
  const { status: entered, body: session } = await signInWith(app, consumer, { password: chosen.password });
  expect(entered).toBe(200);
  const owner = { ...consumer, token: session.access_token };
  expect((await listFactors(app, owner)).collection).toEqual([]);
});

test('200: a passkey of the thief, and what a member of the staff has given to others, end as well', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'admin' });
  await addPasskey(app, member);
  await invite(app, merchant, { role: 'editor' }, member);
  await switchFactorOn(app, member);
  await press(await linkOf(merchant, member));
  const { rows } = await app.pool.query(
    `SELECT (SELECT count(*)::int FROM passkeys WHERE account_id = $1) AS passkeys,
       (SELECT count(*)::int FROM staff_invitations WHERE invited_by = $1) AS invitations`,
    [member.id],
  );
  expect(rows).toEqual([{ passkeys: 0, invitations: 0 }]);
});

test('200: a change of the address that the thief has requested ends', async () => {
  const { consumer, path } = await createRejectionLink(app);
  const { status } = await requestEmail(app, consumer, { email: newAddress() });
  expect(status).toBe(200);
  await press(path);
  const text = 'SELECT ended_at IS NOT NULL AS ended FROM email_changes WHERE account_id = $1';
  expect((await app.pool.query(text, [consumer.id])).rows).toEqual([{ ended: true }]);
});

test('200: a merchant can do it, the audit log names it, and a mail tells that the factor is off', async () => {
  const merchant = await createMerchant(app);
  await switchFactorOn(app, merchant);
  const { body } = await press(await linkOf(merchant, merchant));
  await call<string>(app, 'POST', formIn(body), chosen);
  const fields = { client_id: 'platform', password: chosen.password };
  const { body: session } = await signInWith(app, merchant, fields);
  const owner = { ...merchant, token: session.access_token };
  expect((await auditOf(app, owner)).map(({ action }) => action)).toContain('second_factor.disable');
  expect((await receives(app, owner, merchant.email, 'second_factor_off')).text).toContain('switched off');
});

test('200: a second press, and the link opened again, lead to the form until the password is set', async () => {
  const { consumer, path } = await createRejectionLink(app);
  const form = formIn((await press(path)).body);
  expect(form).not.toBe('');
  for (const again of [await press(path), await call<string>(app, 'GET', path)]) expect(formIn(again.body)).toBe(form);
  expect((await call<string>(app, 'POST', form, chosen)).body).toContain('Password changed');
  for (const later of [await press(path), await call<string>(app, 'GET', path)])
    expect(later.body).toContain('This link has expired');
  expect((await signInWith(app, consumer, { password: chosen.password })).status).toBe(200);
});

test('200: of two presses at once, one removes the factor, and both lead to the form', async () => {
  const { consumer, path } = await createRejectionLink(app);
  const pages = await Promise.all([press(path), press(path)]);
  const [form, other] = pages.map(({ body }) => formIn(body));
  expect([form, other]).toEqual([expect.stringContaining('/accounts/forgot-password/'), form]);
  const text = `SELECT FROM audit_log WHERE action = 'second_factor.disable' AND object_id = $1`;
  expect((await app.pool.query(text, [String(consumer.id)])).rows).toHaveLength(1);
});

test('200: an hour after the press, the link has expired', async () => {
  const link = await createRejectionLink(app);
  await press(link.path);
  await outlive(app, link);
  expect(await isRefused(link.path)).toBe(true);
});

test('200: an expired link changes nothing', async () => {
  const link = await createRejectionLink(app);
  await outlive(app, link);
  expect(await isRefused(link.path)).toBe(true);
  expect((await listFactors(app, link.consumer)).collection).toHaveLength(1);
});

test('200: the link of another account, or for another purpose, changes nothing', async () => {
  const one = await createRejectionLink(app);
  const other = await createConsumer(app, one.merchant);
  await switchFactorOn(app, other);
  const password = await createNewPasswordLink(app, one.merchant);
  const token = password.path.split('/').at(-1) ?? '';
  expect(await isRefused(`/accounts/second-factor/${token}`)).toBe(true);
  await press(one.path);
  expect((await listFactors(app, other)).collection).toHaveLength(1);
  expect(await isSignedIn(app, other)).toBe(true);
});

test('200: the link ends with its factor, also if another factor follows', async () => {
  const merchant = await createMerchant(app);
  const owner = await createConsumer(app, merchant);
  const { id, secret } = await switchFactorOn(app, owner);
  const path = await linkOf(merchant, owner);
  expect((await removeFactor(app, owner, id, codeOf(secret))).status).toBe(200);
  expect(await isRefused(path)).toBe(true);
  expect(await isSignedIn(app, owner)).toBe(true);
  await switchFactorOn(app, owner);
  expect(await isRefused(path)).toBe(true);
  expect((await listFactors(app, owner)).collection).toHaveLength(1);
});
