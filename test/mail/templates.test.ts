import path from 'node:path';
import { type Language, languages } from '../../src/kit/languages';
import { type MethodName } from '../../src/kit/paymentMethods';
import { type MailTemplate } from '../../src/mail/mailValues';
import { renderMail } from '../../src/mail/templates';
import { mailLocales } from '../../src/mail/words';
import { localeFaults } from '../../scripts/localeFaults';
import { unusedKeys } from '../support/locales';
import { dated, mailBrand as brand, mailValues as values } from '../support/mailValues';

const templates = Object.keys(values) as MailTemplate[];

test('every language has the English texts, with their placeholders', () => {
  expect(localeFaults(mailLocales)).toEqual([]);
});

test('every text is used by a mail', () => {
  const unused = unusedKeys(mailLocales.en, path.join(__dirname, '../../src/mail')).filter(
    (key) => !key.startsWith('documents.'),
  );
  const ofTemplates = templates.flatMap((name) =>
    ['subject', 'opening', 'closing'].map((part) => `mails.${name}.${part}`),
  );
  const others = ['mails.webhook_disabled.gone', 'mails.dispute_opened.openingWithoutDay', 'mails.report.tooLong'];
  expect(unused.filter((key) => !ofTemplates.includes(key))).toEqual(others);
});

test.each(templates)('%s: a subject of one line and a whole text, in each language', (template) => {
  const subjects = languages.map((language) => {
    const { subject, text, html } = renderMail(template, values[template], { brand, language });
    expect(subject).toContain('The Cup Channel');
    expect(subject).not.toMatch(/[\r\n]/);
    for (const written of [subject, text]) expect(written).not.toMatch(/\{\w+\}|mails\.|facts\.|undefined/);
    expect(html).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`);
    return subject;
  });
  // A report is named by its brand and its days.
  if (template !== 'report') expect(new Set(subjects).size).toBe(languages.length);
});

/** Mails on which their reader has nothing to do on a page of ours. */
const withoutButton = ['account_erased', 'account_export', 'merchant_suspended', 'pin_code'];

test('every mail has a button, except those without a page to go to', () => {
  const buttonless = templates.filter(
    (name) => !renderMail(name, values[name], { brand, language: 'en' }).html.includes('padding:13px 24px'),
  );
  expect(buttonless.sort()).toEqual(withoutButton);
});

/** A longer label has two lines on a phone. */
const labelMax = 25;

test('the label of a button fits one line on a phone, in each language', () => {
  const long = languages.flatMap((language) => {
    const { links, mails } = mailLocales[language];
    const labels = [
      ...Object.values(links),
      ...Object.values(mails).flatMap((mail) => ('link' in mail ? [mail.link] : [])),
    ];
    return labels.filter((label) => label.length > labelMax).map((label) => `${language}: ${label}`);
  });
  expect(long).toEqual([]);
});

test.each([
  ['webhook_disabled', '\nhttps://example.org/hook\n'],
  ['charges_refused', '\naccount_restricted: The account is restricted.\n'],
  ['gift', '\nCode: ABCD\n'],
] as const)('%s: what is quoted is above the button, as text too, and only a code is called a code', (name, quoted) => {
  const { text, html } = renderMail(name, { ...values[name], itemId: 7 }, { brand, language: 'en' });
  expect(text).toContain(quoted);
  expect(text.indexOf(quoted)).toBeLessThan(text.search(/^(?!Code)[A-Z][a-z ]+: http/m));
  expect(html.indexOf('<bdi>')).toBeLessThan(html.indexOf('padding:13px 24px'));
});

test('a value in Latin letters keeps the order of an Arabic sentence, and a link stays as it is', () => {
  const gift = renderMail('gift', values.gift, { brand, language: 'ar' }).text;
  expect(gift).toContain('\u2068Cup final\u2069');
  const report = renderMail('report', values.report, { brand, language: 'ar' });
  expect(report.subject).toContain('\u2068The Cup Channel\u2069');
  expect(report.text).toContain(' https://example.org/stop\n');
  expect(renderMail('receipt', values.receipt, { brand, language: 'ar' }).text).toMatch(/ S-1\n/);
  expect(renderMail('gift', values.gift, { brand, language: 'de' }).text).not.toMatch(/[\u2068\u2069]/);
});

test.each(['T-Online', 'Formula1', 'ARD/ZDF', 'Coca-Cola'])('the name %s is kept apart in an Arabic mail', (name) => {
  const ofBrand = renderMail('receipt', values.receipt, { brand: { ...brand, name }, language: 'ar' });
  expect(ofBrand.subject).toContain(`\u2068${name}\u2069`);
  const ofTitle = renderMail('gift', { ...values.gift, itemTitle: name }, { brand, language: 'ar' });
  expect(ofTitle.text).toContain(`\u2068${name}\u2069`);
});

test.each([
  ['receipt', values.receipt.token],
  ['email_changed', values.email_changed.address],
  ['tax_number_removed', values.tax_number_removed.number],
] as const)('%s: %s is copied without marks from an Arabic mail', (template, copied) => {
  const { text } = renderMail(template, values[template], { brand, language: 'ar' });
  expect(text).toContain(copied);
  expect(text).not.toContain(`\u2068${copied}`);
});

test('only letters that stand alone are set closer: those of Arabic are joined', () => {
  const headingIn = (language: Language) =>
    /<h1[^>]+>/.exec(renderMail('receipt', values.receipt, { brand, language }).html)?.[0] ?? '';
  expect(headingIn('en')).toContain('letter-spacing:-0.02em');
  expect(headingIn('ar')).not.toContain('letter-spacing');
});

test('dispute_opened: the reason of the bank in words, and an unknown one without its underscores', () => {
  const write = (reason: string, language: Language) =>
    renderMail('dispute_opened', { ...values.dispute_opened, reason }, { brand, language }).text;
  expect(write('fraudulent', 'de')).toContain('Grund der Bank: Betrug.');
  expect(write('product_not_received', 'en')).toContain('The bank’s reason: product not received.');
  expect(write('some_new_reason', 'de')).toContain('some new reason');
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

test.each([
  ['card_expires', { cardUrl: 'https://example.org/card' }, 'Update card: https://example.org/card'],
  ['trial_needs_card', { cardUrl: 'https://example.org/card' }, 'Update card: https://example.org/card'],
  ['card_needed', { cardUrl: 'https://example.org/card' }, 'Update card: https://example.org/card'],
  ['subscription_on_hold', { cardUrl: 'https://example.org/card' }, 'Update card: https://example.org/card'],
  ['subscription_canceled', { keepUrl: 'https://example.org/keep' }, 'Keep my subscription: https://example.org/keep'],
] as const)('%s: a button that needs no sign-in, for a week: %j', (template, links, button) => {
  const { text } = renderMail(template, { ...values[template], ...links }, { brand, language: 'en' });
  expect(text).toContain(`${button}\nNo sign-in needed. This link works for 7 days.\n`);
});

test('payment_failed: the button pays, and a smaller link takes another card', () => {
  const links = { payUrl: 'https://example.org/pay', cardUrl: 'https://example.org/card' };
  const { text } = renderMail('payment_failed', { ...values.payment_failed, ...links }, { brand, language: 'en' });
  const action = 'Pay now: https://example.org/pay\nNo sign-in needed. This link works for 7 days.';
  expect(text).toContain(`${action}\n\nUpdate card: https://example.org/card\n`);
});

test.each([
  [undefined, '31 December 2026'],
  ['Europe/Berlin', '1 January 2027'],
  ['America/New_York', '31 December 2026'],
])('the day of an instant, in the time zone %s of the merchant', (zone, day) => {
  const late = { ...dated, date: '2026-12-31T23:30:00.000Z' };
  expect(renderMail('receipt', late, { brand, language: 'en', ...(zone && { zone }) }).text).toContain(
    `Paid on: ${day}`,
  );
});

test.each([
  ['#1c1d1f', true],
  ['#b4341f', true],
  ['#e5484d', false],
  ['#ffffff', false],
])('a button in the colour %s has an edge on dark paper: %s', (buttonColor, isEdged) => {
  const { html } = renderMail('payment_failed', values.payment_failed, {
    brand: { ...brand, buttonColor },
    language: 'en',
  });
  expect(html.includes('class="edged"')).toBe(isEdged);
});

test.each([
  ['#ffffff', '#8c8c8c'],
  ['#b4341f', '#b4341f'],
])('a button in the colour %s has an edge in %s on light paper', (buttonColor, edge) => {
  const { html } = renderMail('payment_failed', values.payment_failed, {
    brand: { ...brand, buttonColor },
    language: 'en',
  });
  expect(html).toContain(`background:${buttonColor};border-radius:10px;border:1px solid ${edge}`);
});

test('the last day of a card is the same in every time zone', () => {
  const card = { ...values.card_expires, date: '2026-12-31' };
  const { text } = renderMail('card_expires', card, { brand, language: 'en', zone: 'America/New_York' });
  expect(text).toContain('31 December 2026');
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
  expect(text).toContain('Plan: Monthly pass\nFrom your balance: -€1.00\nTotal: €9.99\nPaid on: 3 November 2026\n');
});

test('receipt: the price, the setup fee, the discount and the tax', () => {
  const lines = [
    { kind: 'item', grossMinor: 999 },
    { kind: 'discount', grossMinor: -200 },
    { kind: 'setup_fee', grossMinor: 500 },
  ] as const;
  const sold = { ...dated, amountMinor: 1299, lines: [...lines], tax: { amountMinor: 207, rateMilli: 19_000 } };
  const { text, html } = renderMail('receipt', sold, { brand, language: 'en' });
  expect(text).toContain(
    'Price: €9.99\nDiscount: -€2.00\nSetup fee: €5.00\nTotal: €12.99\nTax included (19%): €2.07\nPaid on: 3 November 2026',
  );
  expect(html).toContain('Tax included (19%)');
  expect(renderMail('receipt', sold, { brand, language: 'de' }).text).toContain(
    'Enthaltene Steuer (19\u00a0%): 2,07\u00a0€',
  );
});

test.each([
  ['receipt', { ...dated, itemId: 7 }, 'Open content', 'View receipts'],
  ['payment_recovered', { ...dated, itemId: 7 }, 'Open content', 'View receipts'],
  ['subscription_ended', { ...dated, itemId: 7 }, 'Subscribe again', 'Manage subscription'],
  ['debit_failed', { ...dated, reason: 'account_closed', itemId: 7 }, 'Try again', 'View receipts'],
] as const)(
  '%s: a button to the content, and the page of the portal as another link',
  (template, sold, label, more) => {
    const { text } = renderMail(template, sold, { brand, language: 'en' });
    expect(text).toContain(`${label}: https://paywall.example/paywall/m/7\n`);
    expect(text).toContain(`${more}: https://paywall.example/portal/m/`);
  },
);

test('gift: a button to the paywall, and the code in the text', () => {
  const { text } = renderMail('gift', { ...values.gift, itemId: 7 }, { brand, language: 'en' });
  expect(text).toContain('Redeem gift: https://paywall.example/paywall/m/7\n');
  expect(text).toContain('Code: ABCD');
});

test('payment_failed: a pay link says that it needs no sign-in', () => {
  const paid = { ...values.payment_failed, payUrl: 'https://paywall.example/payments/pay/x' };
  const { text } = renderMail('payment_failed', paid, { brand, language: 'en' });
  expect(text).toContain(
    'Pay now: https://paywall.example/payments/pay/x\nNo sign-in needed. This link works for 7 days.',
  );
});

test('values of a merchant are escaped in the HTML', () => {
  const { html } = renderMail('receipt', { ...dated, description: '<b>Pass</b>' }, { brand, language: 'en' });
  expect(html).not.toContain('<b>Pass</b>');
  expect(html).toContain('&lt;b&gt;Pass&lt;/b&gt;');
});

test('payment_failed: the reason of the decline, or a decline without a reason', () => {
  const write = (reason: string, language: 'en' | 'ar') =>
    renderMail('payment_failed', { ...dated, reason }, { brand, language }).text;
  expect(write('expired_card', 'en')).toContain('Your card has expired.');
  expect(write('expired_card', 'ar')).toContain('انتهت صلاحية بطاقتك.');
  expect(write('unheard_of', 'en')).toContain('Your bank declined the payment.');
});

describe.each(languages)('a decline in %s', (language) => {
  const { declines, paypalDeclines } = mailLocales[language];
  const write = (template: 'payment_failed' | 'card_needed' | 'debit_failed', reason: string, method?: MethodName) =>
    renderMail(template, { ...dated, reason, ...(method && { method }) }, { brand, language }).text;

  test('payment_failed: PayPal has declined, and not a bank', () => {
    for (const [reason, text] of [
      ...Object.entries(paypalDeclines),
      ...['expired_card', 'lost_card', 'card_tried_too_often', 'unheard_of'].map(
        (reason) => [reason, paypalDeclines.declined] as const,
      ),
      ['insufficient_funds', declines.insufficient_funds] as const,
    ])
      expect([reason, write('payment_failed', reason, 'paypal')]).toEqual([reason, expect.stringContaining(text)]);
    expect(new Set(Object.values(paypalDeclines)).size).toBe(4);
  });

  test('debit_failed, card_needed: no text about a card for a bank account, and one for a card or a wallet', () => {
    for (const reason of ['expired_card', 'lost_card', 'card_tried_too_often', 'authentication_failed'] as const) {
      for (const method of ['direct_debit', 'ideal', 'bancontact'] as const)
        expect(write('debit_failed', reason, method)).toContain(declines.declined);
      for (const method of ['card', 'link', 'google_pay', 'apple_pay', undefined] as const)
        expect(write('card_needed', reason, method)).toContain(declines[reason]);
    }
  });
});

test('report: the days of the range, or one day', () => {
  const range = (from: string, to: string) =>
    renderMail('report', { ...values.report, from, to }, { brand, language: 'en' }).subject;
  expect(range('2026-11-01', '2026-11-03')).toMatch(
    /^Monthly recurring revenue of The Cup Channel, 1\s?–\s?3 November 2026$/,
  );
  expect(range('2026-11-01', '2026-11-01')).toBe('Monthly recurring revenue of The Cup Channel, 1 November 2026');
});
