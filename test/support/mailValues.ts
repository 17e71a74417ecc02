import { type MailTemplate, type MailValues } from '../../src/mail/mailValues';

/** A brand, and values of each mail. */

export const mailBrand = {
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
export const dated = { ...purchase, date: '2026-11-03T10:00:00.000Z' };
const failed = { ...dated, reason: 'insufficient_funds' };
const link = { token: 'a-token', url: 'https://example.org/link' };
const security = { url: 'https://example.org/security' };

export const mailValues: { [T in MailTemplate]: MailValues[T] } = {
  activation: link,
  password_reset: link,
  email_change: link,
  email_change_asked: { address: 'ana@example.org', url: link.url, days: 7 },
  email_changed: { address: 'ana@example.org', url: link.url, days: 7 },
  password_changed: security,
  second_factor_on: link,
  second_factor_off: security,
  passkey_added: { ...security, name: 'Telephone' },
  passkey_removed: { ...security, name: 'Telephone' },
  acted_for_you: security,
  staff_invitation: { merchant: 'The Cup\r\nChannel', url: 'https://example.org/link' },
  new_sign_in: { ...security, device: 'iPhone, iOS', place: '', date: '2026-11-03T10:00:00.000Z' },
  pin_code: { code: '123456' },
  sign_in_link: link,
  export_confirmation: link,
  account_export: {},
  account_erased: {},
  merchant_approved: { reason: '', url: 'https://example.org/console' },
  merchant_suspended: { reason: 'Mails to strangers.', url: 'https://example.org/console' },
  merchant_resumed: { reason: '', url: 'https://example.org/console' },
  webhook_disabled: { url: 'https://example.org/hook', reason: 'gone', page: 'https://example.org/console/webhook' },
  charges_refused: {
    provider: 'Stripe',
    code: 'account_restricted',
    message: 'The account is restricted.',
    url: 'https://example.org/console/payments',
  },
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
  report: {
    report: 'mrr',
    from: '2026-11-01',
    to: '2026-11-03',
    url: 'https://example.org',
    stopUrl: 'https://example.org/stop',
    isAttached: true,
  },
  report_confirmation: { url: 'https://example.org/confirm' },
  tax_number_removed: { number: 'ATU12345675' },
  gift: { code: 'ABCD', itemTitle: 'Cup final', offer: 'Monthly pass', itemId: 7 },
  receipt: { ...dated, settled: { kind: 'credit', amountMinor: 100 } },
  refund: purchase,
  trial_ends: dated,
  renewal_reminder: dated,
  card_expires: { ...dated, digits: '4242' },
  trial_needs_card: dated,
  payment_failed: failed,
  payment_action: { ...dated, url: 'https://example.org/confirm' },
  debit_failed: failed,
  card_needed: failed,
  payment_reminder: dated,
  access_ends: dated,
  payment_recovered: dated,
  subscription_on_hold: purchase,
  payment_deferred: purchase,
  subscription_canceled: dated,
  subscription_ended: dated,
  sample: { kind: 'receipt', text: null },
};
