import { isolatedIn, languages } from '../../../src/kit/languages';
import { usefulSeconds } from '../../../src/mail/lifetimes';
import { type MailTemplate } from '../../../src/mail/mailValues';
import { renderMail } from '../../../src/mail/templates';
import { samplesAt } from '../../../src/mail/texts/samples';
import { describeText } from '../../../src/mail/texts/standard';
import { customerMails } from '../../../src/mail/texts/texts.schemas';
import { mailBrand as brand, mailValues as values } from '../../support/mailValues';

/** A merchant's own text in each mail to customers. */

const staffMails: MailTemplate[] = [
  ...([
    'staff_invitation',
    'webhook_disabled',
    'charges_refused',
    'dispute_opened',
    'refund_failed',
    'report',
    'report_confirmation',
  ] as const),
  ...(['merchant_approved', 'merchant_suspended', 'merchant_resumed', 'sample'] as const),
];

test('each mail has a text that a merchant can replace, but those to staff', () => {
  expect([...customerMails, ...staffMails].sort()).toEqual(Object.keys(usefulSeconds).sort());
  expect(Object.keys(samplesAt('')).sort()).toEqual([...customerMails].sort());
});

test.each(customerMails)('%s: the own text in both parts, with its values, beside the link and the code', (kind) => {
  for (const language of languages) {
    const { placeholders, standard } = describeText(kind, language);
    const all = placeholders.map((name) => `${name}: {${name}}`).join('; ');
    const own = { subject: `S {brand}`, heading: 'My heading', opening: `O ${all}`, closing: null, button: 'Press me' };
    const sample = samplesAt('https://paywall.example/portal/m')[kind];
    const mail = renderMail(kind, sample, { brand, language, own });
    const usual = renderMail(kind, sample, { brand, language });
    const { brand: name } = isolatedIn(language, { brand: 'The Cup Channel' });
    expect(mail.subject).toBe(`S ${name}`);
    for (const part of [mail.text, mail.html]) {
      expect(part).toContain('My heading');
      expect(part).toContain(`O brand: ${name}`);
      expect(part).not.toMatch(/\{\w+\}/);
      expect(part.includes('Press me')).toBe(standard.button !== null);
    }
    // The links and the code stay as they were.
    const linksIn = (text: string) => text.match(/https:\S+|^.*: (EXAMPLE|123456)$/gm);
    expect(linksIn(mail.text)).toEqual(linksIn(usual.text));
    expect(mail.html.match(/href="[^"]*"/g)).toEqual(usual.html.match(/href="[^"]*"/g));
  }
});

test('the closing is the standard one, unless the merchant has another', () => {
  const own = { subject: 'S', heading: null, opening: 'O', closing: null, button: null };
  const write = (closing: string | null) =>
    renderMail('receipt', values.receipt, { brand, language: 'en', own: { ...own, closing } }).text;
  expect(write(null)).toContain('Reference: S-1');
  expect(write('Yours\n\n{brand} ({token})')).toContain('Yours\n\nThe Cup Channel (S-1)');
  expect(write('Yours')).not.toContain('Reference');
});

test('only the button that a mail is about has the own label', () => {
  const own = { subject: 'S', heading: null, opening: 'O', closing: null, button: 'Pay me' };
  const write = (links: object) =>
    renderMail('payment_failed', { ...values.payment_failed, ...links }, { brand, language: 'en', own }).text;
  expect(write({ payUrl: 'https://example.org/pay', cardUrl: 'https://example.org/card' })).toMatch(
    /Pay me: https:\/\/example.org\/pay[^]*Update card: https:\/\/example.org\/card/,
  );
  expect(write({})).toContain('View payment: https://paywall.example/portal/m/');
});

test('a value with a line break does not reach the subject, and a value is not filled in again', () => {
  const own = { subject: '{itemTitle}', heading: null, opening: '{itemTitle}', closing: null, button: null };
  const gift = { ...values.gift, itemTitle: 'Cup\r\nBcc: x@example.org {offer}' };
  const { subject, text } = renderMail('gift', gift, { brand, language: 'en', own });
  expect(subject).toBe('Cup Bcc: x@example.org {offer}');
  expect(text).toContain('{offer}');
});
