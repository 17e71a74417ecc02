import { type Books, type VoucherRow } from '../books';
import { type Recorded } from '../history';
import { linesAbout } from '../operations';
import { type Found } from './violation';

/**
 * No voucher is used more often than its limit, no gift more than once, and no access code by more devices than its limit.
 * The counters are right.
 */
export function checkLimits(history: readonly Recorded[], { vouchers, accessCodes }: Books): Found[] {
  return [
    ...vouchers.flatMap((voucher) =>
      complaintsAbout(voucher).map((complaint) => ({
        what: `the voucher ${voucher.code} ${complaint}`,
        lines: [...new Set(voucher.usedBy.flatMap((subject) => linesAbout(history, subject)))],
      })),
    ),
    ...accessCodes
      .filter(({ deviceLimit, placesTaken, devices }) => devices.length > deviceLimit || placesTaken !== devices.length)
      .map(({ code, deviceLimit, placesTaken, devices }) => ({
        what: `the access code ${code} for ${deviceLimit} devices counts ${placesTaken}, and has ${devices.length}`,
        lines: [],
      })),
  ];
}

function complaintsAbout({ isGift, usageLimit, usageCounter, usedBy }: VoucherRow): string[] {
  const limit = isGift ? 1 : (usageLimit ?? Infinity);
  return [
    ...(usedBy.length > limit ? [`has a limit of ${limit}, and ${usedBy.length} uses`] : []),
    ...(usageCounter !== usedBy.length ? [`counts ${usageCounter} uses, and has ${usedBy.length}`] : []),
  ];
}
