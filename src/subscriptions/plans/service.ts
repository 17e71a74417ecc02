import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { type PeriodUnit } from '../billing/periods';

/** A subscription's fee, whether or not it is on sale: what a running subscription may be changed to, or goes on with. */
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
