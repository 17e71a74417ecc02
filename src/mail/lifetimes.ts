import { type MailTemplate } from './mailValues';

const minutes = 60;
const hours = 3600;
const aWeek = 7 * 24 * hours;

/** How long each mail is useful to its reader. After that it is no longer sent. */
export const usefulSeconds: Record<MailTemplate, number> = {
  activation: 24 * hours,
  password_reset: hours,
  sign_in_link: 15 * minutes,
  email_change: hours,
  email_change_asked: 72 * hours,
  email_changed: 72 * hours,
  password_changed: 72 * hours,
  second_factor_on: 24 * hours,
  second_factor_off: 72 * hours,
  passkey_added: 72 * hours,
  passkey_removed: 72 * hours,
  pin_code: 10 * minutes,
  export_confirmation: hours,
  staff_invitation: aWeek,
  acted_for_you: aWeek,
  new_sign_in: 72 * hours,
  account_export: 72 * hours,
  account_erased: 72 * hours,
  tax_number_removed: aWeek,
  gift: 7 * 24 * hours,
  receipt: aWeek,
  refund: aWeek,
  trial_ends: 24 * hours,
  renewal_reminder: aWeek,
  card_expires: aWeek,
  trial_needs_card: 24 * hours,
  payment_failed: aWeek,
  debit_failed: aWeek,
  card_needed: aWeek,
  payment_action: aWeek,
  payment_reminder: 24 * hours,
  access_ends: 24 * hours,
  payment_recovered: aWeek,
  subscription_on_hold: aWeek,
  payment_deferred: aWeek,
  subscription_canceled: aWeek,
  subscription_ended: aWeek,
  merchant_approved: aWeek,
  merchant_suspended: aWeek,
  merchant_resumed: aWeek,
  webhook_disabled: 72 * hours,
  charges_refused: 72 * hours,
  dispute_opened: aWeek,
  refund_failed: aWeek,
  report: aWeek,
  report_confirmation: aWeek,
  sample: hours,
};

/**
 * Mails about the security of the reader's account. They are sent before all others, and have a budget of their own.
 */
const urgent: ReadonlySet<MailTemplate> = new Set<MailTemplate>([
  'password_reset',
  'sign_in_link',
  'email_change',
  'email_change_asked',
  'email_changed',
  'password_changed',
  'second_factor_on',
  'second_factor_off',
  'passkey_added',
  'passkey_removed',
  'pin_code',
  'export_confirmation',
  'account_export',
  'account_erased',
  'acted_for_you',
  'new_sign_in',
]);

export const isUrgent = (template: MailTemplate): boolean => urgent.has(template);
