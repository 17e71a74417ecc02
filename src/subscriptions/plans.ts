import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';
import { reachesFee } from '../vouchers/uses';
import { type PeriodLength, type PeriodUnit } from '../billing/periods';
import { type OfferTerms, type Subscription, type SubscriptionFacts } from './subscriptions.model';

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

/** The columns of an accepted discount, which begins with the next charge. */
export function discountColumns(
  { discountCycle }: Pick<Subscription, 'discountCycle'>,
  { percent, charges }: { percent: number | null; charges: number | null },
): OfferTerms {
  return { offerPercent: percent, offerFrom: discountCycle + 1, offerTo: discountCycle + (charges ?? 1) };
}

/** The discount of an accepted offer belongs to the plan, and ends with it. */
export const noOffer = { offerPercent: null, offerFrom: null, offerTo: null } as const;

/** The discount columns of a subscription whose voucher is not valid for the plan. */
export const noDiscount = {
  ...noOffer,
  discountPercent: null,
  rebillPercent: null,
  discountMinor: null,
  rebillMinor: null,
  discountPeriod: null,
  discountDuration: null,
} as const;

/** The discount of a subscription under another plan: that of the voucher stays if its rules allow the plan. */
export async function discountUnder(
  { voucherId, discountPercent }: Pick<Subscription, 'voucherId' | 'discountPercent'>,
  { id: accessFeeId, itemId }: FeePlan,
  inTransaction?: Transaction,
): Promise<Partial<typeof noDiscount>> {
  if (voucherId === null || discountPercent === null) return noOffer;
  return (await reachesFee(voucherId, { itemId, accessFeeId }, inTransaction)) ? noOffer : noDiscount;
}

/** The plan of the next period, and what it changes in the row. */
export interface PendingPlan {
  length: PeriodLength;
  isSameLength: boolean;
  changes: Partial<SubscriptionFacts>;
}

/** The plan that waits for the next period. A voucher that is not valid for it ends. Undefined: the present plan stays. */
export async function findPendingPlan(
  row: Subscription,
  inTransaction?: Transaction,
): Promise<PendingPlan | undefined> {
  if (row.pendingAccessFeeId === null) return undefined;
  const fee = await getPlan(row.merchantId, row.pendingAccessFeeId, inTransaction);
  const length = { quantity: fee.quantity, period: fee.period };
  return {
    length,
    isSameLength: fee.quantity === row.periodQuantity && fee.period === row.period,
    changes: {
      accessFeeId: fee.id,
      priceMinor: fee.amountMinor,
      periodQuantity: fee.quantity,
      period: fee.period,
      pendingAccessFeeId: null,
      ...(await discountUnder(row, fee, inTransaction)),
    },
  };
}
