import { type MethodName } from '../kit/paymentMethods';
import { type BalanceSettlement, type ReceiptParts } from './facts';
import { type CustomerMail } from './texts/texts.schemas';

/** `url`: the page of the owner's sessions, password and second factors. */
interface SecurityNotice {
  url: string;
}

/** The values of each mail. Days are ISO 8601. A secret (token, code) is stored in the mail only. */
export interface MailValues {
  activation: { token: string; url: string };
  password_reset: { token: string; url: string };
  sign_in_link: { token: string; url: string };
  email_change: { token: string; url: string };
  /** `address`: the new address. `url`: where the owner of the former one stops or undoes the change. */
  email_change_asked: EmailChangeNotice;
  email_changed: EmailChangeNotice;
  /** `url`: where the owner requests a new password. Absent if there is no such page. */
  password_changed: { url?: string };
  /** `url`: where the owner removes a factor that another person has switched on. */
  second_factor_on: { token: string; url: string };
  second_factor_off: SecurityNotice;
  /** `name`: what the owner calls the passkey. */
  passkey_added: SecurityNotice & { name: string };
  passkey_removed: SecurityNotice & { name: string };
  pin_code: { code: string };
  /** `merchant`: the name of the merchant. */
  staff_invitation: { merchant: string; url: string };
  export_confirmation: { token: string; url: string };
  acted_for_you: SecurityNotice;
  /** `device` and `place` are empty if they are unknown. */
  new_sign_in: SecurityNotice & { device: string; place: string; date: string };
  account_export: Record<string, never>;
  account_erased: Record<string, never>;
  /** Sent to the merchant. `url`: the server of the webhook. `page`: the webhook in the console. */
  webhook_disabled: { url: string; reason: 'failing' | 'gone'; page: string };
  /** Sent to the merchant. `code` and `message` come from the card provider. `url`: its account in the console. */
  charges_refused: { provider: string; code: string; message: string; url: string };
  /** Sent to the merchant. `reason`: as the operator wrote it. `url`: the console. */
  merchant_approved: MerchantNotice;
  merchant_suspended: MerchantNotice;
  merchant_resumed: MerchantNotice;
  /**
   * Sent to the merchant. `reason`: the bank's, as a code. `date`: the last day for evidence, or empty. `url`: the
   * dispute in the console.
   */
  dispute_opened: { reason: string; token: string; amountMinor: number; currency: string; date: string; url: string };
  /** Sent to the merchant. `reason` comes from the card provider. `url`: the refund form in the console. */
  refund_failed: { token: string; amountMinor: number; currency: string; reason: string; url: string };
  report: ReportValues;
  /** `url`: where the recipient agrees to the reports or declines them. */
  report_confirmation: { url: string };
  /** `number`: the removed tax number. */
  tax_number_removed: { number: string };
  gift: { code: string; itemTitle: string; offer: string; itemId?: number };
  receipt: Purchase & DocumentReference & BalanceSettlement & ReceiptParts & { date: string };
  refund: Purchase & DocumentReference;
  trial_ends: Purchase & { date: string };
  /** `date`: the day of the renewal. */
  renewal_reminder: Purchase & { date: string };
  /** `digits`: the last four of the card. `date`: its last day. */
  card_expires: Purchase & CardLink & { date: string; digits: string };
  /** The same if the customer has no card. */
  trial_needs_card: Purchase & CardLink & { date: string };
  payment_failed: Purchase & PayLink & CardLink & Decline & { date: string };
  /** The first debit of a purchase failed. */
  debit_failed: Purchase & Decline;
  card_needed: Purchase & CardLink & Decline & { date: string };
  /** `url`: the page where the payer confirms the charge. */
  payment_action: Purchase & { date: string; url: string };
  payment_reminder: Purchase & PayLink & CardLink & { date: string };
  access_ends: Purchase & PayLink & CardLink & { date: string };
  payment_recovered: Purchase & DocumentReference & BalanceSettlement & ReceiptParts & { date: string };
  subscription_on_hold: Purchase & PayLink & CardLink;
  /** Like `subscription_on_hold`, when the card provider is the reason and not the payer. */
  payment_deferred: Purchase;
  subscription_canceled: Purchase & KeepLink & { date: string };
  subscription_ended: Purchase & { date: string };
  /** A test mail to staff, with the values of an example. `text`: null for the standard text. */
  sample: { kind: CustomerMail; text: OwnText | null };
}

/** A merchant's own text of a mail. Null: the standard text. A mail without a heading shows its subject there. */
export interface OwnText {
  subject: string;
  heading: string | null;
  opening: string;
  closing: string | null;
  button: string | null;
}

interface EmailChangeNotice {
  address: string;
  url: string;
  /** How long the link works. */
  days: number;
}

export interface MerchantNotice {
  reason: string;
  url: string;
}

/** `reason`: the code of the decline. `method`: what should have paid; by default a card. */
export interface Decline {
  reason: string;
  method?: MethodName;
}

/** The description and token of the purchase, and its price. */
export interface Purchase {
  description: string;
  token: string;
  amountMinor: number;
  currency: string;
  /** What was bought. The buttons of some mails lead to it. */
  itemId?: number;
}

/** The token of the charge or of the refund whose document is attached. */
export interface DocumentReference {
  trxToken?: string;
}

/** The page where the customer pays with the saved card, without a password. Absent: the button leads to the portal. */
export interface PayLink {
  payUrl?: string;
}

/** The page where the customer enters another card, without a password. Absent: the button leads to the portal. */
export interface CardLink {
  cardUrl?: string;
}

/** The page where the customer undoes a cancellation, without a password. Absent: the button leads to the portal. */
export interface KeepLink {
  keepUrl?: string;
}

export interface MailLinks extends PayLink, CardLink, KeepLink {}

export type ReportName =
  'summary' | 'revenue' | 'subscriptions' | 'mrr' | 'customers' | 'trials' | 'dunning' | 'transactions';

interface ReportValues {
  report: ReportName;
  /** Days, both inclusive. */
  from: string;
  to: string;
  /** The URL of the reports in the console. */
  url: string;
  /** The URL where the recipient ends these mails. */
  stopUrl: string;
  /** False if the report is too large for a mail. */
  isAttached: boolean;
}

export type MailTemplate = keyof MailValues;
