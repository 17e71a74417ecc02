import path from 'node:path';
import { type MailTemplate, type MailValues, renderMail } from '../../src/mail/templates';
import { mailLocales } from '../../src/mail/words';
import { localeFaults } from '../../scripts/localeFaults';
import { unusedKeys } from '../support/locales';

const brand = {
  name: 'The Cup\r\nChannel',
  logoUrl: '',
  primaryColor: '#0a7',
  buttonColor: '#0a7',
  buttonTextColor: '#fff',
  footer: '<p>Footer</p>',
  termsUrl: 'https://example.org/terms',
  portalUrl: 'https://paywall.example/portal/m',
};
const purchase = { description: 'Monthly pass', token: 'S-1', amountMinor: 999, currency: 'EUR' };
const dated = { ...purchase, date: '2026-11-03T10:00:00.000Z' };
const failed = { ...dated, reason: 'insufficient_funds' };
const link = { token: 'a-token', url: 'https://example.org/link' };

const values: { [T in MailTemplate]: MailValues[T] } = {
  activation: link,
  password_reset: link,
  password_changed: {},
  second_factor_on: {},
  second_factor_off: {},
  passkey_added: { name: 'Telephone' },
  passkey_removed: { name: 'Telephone' },
  acted_for_you: {},
  new_sign_in: { device: 'iPhone, iOS', place: '', date: '2026-11-03T10:00:00.000Z' },
  pin_code: { code: '123456' },
  sign_in_link: link,
  export_confirmation: link,
  account_export: {},
  account_erased: {},
  merchant_approved: { reason: '', url: 'https://example.org/console' },
  merchant_suspended: { reason: 'Mails to strangers.', url: 'https://example.org/console' },
  merchant_resumed: { reason: '', url: 'https://example.org/console' },
  webhook_disabled: { url: 'https://example.org/hook', reason: 'gone' },
  charges_refused: { provider: 'Stripe', code: 'account_restricted', message: 'The account is restricted.' },
  dispute_opened: {
    reason: 'fraudulent',
    token: 'S-1-ST:1:1',
    amountMinor: 999,
    currency: 'EUR',
    date: '2026-11-03',
    url: 'https://example.org/dispute',
  },
  refund_failed: {
    token: 'S-1-ST:1:1',
    amountMinor: 999,
    currency: 'EUR',
    reason: 'The account is closed.',
    url: 'https://example.org/refund',
  },
  report: { report: 'mrr', from: '2026-11-01', to: '2026-11-03', url: 'https://example.org', isAttached: true },
  gift: { code: 'ABCD', itemTitle: 'Cup final', offer: 'Monthly pass' },
  receipt: { ...dated, settled: { kind: 'credit', amountMinor: 100 } },
  refund: purchase,
  trial_ends: dated,
  renewal_reminder: dated,
  card_expires: { ...dated, digits: '4242' },
  trial_needs_card: dated,
  payment_failed: failed,
  payment_action: { ...dated, url: 'https://example.org/confirm' },
  card_needed: failed,
  payment_reminder: dated,
  access_ends: dated,
  payment_recovered: dated,
  subscription_on_hold: purchase,
  payment_deferred: purchase,
  subscription_canceled: dated,
  subscription_ended: dated,
};
const templates = Object.keys(values) as MailTemplate[];

test('every language has the English texts, with their placeholders', () => {
  expect(localeFaults(mailLocales)).toEqual([]);
});

test('every text is used by a mail', () => {
  const unused = unusedKeys(mailLocales.en, path.join(__dirname, '../../src/mail'));
  const ofTemplates = templates.flatMap((name) =>
    ['subject', 'opening', 'closing'].map((part) => `mails.${name}.${part}`),
  );
  const others = ['mails.webhook_disabled.gone', 'mails.dispute_opened.openingWithoutDay', 'mails.report.tooLong'];
  expect(unused.filter((key) => !ofTemplates.includes(key))).toEqual(others);
});

test.each(templates)('%s: a subject of one line and a whole text, in each language', (template) => {
  const english = renderMail(template, values[template], { brand, language: 'en' });
  const arabic = renderMail(template, values[template], { brand, language: 'ar' });
  for (const { subject, text, html } of [english, arabic]) {
    expect(subject).toContain('The Cup Channel');
    expect(subject).not.toMatch(/[\r\n]/);
    for (const written of [subject, text]) expect(written).not.toMatch(/\{\w+\}|mails\.|undefined/);
    expect(html).toContain(subject);
  }
  expect(english.html).toContain('<html lang="en" dir="ltr">');
  expect(arabic.html).toContain('<html lang="ar" dir="rtl">');
  expect(arabic.subject).toMatch(/[\u0600-\u06ff]/);
});

test.each([
  ['payment_failed', 'View payment', 'subscriptions/S-1'],
  ['card_needed', 'Update card', 'card'],
  ['subscription_canceled', 'Manage subscription', 'subscriptions/S-1'],
  ['receipt', 'View receipts', 'receipts'],
] as const)('%s: a button to the page of the portal: %s', (template, label, page) => {
  const { text, html } = renderMail(template, values[template], { brand, language: 'en' });
  expect(text).toContain(`${label}: https://paywall.example/portal/m/${page}\n`);
  expect(html).toContain(`href="https://paywall.example/portal/m/${page}"`);
});

test('receipt: the credit that paid the rest', () => {
  const { text } = renderMail(
    'receipt',
    { ...dated, settled: { kind: 'credit', amountMinor: 100 } },
    { brand, language: 'en' },
  );
  expect(text).toContain(
    'Monthly pass: €9.99, paid on 3 November 2026. Your credit of €1.00 paid the rest. Thank you.',
  );
});

test('payment_failed: the reason of the decline, or a decline without a reason', () => {
  const write = (reason: string, language: 'en' | 'ar') =>
    renderMail('payment_failed', { ...dated, reason }, { brand, language }).text;
  expect(write('expired_card', 'en')).toContain('Your card has expired.');
  expect(write('expired_card', 'ar')).toContain('انتهت صلاحية بطاقتك.');
  expect(write('unheard_of', 'en')).toContain('Your card was declined.');
});

test('report: the days of the range, or one day', () => {
  const range = (from: string, to: string) =>
    renderMail('report', { ...values.report, from, to }, { brand, language: 'en' }).subject;
  expect(range('2026-11-01', '2026-11-03')).toMatch(
    /^Monthly recurring revenue of The Cup Channel, 1\s?–\s?3 November 2026$/,
  );
  expect(range('2026-11-01', '2026-11-01')).toBe('Monthly recurring revenue of The Cup Channel, 1 November 2026');
});
