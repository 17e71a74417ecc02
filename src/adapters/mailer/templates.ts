import { asHtml, asText, type Content, type MailBrand } from './layout';
import { reportContent, type ReportMail } from './reportMail';

/** What each mail needs to be written. A secret (token, code) goes into a mail and nowhere else. */
export interface MailValues {
  activation: { token: string; url: string };
  password_reset: { token: string; url: string };
  password_changed: Record<string, never>;
  pin_code: { code: string };
  account_export: Record<string, never>;
  account_erased: Record<string, never>;
  webhook_disabled: { url: string; reason: 'failing' | 'gone' };
  report: ReportMail;
  gift: { code: string; itemTitle: string; offer: string };
  receipt: Purchase & { date: string };
  refund: Purchase;
  trial_ends: Purchase & { date: string };
  /** The same where no card is known. */
  trial_needs_card: Purchase & { date: string };
  /** `reason` is the bank's, for people. */
  payment_failed: Purchase & { reason: string; date: string };
  card_needed: Purchase & { reason: string; date: string };
  payment_reminder: Purchase & { date: string };
  access_ends: Purchase & { date: string };
  payment_recovered: Purchase & { date: string };
  subscription_on_hold: Purchase;
  subscription_canceled: Purchase & { date: string };
  subscription_ended: Purchase & { date: string };
}

/** What was bought, by its description and its token; `amount` is for people, and so is each `date`. */
interface Purchase {
  description: string;
  token: string;
  amount: string;
}

export type MailTemplate = keyof MailValues;

export interface MailText {
  subject: string;
  text: string;
  html: string;
}

type Templates = { [T in MailTemplate]: (values: MailValues[T], brandName: string) => Content };

const minutes = 60;
const hours = 3600;
const aWeek = 7 * 24 * hours;

/** How long each mail is of use to its reader; after that it is not sent any more. */
export const usefulSeconds: Record<MailTemplate, number> = {
  activation: 24 * hours,
  password_reset: hours,
  password_changed: 72 * hours,
  pin_code: 10 * minutes,
  account_export: 72 * hours,
  account_erased: 72 * hours,
  gift: 7 * 24 * hours,
  receipt: aWeek,
  refund: aWeek,
  trial_ends: 24 * hours,
  trial_needs_card: 24 * hours,
  payment_failed: aWeek,
  card_needed: aWeek,
  payment_reminder: 24 * hours,
  access_ends: 24 * hours,
  payment_recovered: aWeek,
  subscription_on_hold: aWeek,
  subscription_canceled: aWeek,
  subscription_ended: aWeek,
  webhook_disabled: 72 * hours,
  report: aWeek,
};

const ignoreIt = 'If you did not ask for this, you can ignore this mail.';

const templates: Templates = {
  activation: ({ token, url }, brandName) => ({
    subject: `Activate your account at ${brandName}`,
    opening: 'Please confirm that this is your e-mail address. The link works once, for 24 hours.',
    link: { url, label: 'Activate my account' },
    code: token,
    closing: ignoreIt,
  }),
  password_reset: ({ token, url }, brandName) => ({
    subject: `Set a new password at ${brandName}`,
    opening: 'Here you can choose a new password. The link works once, for one hour.',
    link: { url, label: 'Choose a new password' },
    code: token,
    closing: `${ignoreIt} Your password stays as it is.`,
  }),
  password_changed: (_values, brandName) => ({
    subject: `Your password at ${brandName} was changed`,
    opening: 'The password of your account was just changed, and all other devices were signed out.',
    closing: 'If that was not you, ask for a new password at once.',
  }),
  pin_code: ({ code }, brandName) => ({
    subject: `Your code for ${brandName}`,
    opening: 'Enter this code where you were asked for it. It works once, for 10 minutes.',
    code,
    closing: ignoreIt,
  }),
  account_export: (_values, brandName) => ({
    subject: `Your data at ${brandName}`,
    opening: 'Attached is what is stored about you, as you asked. Apart from this mail no copy of it is kept.',
    closing: 'If you did not ask for this, change your password at once.',
  }),
  account_erased: (_values, brandName) => ({
    subject: `Your account at ${brandName} was deleted`,
    opening:
      'Your account and everything personal in it are deleted. Of payments only amount and date stay in the books.',
    closing: 'This is the last mail: your address is forgotten with it.',
  }),
  gift: ({ code, itemTitle, offer }, brandName) => ({
    subject: `A gift for you at ${brandName}`,
    opening: `You were given “${itemTitle}” (${offer}). Register or sign in with this e-mail address, and enter the code as a voucher when you buy it: there is nothing left to pay for it.`,
    code,
    closing: 'The code works once, and only for this address.',
  }),
  refund: ({ description, amount, token }, brandName) => ({
    subject: `Your refund from ${brandName}`,
    opening: `We have given back ${amount} for: ${description}. Your bank may take some days to show it.`,
    closing: `Transaction ${token}.`,
  }),
  receipt: ({ description, amount, date, token }, brandName) => ({
    subject: `Your receipt from ${brandName}`,
    opening: `${description}: ${amount}, paid on ${date}. Thank you.`,
    closing: numbered(token),
  }),
  trial_ends: ({ description, amount, date, token }, brandName) => ({
    subject: `Your free trial at ${brandName} ends on ${date}`,
    opening: `${description} goes on after your trial, for ${amount}. If you do not want that, cancel before ${date}.`,
    closing: numbered(token),
  }),
  trial_needs_card: ({ description, amount, date, token }, brandName) => ({
    subject: `Your free trial at ${brandName} ends on ${date}`,
    opening: `${description} does not go on after your trial: no card is known that could pay for it. If you want to keep it, for ${amount}, add a card before ${date}.`,
    closing: numbered(token),
  }),
  payment_failed: ({ description, amount, reason, date, token }, brandName) => ({
    subject: `Your payment to ${brandName} failed`,
    opening: `We could not charge ${amount} for ${description}. ${reason} We try again; you keep your access until ${date}.`,
    closing: numbered(token),
  }),
  card_needed: ({ description, amount, reason, date, token }, brandName) => ({
    subject: `${brandName} needs a new card from you`,
    opening: `We could not charge ${amount} for ${description}. ${reason} Please enter another card; you keep your access until ${date}.`,
    closing: numbered(token),
  }),
  payment_reminder: ({ description, amount, date, token }, brandName) => ({
    subject: `Your payment to ${brandName} is still open`,
    opening: `${amount} for ${description} is not paid yet. You keep your access until ${date}.`,
    closing: numbered(token),
  }),
  access_ends: ({ description, amount, date, token }, brandName) => ({
    subject: `Your access at ${brandName} ends on ${date}`,
    opening: `${amount} for ${description} is not paid yet, so your access ends on ${date}. Another card may help.`,
    closing: numbered(token),
  }),
  payment_recovered: ({ description, amount, date, token }, brandName) => ({
    subject: `Your payment to ${brandName} went through`,
    opening: `${amount} for ${description} is paid now. Your subscription runs until ${date}.`,
    closing: numbered(token),
  }),
  subscription_on_hold: ({ description, amount, token }, brandName) => ({
    subject: `Your subscription at ${brandName} is on hold`,
    opening: `${amount} for ${description} is still not paid, so your access has ended. It comes back with the payment.`,
    closing: numbered(token),
  }),
  subscription_canceled: ({ description, date, token }, brandName) => ({
    subject: `Your subscription at ${brandName} is canceled`,
    opening: `${description} will not be renewed. You keep your access until ${date}.`,
    closing: numbered(token),
  }),
  subscription_ended: ({ description, date, token }, brandName) => ({
    subject: `Your subscription at ${brandName} has ended`,
    opening: `${description} ended on ${date}. We would be glad to see you again.`,
    closing: numbered(token),
  }),
  webhook_disabled: ({ url, reason }, brandName) => ({
    subject: `A webhook of ${brandName} was turned off`,
    opening:
      reason === 'gone'
        ? 'Its address answered that it is gone (410), so nothing is sent there any more:'
        : 'Its address has not accepted an event for three days, so nothing is sent there any more:',
    code: url,
    closing: 'Turn it on again once it answers: events that it missed in the last 7 days will follow, in order.',
  }),
  report: reportContent,
};

const numbered = (token: string) => `Your number for questions: ${token}`;

/** The same mail, as text and as HTML, under the merchant's brand. */
export function renderMail<T extends MailTemplate>(template: T, values: MailValues[T], brand: MailBrand): MailText {
  const content = templates[template](values, oneLine(brand.name));
  return { subject: content.subject, text: asText(content, brand), html: asHtml(content, brand).text };
}

/** A header is one line. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
