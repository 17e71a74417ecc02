import { type Chromium, describeInBrowser, faultsOf, startChromium } from '../../support/chromium';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { PageWalker } from '../../support/pageWalker';
import { poll, startPairing } from '../../support/pairings';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const pathOf = ({ merchantUuid }: Person) => `/portal/${merchantUuid}/tv`;

async function begin() {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const { body } = await startPairing(app, merchant.uuid, { device_name: 'Living room' });
  const errorOf = async () => (await poll(app, merchant.uuid, body.device_code)).body.error;
  return { merchant, consumer, path: pathOf(consumer), errorOf, ...body };
}

async function enter({ consumer }: { consumer: Person }): Promise<PageWalker> {
  const walker = new PageWalker(app);
  await walker.open(`/portal/${consumer.merchantUuid}/sign-in`);
  await walker.submit(`/portal/${consumer.merchantUuid}/sign-in`, { username: consumer.email, password });
  return walker;
}

test('303: a visitor who is not signed in comes back with the code of the QR code', async () => {
  const { path, user_code } = await begin();
  const { status, headers } = await new PageWalker(app).open(`${path}?code=${user_code}`);
  expect(status).toBe(303);
  expect(decodeURIComponent(headers.get('location') ?? '')).toContain(`next=${path}?code=${user_code}`);
});

test('200: opening the address of the QR code signs nothing in', async () => {
  const begun = await begin();
  const walker = await enter(begun);
  const { text } = await walker.open(`${begun.path}?code=${begun.user_code}`);
  expect(text).toContain('Living room, Roku OS');
  // The letters run from left to right, and stand where the other lines begin.
  expect(text).toContain(`<p class="pairing-code"><bdi dir="ltr">${begun.user_code}</bdi></p>`);
  expect(await begun.errorOf()).toBe('authorization_pending');
});

test('303: the customer refuses a television', async () => {
  const begun = await begin();
  const walker = await enter(begun);
  await walker.open(`${begun.path}?code=${begun.user_code}`);
  const { status, headers } = await walker.submit(`${begun.path}/answer`, {
    user_code: begun.user_code,
    answer: 'refuse',
  });
  expect([status, headers.get('location')]).toEqual([303, `${begun.path}?done=refused`]);
  expect(await begun.errorOf()).toBe('access_denied');
});

test('422: no code, and a wrong code, which the form shows again', async () => {
  const begun = await begin();
  const walker = await enter(begun);
  await walker.open(begun.path);
  const empty = await walker.submit(begun.path, { user_code: ' ' });
  expect([empty.status, empty.text.includes('Enter the code that your TV shows.')]).toEqual([422, true]);
  const wrong = await walker.open(`${begun.path}?code=BBBB-BBBB`);
  expect(wrong.status).toBe(422);
  expect(wrong.text).toContain('No device is waiting with this code.');
  expect(wrong.text).toContain('value="BBBB-BBBB"');
});

test('422: the code has expired before the answer', async () => {
  const begun = await begin();
  const walker = await enter(begun);
  await walker.open(`${begun.path}?code=${begun.user_code}`);
  await app.pool.query('UPDATE device_pairings SET expires_at = now() WHERE merchant_id = $1', [begun.merchant.id]);
  const { status, text } = await walker.submit(`${begun.path}/answer`, {
    user_code: begun.user_code,
    answer: 'approve',
  });
  expect([status, text.includes('No device is waiting with this code.')]).toEqual([422, true]);
});

describeInBrowser('a television in a browser', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test.each(['en-GB', 'ar'])(
    '%s: the customer types the code, confirms, and the television is signed in',
    async (language) => {
      const { consumer, merchant, path, user_code, device_code } = await begin();
      const visitor = await chromium.newVisitor({ language });
      const { page } = visitor;
      await page.goto(`${app.address}${path}`);
      await page.locator('#field-username').fill(consumer.email);
      await page.locator('#field-password').fill(password);
      await page.locator('form[name=sign-in] button').click();
      await page.locator('#field-user_code').fill(user_code.toLowerCase());
      expect(await faultsOf(visitor, `portal-tv-code-${language}`)).toEqual([]);
      await page.locator('form[name=television-code] button').click();
      await page.getByText('Living room').waitFor();
      expect(await faultsOf(visitor, `portal-tv-confirm-${language}`)).toEqual([]);
      await page.locator('button[value=approve]').click();
      await page.getByRole('status').filter({ hasText: /\S/ }).first().waitFor();
      expect((await poll(app, merchant.uuid, device_code)).body.account.id).toBe(consumer.id);
      await visitor.context.close();
    },
  );
});
