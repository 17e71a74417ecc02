import { type MailTemplate, type MailValues } from '../mailValues';

/** Mails to merchants and their staff. Their texts are those of the installation. */
type StaffMail =
  | ('staff_invitation' | 'webhook_disabled' | 'charges_refused' | 'dispute_opened' | 'refund_failed')
  | ('report' | 'report_confirmation')
  | ('merchant_approved' | 'merchant_suspended' | 'merchant_resumed' | 'sample');

type Samples = { [T in Exclude<MailTemplate, StaffMail>]: MailValues[T] };

/** The values of an example of each mail to customers. Its links lead to the portal, and its codes open nothing. */
export function samplesAt(portalUrl: string): Samples {
  const link = { token: 'EXAMPLE', url: portalUrl };
  const security = { url: portalUrl };
  const purchase = { description: 'Monthly pass', token: 'S-EXAMPLE', amountMinor: 999, currency: 'EUR', itemId: 1 };
  const dated = { ...purchase, date: new Date().toISOString() };
  const overdue = { ...dated, payUrl: portalUrl, cardUrl: portalUrl };
  const failed = { ...overdue, reason: 'insufficient_funds' };
  const settled = { kind: 'credit', amountMinor: 100 } as const;
  return {
    activation: link,
    password_reset: link,
    sign_in_link: link,
    pin_code: { code: '123456' },
    email_change: link,
    email_change_asked: { address: 'ana@example.org', url: portalUrl, days: 7 },
    email_changed: { address: 'ana@example.org', url: portalUrl, days: 7 },
    password_changed: security,
    new_sign_in: { ...security, device: 'iPhone, iOS', place: 'Berlin, DE', date: dated.date },
    second_factor_on: link,
    second_factor_off: security,
    passkey_added: { ...security, name: 'iPhone' },
    passkey_removed: { ...security, name: 'iPhone' },
    acted_for_you: security,
    export_confirmation: link,
    account_export: {},
    account_erased: {},
    receipt: { ...dated, settled },
    refund: purchase,
    tax_number_removed: { number: 'ATU12345675' },
    gift: { code: 'EXAMPLE', itemTitle: 'Cup final', offer: 'Monthly pass', itemId: 1 },
    trial_ends: dated,
    trial_needs_card: overdue,
    renewal_reminder: dated,
    card_expires: { ...overdue, digits: '4242' },
    payment_failed: failed,
    debit_failed: failed,
    payment_action: { ...dated, url: portalUrl },
    card_needed: failed,
    payment_reminder: overdue,
    access_ends: overdue,
    payment_recovered: { ...dated, settled },
    payment_deferred: purchase,
    subscription_on_hold: overdue,
    subscription_canceled: { ...dated, keepUrl: portalUrl },
    subscription_ended: dated,
  };
}
