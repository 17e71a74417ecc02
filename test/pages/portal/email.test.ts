import { type Chromium, describeInBrowser, faultsOf, startChromium } from '../../support/chromium';
import { addressOf, createActiveConsumer, newAddress } from '../../support/emailChanges';
import { createMerchant, password, type Person } from '../../support/factories';
import { receives, tokenIn } from '../../support/mailbox';
import { enterConsole, PageWalker } from '../../support/pageWalker';
import { ageSessions } from '../../support/passkeys';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const portalOf = ({ merchantUuid }: Person) => `/portal/${merchantUuid}`;

async function enter(consumer: Person): Promise<PageWalker> {
  const walker = new PageWalker(app);
  await walker.open(`${portalOf(consumer)}/sign-in`);
  await walker.submit(`${portalOf(consumer)}/sign-in`, { username: consumer.email, password });
  return walker;
}

test('200: a customer requests another address, sees that it waits, and cancels it', async () => {
  const { consumer } = await createActiveConsumer(app);
  const walker = await enter(consumer);
  const profile = `${portalOf(consumer)}/profile`;
  const email = newAddress();
  await walker.open(profile);
  const sent = await walker.submit(`${profile}/email`, { new_email: email });
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `${profile}?done=emailSent`]);
  expect((await walker.open(profile)).text).toContain(`We sent a link to ${email}.`);
  const cancelled = await walker.submit(`${profile}/email/cancel`);
  expect(cancelled.headers.get('location')).toBe(`${profile}?done=emailKept`);
  expect((await walker.open(profile)).text).not.toContain(email);
});

test('200: in the browser of the session the link needs no password', async () => {
  const { merchant, consumer } = await createActiveConsumer(app);
  const walker = await enter(consumer);
  const profile = `${portalOf(consumer)}/profile`;
  const email = newAddress();
  await walker.open(profile);
  await walker.submit(`${profile}/email`, { new_email: email });
  const path = `/accounts/email/${tokenIn(await receives(app, merchant, email, 'email_change'))}`;
  expect((await walker.open(path)).text).not.toContain('type="password"');
  expect((await walker.submit(path)).text).toContain('Your email address was changed');
  expect(await addressOf(app, consumer)).toBe(email);
  expect((await walker.open(profile)).text).toContain(email);
});

test('422: the present address, no address, and a sign-in that was long ago', async () => {
  const { consumer } = await createActiveConsumer(app);
  const walker = await enter(consumer);
  const profile = `${portalOf(consumer)}/profile`;
  await walker.open(profile);
  const submit = (fields: Record<string, string>) => walker.submit(`${profile}/email`, fields);
  const same = await submit({ new_email: consumer.email });
  expect([same.status, same.text.includes('This is already your address.')]).toEqual([422, true]);
  expect((await submit({ new_email: 'ana' })).status).toBe(422);
  await ageSessions(app, consumer, '11 minutes');
  const email = newAddress();
  const old = await submit({ new_email: email });
  expect(old.status).toBe(422);
  expect(old.text).toContain('name="email_password"');
  expect(old.text).toContain(email);
  const wrong = await submit({ new_email: email, email_password: 'another-horse' });
  expect([wrong.status, wrong.text.includes('The password is incorrect.')]).toEqual([422, true]);
  expect((await submit({ new_email: email, email_password: password })).status).toBe(303);
});

test('200: a merchant requests another address in the console', async () => {
  const merchant = await createMerchant(app);
  const walker = await enterConsole(app, merchant.email);
  const email = newAddress();
  expect((await walker.open('/console/security')).text).toContain(merchant.email);
  const sent = await walker.submit('/console/security/email', { new_email: email });
  expect(sent.headers.get('location')).toBe('/console/security?done=sent');
  expect((await walker.open('/console/security')).text).toContain(`We sent a link to ${email}.`);
  const same = await walker.submit('/console/security/email', { new_email: merchant.email });
  expect([same.status, same.text.includes('This is already your address.')]).toEqual([422, true]);
  expect((await walker.submit('/console/security/email/cancel')).headers.get('location')).toBe(
    '/console/security?done=changed',
  );
});

describeInBrowser('in a browser', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test.each([375, 1280])('the form, the waiting change and the pages of the links at %i px', async (width) => {
    const { merchant, consumer } = await createActiveConsumer(app);
    const visitor = await chromium.newVisitor({ width });
    const { page } = visitor;
    await page.goto(`${app.address}${portalOf(consumer)}/sign-in?next=${portalOf(consumer)}/profile`);
    await page.fill('[name=username]', consumer.email);
    await page.fill('[name=password]', password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    const email = newAddress();
    await page.fill('[name=new_email]', email);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText(`We sent a link to ${email}`).waitFor();
    expect(await faultsOf(visitor, `email-waiting-${width}`)).toEqual([]);
    const confirm = tokenIn(await receives(app, merchant, email, 'email_change'));
    await page.goto(`${app.address}/accounts/email/${confirm}`);
    expect(await faultsOf(visitor, `email-confirm-${width}`)).toEqual([]);
    await page.getByRole('button', { name: 'Confirm address' }).click();
    await page.getByText('Your email address was changed').waitFor();
    expect(await faultsOf(visitor, `email-changed-${width}`)).toEqual([]);
    const undo = tokenIn(await receives(app, merchant, consumer.email, 'email_changed'));
    await page.goto(`${app.address}/accounts/email/stop/${undo}`);
    expect(await faultsOf(visitor, `email-undo-${width}`)).toEqual([]);
    await page.getByRole('button', { name: 'It was not me' }).click();
    await page.getByRole('heading', { name: 'Set a new password' }).waitFor();
    expect(await addressOf(app, consumer)).toBe(consumer.email);
  });
});
