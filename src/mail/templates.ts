import { isolatedIn, type Language } from '../kit/languages';
import { fillIn, type TextValues } from '../kit/locales';
import { factsOf } from './facts';
import { asHtml, asText, type MailContent } from './layout';
import { type KeepLink, type MailTemplate, type MailValues, type OwnText } from './mailValues';
import {
  type ContentDesign,
  contentUrl,
  leadingTo,
  leadingToCard,
  leadingToConsole,
  leadingToContent,
  leadingToPayment,
  leadingToSecurity,
  type MailDesign,
  mailedLink,
  plain,
  type Prose,
  type PurchaseValues,
  purchaseTexts,
  refusable,
  signedLink,
  type Writing,
  type Written,
} from './templateParts';
import { samplesAt } from './texts/samples';
import { type CustomerMail } from './texts/texts.schemas';
import { disputeText, type MailKey, wordsAt } from './words';

export interface MailText {
  subject: string;
  text: string;
  html: string;
}

type Templates = { [T in MailTemplate]: (values: MailValues[T], writing: Writing) => Written };

const templates: Templates = {
  activation: mailedLink('activation'),
  password_reset: mailedLink('password_reset'),
  sign_in_link: mailedLink('sign_in_link'),
  email_change: mailedLink('email_change'),
  email_change_asked: refusable('email_change_asked'),
  email_changed: refusable('email_changed'),
  password_changed: leadingToSecurity('newPassword'),
  second_factor_on: ({ url }, { words, write }) => ({ ...write(), link: { url, label: words.t('links.notMe') } }),
  second_factor_off: leadingToSecurity('security'),
  passkey_added: leadingToSecurity('security'),
  passkey_removed: leadingToSecurity('security'),
  acted_for_you: leadingToSecurity('security'),
  new_sign_in: ({ device, place, date, url }, { words, write }) => ({
    ...write({
      device: device === '' ? words.t('mails.new_sign_in.unknown') : device,
      place: place === '' ? words.t('mails.new_sign_in.unknown') : place,
      date: words.day(date),
    }),
    link: { url, label: words.t('links.sessions') },
  }),
  pin_code: ({ code }, { write }) => ({ ...write(), code }),
  export_confirmation: mailedLink('export_confirmation'),
  staff_invitation: ({ merchant, url }, { words, write }) => ({
    ...write({ merchant: oneLine(merchant) }),
    link: { url, label: words.t('mails.staff_invitation.link') },
  }),
  account_export: plain,
  account_erased: plain,
  gift: ({ code, itemTitle, offer, itemId }, { words, write, portalUrl }) => ({
    ...write({ itemTitle, offer }),
    code,
    needsCode: true,
    ...(itemId !== undefined && { link: { url: contentUrl(portalUrl, itemId), label: words.t('links.redeem') } }),
  }),
  tax_number_removed: ({ number }, { words, write, portalUrl }) => ({
    ...write({ number }),
    link: { url: `${portalUrl}/billing`, label: words.t('mails.tax_number_removed.link') },
  }),
  refund: leadingTo('receipts'),
  receipt: leadingToContent('open', 'receipts', { day: 'paidOn' }),
  trial_ends: leadingTo('subscription', { day: 'trialEnds' }),
  renewal_reminder: leadingTo('subscription', { day: 'renewsOn' }),
  card_expires: ({ digits, ...values }, writing) => ({
    ...leadingToCard({ day: 'cardEnds', isFree: true })(values, writing),
    ...writing.write({ ...purchaseTexts(values, writing.words), digits }),
  }),
  trial_needs_card: leadingToCard({ day: 'trialEnds' }),
  payment_failed: leadingToPayment({ day: 'accessUntil' }),
  debit_failed: leadingToContent('tryAgain', 'receipts'),
  payment_action: ({ url, ...values }, { words, write }) => ({
    ...write(purchaseTexts(values, words)),
    facts: factsOf(values, words, { day: 'accessUntil' }),
    link: { url, label: words.t('mails.payment_action.link') },
    isAboutPurchase: true,
  }),
  card_needed: leadingToCard({ day: 'accessUntil' }),
  payment_reminder: leadingToPayment({ day: 'accessUntil' }),
  access_ends: leadingToPayment({ day: 'accessUntil' }),
  payment_recovered: leadingToContent('open', 'receipts', { day: 'paidUntil' }),
  subscription_on_hold: leadingToPayment(),
  payment_deferred: leadingTo('subscription'),
  subscription_canceled: ({ keepUrl, ...values }: PurchaseValues & KeepLink, writing) => {
    const written = leadingTo('subscription', { day: 'accessUntil', isFree: true })(values, writing);
    return { ...written, ...signedLink(keepUrl, 'keep', writing.words) };
  },
  subscription_ended: leadingToContent('again', 'subscription', { day: 'endedOn', isFree: true }),
  charges_refused: ({ provider, code, message, url }, { words, write }) => ({
    ...write({ provider }),
    quote: `${code}: ${message}`,
    link: { url, label: words.t('mails.charges_refused.link') },
  }),
  dispute_opened: ({ reason, token, amountMinor, currency, date, url }, { words, write }) => ({
    ...write(
      {
        reason: disputeText(reason, words.t),
        token,
        amount: words.money(amountMinor, currency),
        date: date === '' ? '' : words.day(date),
      },
      date === '' ? 'openingWithoutDay' : 'opening',
    ),
    link: { url, label: words.t('mails.dispute_opened.link') },
  }),
  refund_failed: ({ token, amountMinor, currency, reason, url }, { words, write }) => ({
    ...write({ token, amount: words.money(amountMinor, currency), reason }),
    link: { url, label: words.t('mails.refund_failed.link') },
  }),
  merchant_approved: leadingToConsole,
  merchant_suspended: ({ reason }, { write }) => write({ reason }),
  merchant_resumed: leadingToConsole,
  webhook_disabled: ({ url, reason, page }, { words, write }) => ({
    ...write({}, reason === 'gone' ? 'gone' : 'opening'),
    quote: url,
    link: { url: page, label: words.t('mails.webhook_disabled.link') },
  }),
  report: ({ report, from, to, url, stopUrl, isAttached }, { words, write }) => ({
    ...write(
      { name: words.t(`reports.${report}`), range: words.days(from, to), stopUrl },
      isAttached ? 'opening' : 'tooLong',
    ),
    link: { url, label: words.t('mails.report.link') },
  }),
  report_confirmation: ({ url }, { words, write }) => ({
    ...write({}),
    link: { url, label: words.t('mails.report_confirmation.link') },
  }),
  sample: ({ kind, text }, { design, words }) => {
    const values = samplesAt(design.brand.portalUrl)[kind];
    const written = contentOf(kind, values, { ...design, own: text ?? undefined });
    const { subject, heading = subject } = written;
    return { ...written, heading, subject: words.t('layout.test', { subject }) };
  },
};

/** The same mail as text and as HTML, in the brand of the merchant. */
export function renderMail<T extends MailTemplate>(template: T, values: MailValues[T], design: MailDesign): MailText {
  const content = contentOf(template, values, design);
  const { brand } = design;
  return { subject: content.subject, text: asText(content, brand), html: asHtml(content, brand).text };
}

function contentOf<T extends MailTemplate>(template: T, values: MailValues[T], design: ContentDesign): MailContent {
  const { brand, language, zone, own } = design;
  const words = wordsAt(language, zone);
  const write: Writing['write'] = (shown = {}, opening = 'opening') => {
    const filled = isolatedIn(language, { ...shown, brand: oneLine(brand.name) });
    const text = (part: string) => words.t(`mails.${template}.${part}` as MailKey, filled);
    const standard = { subject: text('subject'), opening: text(opening), closing: text('closing') };
    return own ? ownProse(own, standard, filled) : standard;
  };
  const written = templates[template](values, { words, write, portalUrl: brand.portalUrl, design });
  const content = { language, ...written };
  const { link } = content;
  // Another button of the same mail, such as that to the portal, keeps its label.
  if (!own?.button || !link || link.label !== buttonOf(template as CustomerMail, language)) return content;
  return { ...content, link: { ...link, label: own.button } };
}

function ownProse({ subject, heading, opening, closing }: OwnText, standard: Prose, values: TextValues): Prose {
  return {
    subject: oneLine(fillIn(subject, values)),
    ...(heading !== null && { heading: fillIn(heading, values) }),
    opening: fillIn(opening, values),
    closing: closing === null ? standard.closing : fillIn(closing, values),
  };
}

/** The label of the button that a mail has when it has all its links; undefined if it has no button. */
export function buttonOf(kind: CustomerMail, language: Language): string | undefined {
  const design = { brand: { name: '', portalUrl: '' }, language };
  return contentOf(kind, samplesAt('')[kind], design).link?.label;
}

/** A header is one line. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
