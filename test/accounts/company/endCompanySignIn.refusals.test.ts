import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import {
  answerIn,
  type CompanyWorld,
  ownBaseUrl,
  providerPath,
  refusalOf,
  startCompanyWorld,
} from '../../support/companySignIn';
import { changeAtOnce } from '../../support/emailChanges';
import { createMerchant, type Person } from '../../support/factories';
import { waitForLocks } from '../../support/locks';
import { createStaff, inviteUnread, newAddress } from '../../support/staff';
import { type TestApp } from '../../support/startApp';

let world: CompanyWorld;
let app: TestApp;

beforeAll(async () => {
  world = await startCompanyWorld();
  ({ app } = world);
});

afterAll(() => world.stop());

async function createCompany(fields: Record<string, unknown> = {}): Promise<Person> {
  const merchant = await createMerchant(app);
  await world.connect(merchant, fields);
  return merchant;
}

const countIdentities = async ({ id }: Person) => {
  const text = 'SELECT 1 FROM company_identities WHERE merchant_id = $1';
  return (await app.pool.query(text, [id])).rows.length;
};

async function startSignIn({ uuid }: Person) {
  const { headers } = await call(app, 'GET', `/accounts/company/${uuid}`);
  const state = new URL(headers.get('location') ?? '').searchParams.get('state') ?? '';
  return { uuid, state, cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}

async function comeBack(
  { uuid, state, cookie }: Awaited<ReturnType<typeof startSignIn>>,
  fields: Record<string, string> = { code: 'invented' },
) {
  const query = new URLSearchParams({ state, iss: world.provider.issuer, ...fields });
  const path = `/accounts/company/${uuid}/callback?${query.toString()}`;
  const answer = await call(app, 'GET', path, undefined, { headers: { Cookie: cookie } });
  const to = new URL(answer.headers.get('location') ?? '');
  return { status: answer.status, path: to.pathname, refused: to.searchParams.get('refused') };
}

test('303: an address that the provider has not verified, and none at all: email_not_verified', async () => {
  const merchant = await createCompany();
  const member = await createStaff(app, merchant, { role: 'editor' });
  expect(refusalOf(await world.signIn(merchant, `unverified:${member.email}`))).toBe('email_not_verified');
  expect(refusalOf(await world.signIn(merchant, `nameless:${randomUUID()}`))).toBe('email_not_verified');
  expect(await countIdentities(merchant)).toBe(0);
});

test('303: an invited address that another merchant’s member can still take back: account_exists', async () => {
  const merchant = await createCompany();
  const member = await createStaff(app, await createMerchant(app), { role: 'editor' });
  await changeAtOnce(app, member);
  await inviteUnread(app, merchant, { role: 'editor', email: member.email });
  expect(refusalOf(await world.signIn(merchant, `verified:${member.email}`))).toBe('account_exists');
  expect(await countIdentities(merchant)).toBe(0);
  // The invitation waits for the end of the hold.
  await app.pool.query('UPDATE email_changes SET undo_until = now() WHERE account_id = $1', [member.id]);
  expect(refusalOf(await world.signIn(merchant, `verified:${member.email}`))).toBeNull();
  expect(await countIdentities(merchant)).toBe(1);
});

test('303: also for a member, and after the first sign-in: domain_not_allowed', async () => {
  const merchant = await createCompany();
  const member = await createStaff(app, merchant, { role: 'editor' });
  await world.signIn(merchant, `verified:${member.email}`);
  await world.connect(merchant, { domains: ['other.example'] });
  expect(refusalOf(await world.signIn(merchant, `verified:${member.email}`))).toBe('domain_not_allowed');
  expect(refusalOf(await world.signIn(merchant, 'verified:eve@sub.other.example'))).toBe('domain_not_allowed');
});

test('303: a stranger of the company becomes no account, and the audit log tells it: not_invited', async () => {
  const merchant = await createCompany();
  expect(refusalOf(await world.signIn(merchant, `verified:${newAddress()}`))).toBe('not_invited');
  const { email, id } = await inviteUnread(app, merchant, { role: 'editor' });
  await app.pool.query('UPDATE staff_invitations SET expires_at = now() WHERE id = $1', [id]);
  expect(refusalOf(await world.signIn(merchant, `verified:${email}`))).toBe('not_invited');
  expect((await call<object[]>(app, 'GET', '/v2/staff', undefined, merchant)).body).toHaveLength(1);
  const text = `SELECT object_type, object_id, actor_account_id FROM audit_log
    WHERE merchant_id = $1 AND action = 'company_sign_in.refuse'`;
  const entry = { object_type: 'company_sign_in', object_id: 'not_invited', actor_account_id: merchant.id };
  expect((await app.pool.query(text, [merchant.id])).rows).toEqual([entry, entry]);
});

test('303: the owner, who keeps the password; an invited owner is not admitted: owner_uses_password', async () => {
  const merchant = await createCompany({ domains: ['example.org', 'example.com'] });
  expect(refusalOf(await world.signIn(merchant, `verified:${merchant.email}`))).toBe('owner_uses_password');
  const { email } = await inviteUnread(app, merchant, { role: 'owner' });
  expect(refusalOf(await world.signIn(merchant, `verified:${email}`))).toBe('not_invited');
  expect((await call<object[]>(app, 'GET', '/v2/staff/invitations', undefined, merchant)).body).toHaveLength(1);
  expect(await countIdentities(merchant)).toBe(0);
});

test('303: an address that passes to another person of the company opens no account: other_person', async () => {
  const merchant = await createCompany();
  const member = await createStaff(app, merchant, { role: 'editor' });
  await world.signIn(merchant, `verified:${member.email}`);
  expect(refusalOf(await world.signIn(merchant, `mfa:${member.email}`))).toBe('other_person');
});

test('303: an invited person who has an account of another merchant stays invited: account_exists', async () => {
  const merchant = await createCompany();
  const { email } = await createStaff(app, await createMerchant(app), { role: 'editor' });
  await call(app, 'POST', '/v2/staff/invitations', { email, role: 'editor' }, merchant);
  expect(refusalOf(await world.signIn(merchant, `verified:${email}`))).toBe('account_exists');
  expect((await call<object[]>(app, 'GET', '/v2/staff/invitations', undefined, merchant)).body).toHaveLength(1);
});

test('303: a removed member, who can be invited again: not_invited', async () => {
  const merchant = await createCompany();
  const member = await createStaff(app, merchant, { role: 'editor' });
  const login = `verified:${member.email}`;
  const browser = world.openBrowser();
  await world.signIn(merchant, login, browser);
  expect((await call(app, 'DELETE', `/v2/staff/${member.id}`, undefined, merchant)).status).toBe(200);
  expect((await browser.visit(`${ownBaseUrl}/console`)).url.pathname).toBe('/console/sign-in');
  expect(refusalOf(await world.signIn(merchant, login))).toBe('not_invited');
  await call(app, 'POST', '/v2/staff/invitations', { email: member.email, role: 'support' }, merchant);
  expect((await world.signIn(merchant, login)).url.pathname).toBe('/console');
});

test('303: a state serves once, and in no other browser, which cannot use it up either: not_begun_here', async () => {
  const merchant = await createCompany();
  const member = await createStaff(app, merchant, { role: 'editor' });
  const browser = world.openBrowser();
  await world.signIn(merchant, `verified:${member.email}`, browser);
  expect(refusalOf(await browser.visit(answerIn(browser)))).toBe('not_begun_here');

  const started = await startSignIn(merchant);
  expect((await comeBack({ ...started, cookie: '' })).refused).toBe('not_begun_here');
  const answers = await Promise.all([1, 2, 3].map(() => comeBack(started)));
  expect(answers.map(({ refused }) => refused).sort()).toEqual(['code_expired', 'not_begun_here', 'not_begun_here']);
});

test('303: ten minutes are over: not_begun_here', async () => {
  const late = await startSignIn(await createCompany());
  const text = `UPDATE company_sign_ins SET expires_at = now() - interval '1 s'
    WHERE merchant_id = (SELECT id FROM accounts WHERE uuid = $1)`;
  await app.pool.query(text, [late.uuid]);
  expect((await comeBack(late)).refused).toBe('not_begun_here');
});

test('303: by the answer: code_expired, access_denied, provider_refused, answer_invalid', async () => {
  const merchant = await createCompany();
  expect(await comeBack(await startSignIn(merchant))).toEqual({
    ...{ status: 303, path: '/console/sign-in', refused: 'code_expired' },
  });
  const answered = async (fields: Record<string, string>) =>
    (await comeBack(await startSignIn(merchant), fields)).refused;
  expect(await answered({ error: 'access_denied' })).toBe('access_denied');
  expect(await answered({ error: 'temporarily_unavailable' })).toBe('provider_refused');
  expect(await answered({ code: 'c', iss: 'https://other.example' })).toBe('answer_invalid');
});

test('303: the provider does not accept the secret: client_refused', async () => {
  const merchant = await createCompany({ client_secret: 'wrong' });
  expect((await comeBack(await startSignIn(merchant))).refused).toBe('client_refused');
});

test('303: turned off, disconnected or replaced between the two steps: provider_off', async () => {
  const [first, second, third] = [await createCompany(), await createCompany(), await createCompany()];
  const begun = [await startSignIn(first), await startSignIn(second), await startSignIn(third)] as const;
  await world.connect(first, { is_active: false });
  expect((await call(app, 'DELETE', providerPath, undefined, second)).status).toBe(200);
  await world.connect(third, { client_id: 'another' });
  for (const started of begun) expect((await comeBack(started)).refused).toBe('provider_off');
});

test('303: disconnected while the member is being found, and the session that was opened has ended: provider_off', async () => {
  const merchant = await createCompany();
  const member = await createStaff(app, merchant, { role: 'editor' });
  const lock = await app.pool.connect();
  await lock.query('BEGIN');
  await lock.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [member.id]);
  const shown = world.signIn(merchant, `verified:${member.email}`);
  await waitForLocks(app.pool);
  expect((await call(app, 'DELETE', providerPath, undefined, merchant)).status).toBe(200);
  await lock.query('ROLLBACK');
  lock.release();
  expect(refusalOf(await shown)).toBe('provider_off');
  const text = `SELECT revoked_at IS NOT NULL AS is_ended FROM sessions WHERE account_id = $1 AND grant_type = 'company'`;
  expect((await app.pool.query(text, [member.id])).rows).toEqual([{ is_ended: true }]);
});

test('303: the operator has suspended the merchant meanwhile: merchant_suspended', async () => {
  const merchant = await createCompany();
  const started = await startSignIn(merchant);
  const text = `INSERT INTO merchant_states (merchant_id, suspended_at, suspension_reason) VALUES ($1, now(), 'Spam.')`;
  await app.pool.query(text, [merchant.id]);
  expect((await comeBack(started)).refused).toBe('merchant_suspended');
});
