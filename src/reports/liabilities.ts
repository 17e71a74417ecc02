import { type z } from 'zod';
import { merchantNow } from '../adapters/clock';
import { toMajor } from '../billing/money';
import { startOfDay, type ReportOwner } from './series';
import { sumBalances, type Liability } from './liabilities.model';
import { type LiabilitiesQuery } from './liabilities.schemas';

const dayMs = 86_400_000;

/** The customers' credit and debt, now or at the end of a day. */
export async function getLiabilities({ merchantId }: ReportOwner, input: z.output<typeof LiabilitiesQuery>) {
  const day = input.to && startOfDay(input.to);
  const before = day && new Date(day.getTime() + dayMs);
  const rows = await sumBalances(merchantId, input.currency, before);
  const to = (day ?? (await merchantNow(merchantId))).toISOString().slice(0, 10);
  return { to, collection: rows.map(present) };
}

function present({ currency, creditMinor, debtMinor, inCredit, inDebt }: Liability) {
  return {
    currency,
    credit: toMajor(creditMinor, currency),
    debt: toMajor(debtMinor, currency),
    net: toMajor(creditMinor - debtMinor, currency),
    customers_in_credit: inCredit,
    customers_in_debt: inDebt,
    customers: inCredit + inDebt,
  };
}
