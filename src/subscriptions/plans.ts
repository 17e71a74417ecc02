import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';
import { reachesFee } from '../vouchers/uses';
import { type PeriodUnit } from '../billing/periods';
import { type Subscription } from './subscriptions.model';

/** The fee of a subscription. A running subscription keeps its fee even if the fee is no longer on sale. */
export interface FeePlan {
  id: number;
  itemId: number;
  amountMinor: number;
  currency: string;
  description: string;
  quantity: number;
  period: PeriodUnit;
  trialQuantity: number | null;
  trialPeriod: PeriodUnit | null;
}

const planStatement = statement<FeePlan>(
  'subscription_plan',
  `SELECT f.id, f.item_id AS "itemId", f.amount_minor AS "amountMinor", f.currency, f.description, t.quantity, t.period,
     f.trial_quantity AS "trialQuantity", f.trial_period AS "trialPeriod"
   FROM access_fees f JOIN access_types t ON t.id = f.access_type_id WHERE f.id = $1 AND f.merchant_id = $2`,
);

export async function getPlan(merchantId: number, feeId: number, inTransaction?: Transaction): Promise<FeePlan> {
  const [plan] = await planStatement([feeId, merchantId], inTransaction);
  if (!plan) throw new Error(`there is no fee ${feeId}`);
  return plan;
}

/** The discount columns of a subscription whose voucher is not valid for the plan. */
export const noDiscount = {
  discountPercent: null,
  rebillPercent: null,
  discountMinor: null,
  rebillMinor: null,
  discountPeriod: null,
  discountDuration: null,
} as const;

/** The discount of a subscription under another plan: it stays if the voucher's rules allow the plan. */
export async function discountUnder(
  { voucherId, discountPercent }: Pick<Subscription, 'voucherId' | 'discountPercent'>,
  { id: accessFeeId, itemId }: FeePlan,
  inTransaction?: Transaction,
): Promise<Partial<typeof noDiscount>> {
  if (voucherId === null || discountPercent === null) return {};
  return (await reachesFee(voucherId, { itemId, accessFeeId }, inTransaction)) ? {} : noDiscount;
}
