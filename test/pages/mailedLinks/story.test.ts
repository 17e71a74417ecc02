import { createAuthentication } from '../../support/authentication';
import { type Chromium, describeInBrowser, faultsOf, startChromium, type Visitor } from '../../support/chromium';
import { createConsumer, createFee, createItem, password } from '../../support/factories';
import { receives, tokenIn } from '../../support/mailbox';
import { createActivationLink, createNewPasswordLink, outlive } from '../../support/mailedLinks';
import { createBrandedMerchant, showPictures } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let chromium: Chromium;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

describeInBrowser('the pages behind links, in a browser', () => {
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const look = async (name: string) => expect([name, await faultsOf(visitor, name)]).toEqual([name, []]);

  async function follow(path: string, language = 'en-GB') {
    visitor = await chromium.newVisitor({ language });
    await showPictures(visitor.page);
    await visitor.page.goto(`${app.address}${path}`);
    return visitor.page;
  }

  test('an account is activated by a button, and its owner goes on to the portal', async () => {
    const { path } = await createActivationLink(app, await createBrandedMerchant(app));
    const page = await follow(path);
    await page.getByRole('img', { name: 'Daily Kick' }).waitFor();
    await look('link-activation');
    await page.locator('#field-password').fill(password);
    await page.getByRole('button', { name: 'Activate account' }).click();
    await page.getByRole('heading', { name: 'Your account is active' }).waitFor();
    await look('link-activated');
    await page.getByRole('link', { name: 'Continue to your account' }).click();
    await page.locator('form[name=sign-in]').waitFor();
    await page.goto(`${app.address}${path}`);
    await page.getByRole('heading', { name: 'This link has expired' }).waitFor();
    await look('link-used');
  });

  test('a new password is chosen, in Arabic from the first page to the portal', async () => {
    const { path } = await createNewPasswordLink(app, await createBrandedMerchant(app));
    const page = await follow(path);
    await page.getByRole('heading', { name: 'Set a new password' }).waitFor();
    await look('link-password');
    await page.locator('.foot summary').click();
    await page.locator('.foot nav a[lang=ar]').click();
    await page.getByRole('heading', { name: 'تعيين كلمة مرور جديدة' }).waitFor();
    await page.locator('#field-password').fill('a-quite-new-battery');
    await page.locator('#field-password_confirmation').fill('another-battery');
    await page.getByRole('button').click();
    await page.getByRole('alert').waitFor();
    await look('link-password-refused-ar');
    await page.locator('#field-password').fill('a-quite-new-battery');
    await page.locator('#field-password_confirmation').fill('a-quite-new-battery');
    await page.getByRole('button').click();
    await page.getByRole('heading', { name: 'تغيّرت كلمة المرور' }).waitFor();
    await look('link-password-changed-ar');
    await page.getByRole('link', { name: 'تسجيل الدخول' }).click();
    await page.locator('form[name=sign-in]').waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('ar');
  });

  test.each(['en-GB', 'ar'])('%s: a reader signs in without a password, and is back at the item', async (language) => {
    const merchant = await createBrandedMerchant(app);
    const item = await createItem(app, merchant);
    await createFee(app, merchant, item.id);
    const consumer = await createConsumer(app, merchant);
    const paywall = `/paywall/${merchant.uuid}/${item.id}`;
    const page = await follow(`${paywall}?step=sign-in`, language);
    await page.locator('form[name=sign-in]').waitFor();
    await look(`link-sign-in-ways-${language}`);
    await page.locator('a[href*="sign-in-link"]').click();
    await page.locator('form[name=sign-in-link] #field-email').fill(consumer.email);
    await look(`link-sign-in-ask-${language}`);
    await page.locator('form[name=sign-in-link] button').click();
    await page.getByRole('status').first().waitFor();
    const mail = await receives(app, merchant, consumer.email, 'sign_in_link');
    const link = `/portal/${merchant.uuid}/sign-in/${tokenIn(mail)}?next=${encodeURIComponent(paywall)}`;
    expect(mail.text).toContain(link);
    await page.goto(`${app.address}${link}`);
    await page.locator('form[name=sign-in-by-link]').waitFor();
    // The page shows which account the link opens.
    await page.getByText(consumer.email).waitFor();
    await look(`link-sign-in-ready-${language}`);
    await page.locator('form[name=sign-in-by-link] button').click();
    await page.waitForURL(`**${paywall}`);
    await page.locator('form[action$="/sign-out"]').waitFor();
    await page.goto(`${app.address}${link}`);
    await page.locator('main a[href*="sign-in-link"]').waitFor();
    await look(`link-sign-in-used-${language}`);
  });

  test('a link that is too old leads to where another is mailed from', async () => {
    const link = await createNewPasswordLink(app, await createBrandedMerchant(app));
    await outlive(app, link);
    const page = await follow(link.path);
    await look('link-too-old');
    await page.getByRole('link', { name: 'Request a new link' }).click();
    await page.locator('form[name=forgotten]').waitFor();
  });

  test.each([
    ['en-GB', 'Approve', 'Payment approved'],
    ['ar', 'موافقة', 'تمت الموافقة على الدفعة'],
  ])('%s: a payer answers the test bank, and comes back', async (language, approve, approved) => {
    const { reference } = await createAuthentication();
    const page = await follow(`/sandbox/authenticate/${reference}`, language);
    await look(`bank-${language}`);
    await page.getByRole('button', { name: approve }).click();
    await page.getByRole('heading', { name: approved }).waitFor();
    await look(`bank-answered-${language}`);
    await page.locator('main a').click();
    await page.waitForURL(/payments\/return/);
    await look(`payment-return-${language}`);
  });
});
