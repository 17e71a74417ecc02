import { type DocumentLine, type DocumentText, renderDocument } from '../adapters/documents/document';
import { receiptFont } from '../adapters/settings';
import { getMailBrands } from '../branding/branding';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { linesOfCharge, reductionOfAmount } from '../billing/invoiceLines';
import { directionOf, type Language } from '../kit/languages';
import { type Words, wordsIn } from '../mail/words';
import { type InvoiceFile, paidWith } from '../invoices/document';
import { findDocument } from '../invoices/invoices';
import { storeTitles } from '../stores/stores';
import { findReceipt, findStoreReceipt, listRefundsOf, type ReceiptRow, type StoreReceiptRow } from './receipts.model';

/** Like `findReceiptFile`. Throws `payment_not_found`. */
export async function getReceipt(caller: Caller, trxToken: string, language?: Language): Promise<InvoiceFile> {
  const file = await findReceiptFile(caller, trxToken, language);
  if (!file) throw new AppError('payment_not_found');
  return file;
}

/**
 * The receipt of a paid charge, or the statement of a payment in an app store. A charge or a refund with an invoice has
 * that document. The payment of another account is not found.
 */
export async function findReceiptFile(
  caller: Pick<Caller, 'merchantId' | 'accountId' | 'role'>,
  trxToken: string,
  language: Language = 'en',
): Promise<InvoiceFile | undefined> {
  const words = wordsIn(language);
  const invoice = await findDocument(caller, trxToken, language);
  if (invoice) return invoice;
  const accountId = caller.role === 'merchant' ? undefined : caller.accountId;
  const row = await findReceipt(caller.merchantId, accountId, trxToken);
  const inStore = row ? undefined : await findStoreReceipt(caller.merchantId, accountId, trxToken);
  if (inStore) return render(inStore.trxToken, describeStorePayment(inStore, words));
  if (!row) return undefined;
  const refunds = await listRefundsOf(row.chargeId);
  return render(row.trxToken, describe(row, refunds, await findBrandName(caller.merchantId, row.brandingId), words));
}

async function render(trxToken: string, text: DocumentText) {
  // The ids of some stores contain characters that a file name must not contain.
  const name = `receipt-${trxToken.replaceAll(/[^\w.-]/g, '_')}.pdf`;
  return { bytes: await renderDocument(text, receiptFont), name };
}

/** The name of the brand of the purchase; undefined if there was none. */
async function findBrandName(merchantId: number, brandingId: number | null): Promise<string | undefined> {
  return brandingId === null ? undefined : (await getMailBrands(merchantId, [brandingId]))(brandingId).name;
}

type Refunds = Awaited<ReturnType<typeof listRefundsOf>>;

function describe(row: ReceiptRow, refunds: Refunds, brandName: string | undefined, words: Words): DocumentText {
  const { t } = words;
  const money = (minor: number) => words.money(minor, row.currency);
  return {
    direction: directionOf(words.language),
    language: words.language,
    merchant: brandName ?? row.merchantName,
    title: t('documents.receipt'),
    facts: [
      ...(brandName === undefined ? [] : [[t('documents.soldBy'), row.merchantName] as const]),
      [t('documents.number'), row.trxToken],
      [t('documents.date'), dayText(row.paidAt, words)],
      [t('documents.customer'), row.customerName],
      [t('documents.email'), row.email],
      [t('documents.paidBy'), paidBy(row, words)],
    ],
    lines: linesOf(row, words),
    total: { text: t('documents.total'), amounts: [money(row.amountMinor)] },
    after: refunds.map(({ amountMinor, at }) => ({
      text: t('documents.refunded', { date: dayText(at, words) }),
      amounts: [money(-amountMinor)],
    })),
    footer: t('documents.footer', { token: row.transactionToken, currency: row.currency }),
  };
}

/** The store is the seller, took the money and issues the invoice. The statement shows the customer what was bought. */
function describeStorePayment(row: StoreReceiptRow, words: Words): DocumentText {
  const { t } = words;
  const { currency, amountMinor, refundedAt } = row;
  const amount = words.money(amountMinor, currency);
  const store = storeTitles[row.store];
  const assumed = row.isAmountAssumed ? ` ${t('documents.assumed')}` : '';
  return {
    direction: directionOf(words.language),
    language: words.language,
    merchant: row.merchantName,
    title: t('documents.storeStatement'),
    facts: [
      [t('documents.seller'), store],
      [t('documents.number'), row.trxToken],
      [t('documents.date'), dayText(row.paidAt, words)],
      [t('documents.customer'), row.customerName],
      [t('documents.email'), row.email],
    ],
    lines: [{ text: row.itemTitle, amounts: [amount], detail: row.description }],
    total: { text: t('documents.total'), amounts: [amount] },
    after: refundedAt
      ? [
          {
            text: t('documents.refunded', { date: dayText(refundedAt, words) }),
            amounts: [words.money(-amountMinor, currency)],
          },
        ]
      : [],
    footer: `${t('documents.storeFooter', { token: row.purchaseToken, store, currency })}${assumed}`,
  };
}

function linesOf(row: ReceiptRow, words: Words): DocumentLine[] {
  const { t } = words;
  const { reduction, isOffer } = reductionOfAmount(row);
  const gift = row.receiverEmail === null ? '' : `, ${t('documents.gift', { email: row.receiverEmail })}`;
  const texts = {
    item: row.itemTitle,
    discount: isOffer ? t('documents.discount') : t('documents.voucher', { code: row.voucherCode ?? '' }),
    setup_fee: row.setupFeeDescription ?? t('documents.setupFee'),
    balance: t(row.balanceMinor > 0 ? 'documents.fromBalance' : 'documents.owed'),
  };
  return linesOfCharge({ ...row, reduction }).map(({ kind, grossMinor }) => ({
    text: texts[kind],
    amounts: [words.money(grossMinor, row.currency)],
    ...(kind === 'item' && { detail: `${row.description}${gift}` }),
  }));
}

function paidBy({ brand, lastFour, amountMinor, balanceMinor }: ReceiptRow, words: Words): string {
  const { t } = words;
  if (amountMinor === 0 && balanceMinor > 0) return t('documents.balance');
  if (brand === null || lastFour === null) return t('documents.nothing');
  return paidWith(brand, lastFour, words);
}

const dayText = (at: Date, { day }: Words) => day(at.toISOString());
