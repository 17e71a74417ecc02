import { brandFields, createBrand } from '../support/branding';
import { call } from '../support/client';
import { createConsumer, createMerchant, type Person, password, registration } from '../support/factories';
import { getMailDesigns } from '../../src/mail/texts/designs';
import { receives, tokenIn } from '../support/mailbox';
import { startApp, type TestApp } from '../support/startApp';
import { seller } from '../support/tax';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_MAILS: '100' });
});

beforeEach(async () => {
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const footer = '<p>Cup &amp; Co · <a href="https://example.org/contact">Contact</a></p>';

test('a mail carries the default brand: name, logo, colours, footer, terms', async () => {
  const fields = { paywall_footer: footer, terms_url: 'https://example.org/terms', default: true };
  await createBrand({ app, merchant }, fields);
  const consumer = await createConsumer(app, merchant);
  const mail = await receives(app, merchant, consumer.email, 'activation');
  expect(mail.subject).toBe('Activate your account at The Cup Channel');
  expect(mail.html).toContain(`<img src="${brandFields.paywall_brand_logo}" alt="The Cup Channel"`);
  expect(mail.html).toContain('border-top:4px solid #0a7');
  expect(mail.html).toContain('bgcolor="#00aa77"');
  expect(mail.html).toContain('<a href="https://example.org/contact" target="_blank" rel="noopener noreferrer">');
  expect(mail.html).toContain('<a href="https://example.org/terms"');
  expect(mail.text).toContain(
    'The Cup Channel\nCup & Co · Contact (https://example.org/contact)\nhttps://example.org/terms',
  );
});

test('a mail has the days of the time zone in the merchant’s tax profile', async () => {
  const zone = async () => (await getMailDesigns(merchant.id, []))({ id: 0, brandingId: null, language: 'en' }).zone;
  expect(await zone()).toBe('UTC');
  await call(app, 'PUT', '/v2/tax/settings', { ...seller, time_zone: 'Australia/Adelaide' }, merchant);
  expect(await zone()).toBe('Australia/Adelaide');
});

test('the button’s text is the brand’s own where it can be read, else one that can', async () => {
  const texts = { '#ffffff': '#1c2024', '#102030': '#102030' };
  for (const [wanted, shown] of Object.entries(texts)) {
    const colours = { paywall_buttons_bg_color: '#ffd400', paywall_buttons_text_color: wanted };
    const branding_id = await createBrand({ app, merchant }, colours);
    const consumer = registration('consumer', merchant.uuid);
    await call(app, 'POST', '/accounts', { ...consumer, branding_id });
    const mail = await receives(app, merchant, consumer.username, 'activation');
    expect(/<a[^>]*style="([^"]*)"[^>]*>Activate my account</.exec(mail.html)?.[1]).toContain(`color:${shown};`);
  }
});

/** Every mail whose brand a request can choose. */
const requests: [string, (consumer: Person, branding_id: unknown) => Promise<unknown>][] = [
  ['pin_code', (consumer, branding_id) => call(app, 'POST', '/v2/accounts/pin-codes/send', { branding_id }, consumer)],
  [
    'password_reset',
    ({ email }, branding_id) =>
      call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: merchant.uuid, email, branding_id }),
  ],
  [
    'activation',
    ({ email }, branding_id) =>
      call(app, 'POST', '/accounts/activate', { merchant_uuid: merchant.uuid, email, branding_id }),
  ],
  [
    'password_changed',
    (consumer, branding_id) => {
      const renewed = 'another-horse-battery';
      const fields = { old_password: password, password: renewed, password_confirmation: renewed, branding_id };
      return call(app, 'POST', '/accounts/change-password', fields, consumer);
    },
  ],
];

test.each(requests)('%s: the brand of branding_id', async (template, ask) => {
  const id = await createBrand({ app, merchant });
  const consumer = await createConsumer(app, merchant);
  const before = (await receives(app, merchant, consumer.email, 'activation')).id;
  await ask(consumer, id);
  expect((await receives(app, merchant, consumer.email, template, before)).subject).toContain('The Cup Channel');
});

test('password_changed: the brand of branding_id, when the password was forgotten', async () => {
  const branding_id = await createBrand({ app, merchant });
  const consumer = await createConsumer(app, merchant);
  const { email } = consumer;
  await call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: merchant.uuid, email });
  const token = tokenIn(await receives(app, merchant, email, 'password_reset'));
  const renewed = { password: 'another-horse-battery', password_confirmation: 'another-horse-battery' };
  await call(app, 'PUT', `/accounts/forgot-password/${token}`, { ...renewed, branding_id });
  expect((await receives(app, merchant, email, 'password_changed')).subject).toContain('The Cup Channel');
});

test.each(['0', 'undefined', '', '2000000000', 'another merchant’s'])(
  'pin_code: branding_id %p names no brand of the merchant: the default one',
  async (sent) => {
    const other = await createMerchant(app);
    const branding_id = sent === 'another merchant’s' ? await createBrand({ app, merchant: other }) : sent;
    const consumer = await createConsumer(app, merchant);
    const reply = await call(app, 'POST', '/v2/accounts/pin-codes/send', { branding_id }, consumer);
    expect(reply.status).toBe(200);
    const mail = await receives(app, merchant, consumer.email, 'pin_code');
    expect(mail.subject).toBe('Your code for Ana Petrova');
    expect(mail.html).not.toContain('<img');
  },
);

test('a brand that was deleted meanwhile: the default one', async () => {
  const branding_id = await createBrand({ app, merchant });
  const consumer = await createConsumer(app, merchant);
  await call(app, 'POST', '/v2/accounts/pin-codes/send', { branding_id }, consumer);
  expect(await call(app, 'DELETE', `/branding/paywall/${branding_id}`, undefined, merchant)).toMatchObject({
    status: 200,
  });
  const mail = await receives(app, merchant, consumer.email, 'pin_code');
  expect(mail.subject).toBe('Your code for Ana Petrova');
});
