import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { unixSeconds } from '../../kit/time';
import { refundableMinor } from '../../billing/dues';
import { toMajor } from '../../billing/money';
import { readBalance } from '../balances/balances';
import { findRefundableCharge, Refund } from './refunds.model';

/** A refund of a charge, as the merchant sees it. */
export interface RefundOfCharge {
  state: 'pending' | 'refunded' | 'failed';
  /** In the major unit. */
  amount: number;
  currency: string;
  /** The provider's reason for the failure. Empty otherwise. */
  failure: string;
  at: number;
}

/** The customer, the amount, the refundable amount and the refunds of a charge. Amounts are in the major unit. */
export async function getRefundable({ merchantId }: Caller, trxToken: string) {
  const charge = await findRefundableCharge(merchantId, trxToken);
  if (!charge) throw new AppError('payment_not_found');
  const { id: chargeId, accountId, amountMinor, currency } = charge;
  const refunds = await Refund.findAll({ where: { merchantId, chargeId }, order: [['id', 'DESC']] });
  return {
    accountId,
    currency,
    amount: toMajor(amountMinor, currency),
    left: toMajor(refundableMinor(charge, await readBalance(charge)), currency),
    refunds: refunds.map(present),
  };
}

function present({ state, amountMinor, currency, failureMessage, settledAt, createdAt }: Refund): RefundOfCharge {
  return {
    state: state === 'open' ? 'pending' : state,
    amount: toMajor(amountMinor, currency),
    currency,
    failure: failureMessage ?? '',
    at: unixSeconds(settledAt ?? createdAt),
  };
}
