import { type Texts } from '../layout/texts';

/** What a longer plan costs in a month, and how much less that is than the plan of a month beside it. */

interface Plan {
  amount: number;
  currency: string;
  access_type: { name: string; quantity: number; period: string };
}

/** The months of a subscription whose period is months or years; undefined otherwise. */
function monthsOf({ access_type: { name, quantity, period } }: Plan): number | undefined {
  if (name !== 'subscription') return undefined;
  if (period === 'year') return 12 * quantity;
  return period === 'month' ? quantity : undefined;
}

/** Undefined where the plan saves less than one percent. */
export function savingOf(
  { t, money, locale }: Texts,
  fee: Plan,
  beside: readonly Plan[],
): { share: string; monthly: string } | undefined {
  const months = monthsOf(fee);
  const monthly = beside.find((other) => monthsOf(other) === 1 && other.currency === fee.currency);
  if (months === undefined || months === 1 || !monthly || monthly.amount === 0) return undefined;
  const share = Math.floor((1 - fee.amount / (monthly.amount * months)) * 100) / 100;
  if (share < 0.01) return undefined;
  const percent = new Intl.NumberFormat(locale, { style: 'percent' }).format(share);
  return {
    share: t('paywall.saves', { percent }),
    monthly: t('paywall.perMonth', { price: money(fee.amount / months, fee.currency) }),
  };
}
