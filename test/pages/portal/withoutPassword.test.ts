import { type Chromium, describeInBrowser, faultsOf, startChromium } from '../../support/chromium';
import { keptIn } from '../../support/confirmations';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { receives } from '../../support/mailbox';
import { pathIn } from '../../support/mailedLinks';
import { PageWalker } from '../../support/pageWalker';
import { addPasskey } from '../../support/passkeys';
import { moveToPages } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

/** A customer who signs in at another service has no password. The portal asks for none. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const portalOf = ({ merchantUuid }: Person) => `/portal/${merchantUuid}`;
const cookieOf = ({ merchantUuid }: Person) => `customer_${merchantUuid}`;

async function createCustomer(): Promise<{ merchant: Person; consumer: Person }> {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  await app.pool.query(`UPDATE accounts SET password_hash = 'none:' || id, activated_at = now() WHERE id = $1`, [
    consumer.id,
  ]);
  await app.pool.query(
    `INSERT INTO social_identities (merchant_id, account_id, provider, subject, is_proven)
     SELECT merchant_id, id, 'acme', id::text, true FROM accounts WHERE id = $1`,
    [consumer.id],
  );
  return { merchant, consumer };
}

async function enter(consumer: Person): Promise<PageWalker> {
  const walker = new PageWalker(app);
  walker.keep(cookieOf(consumer), consumer.token);
  expect((await walker.open(`${portalOf(consumer)}/security`)).status).toBe(200);
  return walker;
}

test('200: no page of the portal has a field for a password', async () => {
  const { consumer } = await createCustomer();
  const walker = await enter(consumer);
  for (const page of ['security', 'data', 'data/erase', 'profile'])
    expect([page, (await walker.open(`${portalOf(consumer)}/${page}`)).text]).toEqual([
      page,
      expect.not.stringContaining('type="password"'),
    ]);
  expect((await walker.open(`${portalOf(consumer)}/profile`)).text).toContain('Send a link to set a password');
});

const forms: [path: string, fields: Record<string, string>, next: string][] = [
  ['/security/services/acme/unlink', {}, '/security?done=unlinked'],
  ['/profile/email', { new_email: 'another@example.org' }, '/profile?done=emailSent'],
  ['/data/erase', {}, '/sign-in?done=erased'],
];

test.each(forms)('403: %s asks for a new sign-in, and the form is kept', async (path, fields, next) => {
  const { merchant, consumer } = await createCustomer();
  const walker = await enter(consumer);
  const [start, address] = [portalOf(consumer), `${portalOf(consumer)}${path}`];
  await moveToPages(app, consumer, '11 minutes');
  const asked = await walker.submit(address, fields);
  expect(asked.status).toBe(403);
  expect(asked.text).not.toContain('_confirm_password');
  expect(asked.text).toContain(`href="${start}/sign-in?again=true" target="_blank" rel="noopener"`);
  const kept = keptIn(asked.text);
  expect(kept).toMatchObject(fields);
  expect((await walker.submit(address, kept)).status).toBe(403);
  // In another tab: the sign-in page, and a link by mail.
  expect((await walker.open(`${start}/sign-in?again=true`)).text).toContain(`href="${start}/sign-in-link"`);
  await walker.submit(`${start}/sign-in-link`, { email: consumer.email });
  const link = pathIn(await receives(app, merchant, consumer.email, 'sign_in_link'), `${start}/sign-in/`);
  await walker.open(link);
  expect((await walker.submit(link)).status).toBe(303);
  expect((await walker.submit(address, kept)).headers.get('location')).toBe(`${start}${next}`);
});

test('403 page_expired: the new sign-in was that of another account, which the kept form does not change', async () => {
  const { merchant, consumer } = await createCustomer();
  const other = await createConsumer(app, merchant);
  const walker = await enter(consumer);
  const address = `${portalOf(consumer)}/security/services/acme/unlink`;
  await moveToPages(app, consumer, '11 minutes');
  const kept = keptIn((await walker.submit(address)).text);
  await app.pool.query(
    `INSERT INTO social_identities (merchant_id, account_id, provider, subject, is_proven)
     SELECT merchant_id, id, 'acme', id::text, true FROM accounts WHERE id = $1`,
    [other.id],
  );
  walker.keep(cookieOf(other), other.token);
  await walker.open(`${portalOf(other)}/security`);
  const refused = await walker.submit(address, kept);
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('This page has expired')]);
  const { rows } = await app.pool.query('SELECT FROM social_identities WHERE account_id = ANY($1)', [
    [consumer.id, other.id],
  ]);
  expect(rows).toHaveLength(2);
});

test.each([
  ['access_denied', 'Sign-in was canceled.'],
  ['unknown', 'Sign-in failed'],
])('200: a new sign-in that was refused (%s) says why, although the earlier session exists', async (reason, text) => {
  const { consumer } = await createCustomer();
  const walker = await enter(consumer);
  const signIn = `${portalOf(consumer)}/sign-in`;
  const shown = await walker.open(`${signIn}?refused=${reason}`);
  expect([shown.status, /class="alert bad"[^>]*>([^<]*)/.exec(shown.text)?.[1]]).toEqual([
    200,
    expect.stringContaining(text),
  ]);
  const { status, headers } = await walker.open(signIn);
  expect([status, headers.get('location')]).toEqual([303, portalOf(consumer)]);
});

test('403: a customer with a passkey confirms with the passkey', async () => {
  const { consumer } = await createCustomer();
  await addPasskey(app, consumer);
  const walker = await enter(consumer);
  await moveToPages(app, consumer, '11 minutes');
  await app.pool.query('UPDATE sessions SET factor_proven_at = NULL WHERE account_id = $1', [consumer.id]);
  const asked = await walker.submit(`${portalOf(consumer)}/security/services/acme/unlink`);
  expect([asked.status, asked.text.includes('data-passkey="use"')]).toEqual([403, true]);
  expect(asked.text).not.toContain('again=true');
});

describeInBrowser('the question in a browser', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test.each(['en-GB', 'ar'])('%s: the question for a new sign-in is usable', async (language) => {
    const { consumer } = await createCustomer();
    const visitor = await chromium.newVisitor({ language });
    const { page, context } = visitor;
    await context.addCookies([{ name: cookieOf(consumer), value: consumer.token, url: app.address }]);
    await page.goto(`${app.address}${portalOf(consumer)}/data/erase`);
    await moveToPages(app, consumer, '11 minutes');
    await page.locator('form[name=erase] button[type=submit]').click();
    await page.locator('a[href$="sign-in?again=true"]').waitFor();
    expect(await faultsOf(visitor, `question-new-sign-in-${language}`)).toEqual([]);
    await context.close();
  });
});
