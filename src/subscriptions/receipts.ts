import { renderReceipt, type ReceiptLine, type ReceiptText } from '../adapters/receiptDocument';
import { receiptFont } from '../adapters/settings';
import { getMailBrands } from '../branding/branding';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { linesOfCharge } from '../billing/invoiceLines';
import { formatAmount } from '../billing/money';
import { storeTitles } from '../stores/stores';
import { findReceipt, findStoreReceipt, listRefundsOf, type ReceiptRow, type StoreReceiptRow } from './receipts.model';

/** The receipt of a paid charge, or of a payment in an app store. The payment of another account is not found. */
export async function getReceipt(caller: Caller, trxToken: string): Promise<{ bytes: Buffer; name: string }> {
  const accountId = caller.role === 'merchant' ? undefined : caller.accountId;
  const row = await findReceipt(caller.merchantId, accountId, trxToken);
  const inStore = row ? undefined : await findStoreReceipt(caller.merchantId, accountId, trxToken);
  if (inStore) return render(inStore.trxToken, describeStorePayment(inStore));
  if (!row) throw new AppError('payment_not_found');
  const refunds = await listRefundsOf(row.chargeId);
  return render(row.trxToken, describe(row, refunds, await findBrandName(caller.merchantId, row.brandingId)));
}

async function render(trxToken: string, text: ReceiptText) {
  // The ids of some stores contain characters that a file name must not contain.
  const name = `receipt-${trxToken.replaceAll(/[^\w.-]/g, '_')}.pdf`;
  return { bytes: await renderReceipt(text, receiptFont), name };
}

/** The name of the brand of the purchase; undefined if there was none. */
async function findBrandName(merchantId: number, brandingId: number | null): Promise<string | undefined> {
  return brandingId === null ? undefined : (await getMailBrands(merchantId, [brandingId]))(brandingId).name;
}

type Refunds = Awaited<ReturnType<typeof listRefundsOf>>;

function describe(row: ReceiptRow, refunds: Refunds, brandName: string | undefined): ReceiptText {
  const money = (minor: number) => formatAmount(minor, row.currency);
  return {
    merchant: brandName ?? row.merchantName,
    title: 'Receipt',
    facts: [
      ...(brandName === undefined ? [] : [['Sold by', row.merchantName] as const]),
      ['Receipt number', row.trxToken],
      ['Date', dayText(row.paidAt)],
      ['Customer', row.customerName],
      ['E-mail', row.email],
      ['Paid by', paidBy(row)],
    ],
    lines: linesOf(row),
    total: { text: 'Total paid', amount: money(row.amountMinor) },
    refunds: refunds.map(({ amountMinor, at }) => ({
      text: `Refunded on ${dayText(at)}`,
      amount: money(-amountMinor),
    })),
    footer: `Transaction ${row.transactionToken}. Amounts in ${row.currency}.`,
  };
}

/** The store took the money and issues the invoice. This receipt shows the customer what was bought. */
function describeStorePayment(row: StoreReceiptRow): ReceiptText {
  const { currency, amountMinor, refundedAt } = row;
  const amount = formatAmount(amountMinor, currency);
  const store = storeTitles[row.store];
  const assumed = row.isAmountAssumed ? ' The store did not report the amount, so this is the usual price.' : '';
  return {
    merchant: row.merchantName,
    title: 'Receipt',
    facts: [
      ['Receipt number', row.trxToken],
      ['Date', dayText(row.paidAt)],
      ['Customer', row.customerName],
      ['E-mail', row.email],
      ['Paid to', store],
    ],
    lines: [{ text: row.itemTitle, amount, detail: row.description }],
    total: { text: 'Total paid', amount },
    refunds: refundedAt
      ? [{ text: `Refunded on ${dayText(refundedAt)}`, amount: formatAmount(-amountMinor, currency) }]
      : [],
    footer: `Purchase ${row.purchaseToken}. ${store} issues the invoice. Amounts in ${currency}.${assumed}`,
  };
}

function linesOf(row: ReceiptRow): ReceiptLine[] {
  const reduction = row.discountMinor === null ? (row.discountPercent ?? 0) : { minor: row.discountMinor };
  const gift = row.receiverEmail === null ? '' : `, a gift for ${row.receiverEmail}`;
  const texts = {
    item: row.itemTitle,
    discount: `Voucher ${row.voucherCode}`,
    setup_fee: row.setupFeeDescription ?? 'Setup fee',
    balance: balanceTextOf(row),
  };
  return linesOfCharge({ ...row, reduction }).map(({ kind, grossMinor }) => ({
    text: texts[kind],
    amount: formatAmount(grossMinor, row.currency),
    ...(kind === 'item' && { detail: `${row.description}${gift}` }),
  }));
}

const balanceTextOf = ({ balanceMinor }: ReceiptRow) =>
  balanceMinor > 0 ? 'Paid from your balance' : 'Owed from before';

function paidBy({ brand, lastFour, amountMinor, balanceMinor }: ReceiptRow): string {
  if (amountMinor === 0 && balanceMinor > 0) return 'Your balance';
  if (brand === null || lastFour === null) return 'Nothing was due';
  const name = `${brand.charAt(0).toUpperCase()}${brand.slice(1)}`;
  // A payment on a page of a bank has no digits, unless it has made a mandate.
  return lastFour === '' ? name : `${name} ending in ${lastFour}`;
}

function dayText(at: Date): string {
  return at.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
}
