import { type Books, type VoucherRow } from '../books';
import { type Recorded } from '../history';
import { linesAbout } from '../operations';
import { type Found } from './violation';

/** No voucher is used more often than its limit, and no gift more than once. The counter is the number of uses. */
export function checkLimits(history: readonly Recorded[], { vouchers }: Books): Found[] {
  return vouchers.flatMap((voucher) =>
    complaintsAbout(voucher).map((complaint) => ({
      what: `the voucher ${voucher.code} ${complaint}`,
      lines: [...new Set(voucher.usedBy.flatMap((subject) => linesAbout(history, subject)))],
    })),
  );
}

function complaintsAbout({ isGift, usageLimit, usageCounter, usedBy }: VoucherRow): string[] {
  const limit = isGift ? 1 : (usageLimit ?? Infinity);
  return [
    ...(usedBy.length > limit ? [`has a limit of ${limit}, and ${usedBy.length} uses`] : []),
    ...(usageCounter !== usedBy.length ? [`counts ${usageCounter} uses, and has ${usedBy.length}`] : []),
  ];
}
