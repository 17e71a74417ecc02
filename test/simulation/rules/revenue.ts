import { type Books } from '../books';
import { type Recorded } from '../history';
import { linesAbout } from '../operations';
import { type Found } from './violation';

/** The MRR ledger adds up to the monthly price of each paid subscription, and to the monthly amount of each customer. */
export function checkRevenue(history: readonly Recorded[], { revenue, customers }: Books): Found[] {
  const sums = new Map<string, number>();
  for (const { accountUuid, ledgerMinor } of revenue) sums.set(accountUuid, (sums.get(accountUuid) ?? 0) + ledgerMinor);
  return [
    ...revenue
      .filter(({ ledgerMinor, monthlyMinor }) => ledgerMinor !== monthlyMinor)
      .map(({ token, ledgerMinor, monthlyMinor }) => ({
        what: `${token} has ${ledgerMinor} in the MRR ledger, and a monthly price of ${monthlyMinor}`,
        lines: linesAbout(history, token),
      })),
    ...customers
      .filter(({ accountUuid, mrrMinor }) => mrrMinor !== (sums.get(accountUuid) ?? 0))
      .map(({ accountUuid, mrrMinor }) => ({
        what: `the customer ${accountUuid} has ${mrrMinor} a month, and ${sums.get(accountUuid) ?? 0} in the MRR ledger`,
        lines: [],
      })),
  ];
}
