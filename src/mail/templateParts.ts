import { type MailBrand } from '../branding/branding';
import { type Language } from '../kit/languages';
import { type BalanceSettlement, type FactOptions, factsOf, type ReceiptParts } from './facts';
import { type MailContent } from './layout';
import {
  type CardLink,
  type Decline,
  type MailValues,
  type MerchantNotice,
  type OwnText,
  type PayLink,
  type Purchase,
} from './mailValues';
import { declineText, type Words } from './words';

/** What several templates of mails share: the texts of a purchase, and the buttons. */

/** What a mail looks like. */
export interface MailDesign {
  brand: MailBrand;
  language: Language;
  /** The time zone of the merchant. By default UTC. */
  zone?: string;
  /** The merchant's own text. */
  own?: OwnText | undefined;
}

export type Prose = Pick<MailContent, 'subject' | 'heading' | 'opening' | 'closing'>;

/** The texts of a mail, from its values. */
export interface Writing {
  words: Words;
  /** The subject, opening and closing. `opening`: the key of another opening. */
  write: (values?: Record<string, string>, opening?: string) => Prose;
  portalUrl: string;
  design: ContentDesign;
}

export type ContentDesign = Omit<MailDesign, 'brand'> & { brand: Pick<MailBrand, 'name' | 'portalUrl'> };

export type Written = Omit<MailContent, 'language'>;

/** A mail whose texts need no values. */
export const plain = (_values: object, { write }: Writing): Written => write();

/** A mail about the safety of an account, with a button to the page on which its owner acts. */
export const leadingToSecurity =
  (label: 'sessions' | 'security' | 'newPassword') =>
  ({ url, name = '' }: { url?: string; name?: string }, { words, write }: Writing): Written => ({
    ...write({ name }),
    ...(url !== undefined && { link: { url, label: words.t(`links.${label}`) } }),
  });

/** A mail with a link, and its token for apps with pages of their own. */
export const mailedLink =
  (template: 'activation' | 'password_reset' | 'sign_in_link' | 'export_confirmation' | 'email_change') =>
  ({ token, url }: { token: string; url: string }, { words, write }: Writing): Written => ({
    ...write(),
    link: { url, label: words.t(`mails.${template}.link`) },
    code: token,
  });

/** A mail to the former address, with a link for its owner to refuse the change. */
export const refusable =
  (template: 'email_change_asked' | 'email_changed') =>
  ({ address, url, days }: MailValues['email_changed'], { words, write }: Writing): Written => ({
    ...write({ address, days: String(days) }),
    link: { url, label: words.t(`mails.${template}.link`) },
  });

/** The pages of the portal to which mails lead. */
const portalPages = {
  subscription: (token: string) => `subscriptions/${token}`,
  /** The same page, for a payment that is overdue. */
  payment: (token: string) => `subscriptions/${token}`,
  card: () => 'card',
  receipts: () => 'receipts',
};

/** A mail about a purchase, with a button to a page of the portal. */
export const leadingTo =
  (page: keyof typeof portalPages, options: FactOptions = {}) =>
  (values: PurchaseValues, { words, write, portalUrl }: Writing): Written => ({
    ...write(purchaseTexts(values, words)),
    facts: factsOf(values, words, options),
    link: { url: `${portalUrl}/${portalPages[page](values.token)}`, label: words.t(`links.${page}`) },
    isAboutPurchase: true,
  });

/** The button of a link that needs no password. Nothing without the link, so that the button leads to the portal. */
export function signedLink(url: string | undefined, label: 'pay' | 'card' | 'keep', { t }: Words) {
  return url === undefined ? {} : { link: { url, label: t(`links.${label}`) }, note: t('layout.linkWeek') };
}

/** A mail about a card, with a button to the page that takes another one. */
export const leadingToCard =
  (options: FactOptions = {}) =>
  ({ cardUrl, ...values }: PurchaseValues & CardLink, writing: Writing): Written => ({
    ...leadingTo('card', options)(values, writing),
    ...signedLink(cardUrl, 'card', writing.words),
  });

/** A mail about an overdue payment, with a button that pays, and with a link to enter another card. */
export const leadingToPayment =
  (options: FactOptions = {}) =>
  ({ payUrl, cardUrl, ...values }: PurchaseValues & PayLink & CardLink, writing: Writing): Written => {
    const { words } = writing;
    const written = { ...leadingTo('payment', options)(values, writing), ...signedLink(cardUrl, 'card', words) };
    if (payUrl === undefined) return written;
    return { ...written, ...signedLink(payUrl, 'pay', words), more: cardUrl === undefined ? undefined : written.link };
  };

/** A mail about a purchase, with a button to what was bought, and the page of the portal as another link. */
export const leadingToContent =
  (label: 'open' | 'again' | 'tryAgain', page: keyof typeof portalPages, options: FactOptions = {}) =>
  (values: PurchaseValues, writing: Writing): Written => {
    const written = leadingTo(page, options)(values, writing);
    if (values.itemId === undefined) return written;
    const url = contentUrl(writing.portalUrl, values.itemId);
    return { ...written, link: { url, label: writing.words.t(`links.${label}`) }, more: written.link };
  };

/** The paywall of an item. It opens the content for those who have access. */
export const contentUrl = (portalUrl: string, itemId: number) =>
  `${portalUrl.replace('/portal/', '/paywall/')}/${itemId}`;

/** A mail to a merchant, with a button to the page of the console. */
export function leadingToConsole({ url }: MerchantNotice, { words, write }: Writing): Written {
  return { ...write(), link: { url, label: words.t('links.console') } };
}

export type PurchaseValues = Purchase & BalanceSettlement & ReceiptParts & Partial<Decline> & { date?: string };

/** The values of a purchase, as the texts of its mails name them. */
export function purchaseTexts(values: PurchaseValues, { t, day, money }: Words): Record<string, string> {
  const { description, token, amountMinor, currency, settled, date, reason, method } = values;
  const settledText = settled && t(`settled.${settled.kind}`, { amount: money(settled.amountMinor, currency) });
  return {
    description,
    token,
    amount: money(amountMinor, currency),
    settled: settledText === undefined ? '' : ` ${settledText}`,
    ...(date !== undefined && { date: day(date) }),
    ...(reason !== undefined && { reason: declineText(reason, t, method) }),
  };
}
