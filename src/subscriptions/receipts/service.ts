import { renderReceipt, type ReceiptLine, type ReceiptText } from '../../adapters/receiptDocument';
import { receiptFont } from '../../adapters/settings';
import { getMailBrands } from '../../branding/service';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { payable } from '../billing/discounts';
import { formatAmount } from '../billing/money';
import { dayText } from '../lifecycle/steps/service';
import { findReceipt, listRefundsOf, type ReceiptRow } from './model';

/** The receipt of a paid charge; another's is one that does not exist. */
export async function getReceipt(caller: Caller, trxToken: string): Promise<{ bytes: Buffer; name: string }> {
  const accountId = caller.role === 'merchant' ? undefined : caller.accountId;
  const row = await findReceipt(caller.merchantId, accountId, trxToken);
  if (!row) throw new AppError('payment_not_found');
  const refunds = await listRefundsOf(row.chargeId);
  const text = describe(row, refunds, await findBrandName(caller.merchantId, row.brandingId));
  return { bytes: await renderReceipt(text, receiptFont), name: `receipt-${row.trxToken}.pdf` };
}

/** What the shop called itself to its buyer; undefined: no brand was asked for. */
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

/**
 * What the charge was made of. The fee may have changed its price since, and a change of plans costs a part of one: where
 * the sum does not come out, the charge is one line.
 */
function linesOf(row: ReceiptRow): ReceiptLine[] {
  const { priceMinor, setupFeeMinor, amountMinor, voucherCode, discountPercent, currency } = row;
  const line = (text: string, minor: number, detail?: string): ReceiptLine => ({
    text,
    amount: formatAmount(minor, currency),
    ...(detail !== undefined && { detail }),
  });
  const gift = row.receiverEmail === null ? '' : `, a gift for ${row.receiverEmail}`;
  const bought = (minor: number) => line(row.itemTitle, minor, `${row.description}${gift}`);
  const priceLeftMinor = amountMinor - setupFeeMinor;
  if (priceLeftMinor !== priceMinor && priceLeftMinor !== payable(priceMinor, discountPercent ?? 0, currency))
    return [bought(amountMinor)];
  return [
    bought(priceMinor),
    ...(priceLeftMinor === priceMinor ? [] : [line(`Voucher ${voucherCode}`, priceLeftMinor - priceMinor)]),
    ...(setupFeeMinor === 0 ? [] : [line(row.setupFeeDescription ?? 'Setup fee', setupFeeMinor)]),
  ];
}

function paidBy({ brand, lastFour }: ReceiptRow): string {
  if (brand === null || lastFour === null) return 'Nothing was due';
  return `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ending in ${lastFour}`;
}
