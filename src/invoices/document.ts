import { type DocumentLine, type DocumentText, renderDocument } from '../adapters/documents/document';
import { receiptFont } from '../adapters/settings';
import { directionOf, matchLanguage, type Language } from '../kit/languages';
import { findMethodName, findRedirectName, paymentMethods, redirectTitles } from '../kit/paymentMethods';
import { type MailKey, type Words, wordsIn } from '../mail/words';
import { electronicDataOf } from './electronicData';
import { type InvoiceLine, type Party } from './facts.model';
import { type IssuedInvoice } from './lists.model';

/** Invoices, credit notes and cancellations as PDF, in the language of the buyer, with data for the software of businesses. */

export interface InvoiceFile {
  bytes: Buffer;
  name: string;
}

/** `language`: that of the reader, for a buyer without a language. */
export async function renderInvoice(row: IssuedInvoice, language: Language = 'en'): Promise<InvoiceFile> {
  const ofBuyer = matchLanguage([row.buyer?.language ?? '']);
  const words = wordsIn(ofBuyer?.language ?? language);
  return { bytes: await renderDocument(describe(row, words), receiptFont), name: `${row.number}.pdf` };
}

const titles = {
  invoice: 'documents.invoice',
  credit_note: 'documents.creditNote',
  cancellation: 'documents.cancellation',
} as const satisfies Record<IssuedInvoice['kind'], MailKey>;

function describe(row: IssuedInvoice, words: Words): DocumentText {
  const { t } = words;
  const { seller, buyer } = row;
  const amounts = amountsIn(row, words);
  const paid = buyer ? paidWith(buyer.paid_with, buyer.last_four, words) : '';
  const reasons = reasonsOf(row, words);
  const parties = [{ title: t('documents.seller'), country: seller.country, lines: addressOf(seller, words) }];
  if (buyer) {
    const lines = [...addressOf(buyer, words), buyer.email];
    parties.push({ title: t('documents.customer'), country: buyer.country, lines });
  }
  return {
    language: words.language,
    direction: directionOf(words.language),
    merchant: seller.name,
    country: seller.country,
    title: t(titles[row.kind]),
    mark: row.isTest ? t('documents.test') : undefined,
    facts: [
      [t('documents.documentNumber'), row.number],
      [t('documents.date'), words.dayIn(row.issuedAt, row.timeZone)],
      ...(row.corrects === null ? [] : [[t('documents.corrects'), row.corrects] as const]),
      ...(paid ? [[t('documents.paidBy'), paid] as const] : []),
    ],
    parties,
    columns: [t('documents.net'), t('documents.tax'), t('documents.gross')],
    lines: row.lines.map((line) => ({
      ...textOf(line, row, words),
      amounts: amounts(line.net_minor, line.tax_minor, line.gross_minor),
    })),
    total: { text: t('documents.gross'), amounts: amounts(row.netMinor, row.taxMinor, row.grossMinor) },
    after: row.rateMilli === 0 ? [] : [taxLine(row, words)],
    notes: [...reasons, seller.note].filter((note) => note !== ''),
    footer: t('documents.footer', { token: row.trxToken, currency: row.currency }),
    facturX: electronicDataOf(row, {
      nameOf: (line) => textOf(line, row, words).text,
      paidWith: paid,
      reason: reasons.join(' '),
    }),
  };
}

const amountsIn =
  ({ currency }: IssuedInvoice, { money }: Words) =>
  (...minors: readonly number[]) =>
    minors.map((minor) => money(minor, currency));

function taxLine({ rateMilli, taxCountry, taxMinor, currency }: IssuedInvoice, words: Words): DocumentLine {
  const rate = words.percent(rateMilli);
  const text = words.t('documents.taxOf', { rate, country: words.country(taxCountry) });
  return { text, amounts: ['', words.money(taxMinor, currency), ''] };
}

/** Why there is no tax. */
function reasonsOf({ treatment }: IssuedInvoice, { t }: Words): string[] {
  if (treatment === 'reverse_charge') return [t('documents.reverseCharge')];
  if (treatment === 'outside_scope') return [t('documents.outsideScope')];
  return treatment === 'exempt' ? [t('documents.exempt')] : [];
}

function addressOf({ name, address_line, postal_code, city, country, tax_number }: Party, words: Words): string[] {
  const place = [postal_code, city].filter((part) => part !== '').join(' ');
  const number = tax_number === '' ? '' : words.t('documents.taxNumber', { number: tax_number });
  return [name, address_line, place, country && words.country(country), number].filter((line) => line !== '');
}

function textOf(line: InvoiceLine, { timeZone }: IssuedInvoice, words: Words): Pick<DocumentLine, 'text' | 'detail'> {
  const { t } = words;
  switch (line.kind) {
    case 'discount':
      return { text: line.text === '' ? t('documents.discount') : t('documents.voucher', { code: line.text }) };
    case 'setup_fee':
      return { text: line.text || t('documents.setupFee') };
    case 'balance':
      return { text: t(line.gross_minor < 0 ? 'documents.fromBalance' : 'documents.owed') };
    case 'refund':
    case 'chargeback':
    case 'cancellation':
      return { text: line.text };
    case 'item':
      return withDetail(line.text, [line.detail, periodOf(line, timeZone, words)]);
  }
}

function withDetail(text: string, details: readonly string[]): Pick<DocumentLine, 'text' | 'detail'> {
  const detail = details.filter((part) => part !== '').join(', ');
  return detail === '' ? { text } : { text, detail };
}

function periodOf({ starts_at, ends_at }: InvoiceLine, timeZone: string, words: Words): string {
  if (starts_at === null || ends_at === null) return '';
  return words.daysIn(new Date(starts_at * 1000), new Date(ends_at * 1000), timeZone);
}

/** `Visa ending in 4242`. Empty without a card or another method. `method`: its name, or the scheme of a card. */
export function paidWith(method: string, lastFour: string, { t }: Words): string {
  const name = methodText(method, t);
  // A payment on a page of a bank has no digits, unless it has made a mandate.
  return lastFour === '' ? name : t('documents.card', { name, digits: lastFour });
}

/** The name of a method as its payers know it. Every other name is the scheme of a card. */
function methodText(method: string, t: Words['t']): string {
  const known = findMethodName(method);
  if (known === undefined) return `${method.charAt(0).toUpperCase()}${method.slice(1)}`;
  if (known === 'direct_debit') return t('documents.directDebit');
  const redirect = findRedirectName(known);
  return redirect ? redirectTitles[redirect] : paymentMethods[known].title;
}
