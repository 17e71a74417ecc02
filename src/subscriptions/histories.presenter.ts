import { continentOf } from '../kit/continents';
import { deviceOf } from '../kit/devices';
import { unixSeconds } from '../kit/time';
import { type Movement } from './histories.model';

type ActionType = 'charge' | 'recurrent' | 'refund' | 'free-trial' | 'external';

export interface MovementTexts {
  charged: number;
  net: number;
  tax: number;
  balance: number;
  pendingRefund: number;
  /** The fixed discount of the voucher; 0 for a percentage. */
  discountAmount: number;
  method: string;
  /** The country's name; empty if unknown. */
  country: string;
  giftCode: string;
}

const actionTypes: Record<Movement['type'], ActionType> = {
  charge: 'charge',
  gift: 'charge',
  recurrent: 'recurrent',
  refund: 'refund',
  'free-trial': 'free-trial',
  external: 'external',
};

/**
 * `charged`, `net`, `tax`, `balance`, `pendingRefund` and `discountAmount` are in the major unit. `method` is the name of
 * the payment method.
 */
function presentEntry(
  row: Movement,
  { charged, net, tax, balance, pendingRefund, method, discountAmount }: MovementTexts,
) {
  return {
    transaction_token: row.transactionToken,
    trx_token: row.trxToken,
    payment_history_id: row.id,
    merchant_id: row.merchantId,
    consumer_id: row.accountId,
    consumer_email: row.email,
    gateway_name: row.provider,
    payment_method_name: method,
    payment_tool_info: row.lastFour,
    payment_tool_token: '',
    action_type: actionTypes[row.type],
    item_access_id: row.accessId ?? 0,
    item_id: row.itemId,
    item_type: row.itemType,
    item_title: row.itemTitle,
    access_fee_description: row.feeDescription,
    charged_amount: charged,
    net_amount: net,
    tax_amount: tax,
    tax_rate: row.taxRateMilli / 1000,
    tax_country: row.taxCountry,
    tax_treatment: row.taxTreatment,
    balance,
    pending_refund_amount: pendingRefund,
    currency_iso: row.currency,
    is_amount_assumed: row.isAmountAssumed,
    voucher_code: row.voucherCode,
    voucher_discount: row.discountPercent ?? 0,
    voucher_discount_amount: discountAmount,
    country_iso: row.countryIso,
    ip_address: row.ipAddress,
    referrer: row.referrer,
    note: '',
  };
}

export function presentPayment(row: Movement, shown: MovementTexts) {
  return { ...presentEntry(row, shown), gateway_id: 1, created_at: unixSeconds(row.at) };
}

export function presentTransaction(row: Movement, shown: MovementTexts) {
  const gift = {
    id: row.giftId ?? 0,
    code: shown.giftCode,
    buyer_email: row.email,
    receiver_email: row.receiverEmail ?? '',
  };
  return {
    ...presentEntry(row, shown),
    client_id: row.merchantUuid,
    continent: continentOf(row.countryIso),
    country: shown.country,
    device: row.device ?? deviceOf(undefined),
    donation_description: '',
    exchange_rate: 1,
    settlement_currency: row.currency,
    expires_at: row.accessEndsAt?.toISOString() ?? '',
    gift: row.receiverEmail === null ? null : gift,
    issued_by: '',
    recorded_at: row.recordedAt === null ? 0 : unixSeconds(row.recordedAt),
    created_at: row.at.toISOString(),
    timestamp: unixSeconds(row.at),
  };
}

export function presentReportRow(row: Movement, { charged }: MovementTexts) {
  return {
    id: row.id,
    description: row.feeDescription,
    action_type: actionTypes[row.type],
    item_id: row.itemId,
    item_title: row.itemTitle,
    item_type: row.itemType,
    currency_iso: row.currency,
    is_amount_assumed: row.isAmountAssumed,
    charged_amount: charged,
    net_amount: row.type === 'refund' ? -charged : charged,
    created_at: unixSeconds(row.at),
  };
}
