import { closeDatabase } from '../src/adapters/postgres/connection';
import { type LostNumbers } from '../src/invoices/series';
import { markRestored } from '../src/subscriptions/restorations';

/**
 * `npm run restored [time of the backup]`: run it once after a backup of PostgreSQL was restored, before the API and the
 * workers start. Every charge and refund that may have been made since the backup is then looked up at the provider first.
 */
async function main(): Promise<void> {
  const given = process.argv[2];
  const backupAt = given === undefined ? undefined : new Date(given);
  if (backupAt && Number.isNaN(backupAt.getTime()))
    throw new Error(`The time of the backup must be like 2026-01-31T10:00:00Z, not ${given}`);
  const marked = await markRestored(backupAt);
  for (const text of seriesTexts(marked.lostNumbers)) console.log(text);
  console.log(
    `Restored to ${marked.backupAt.toISOString()}: ${marked.signaled} runs will compare their state with the database`,
  );
}

/** What the books of each merchant need as the explanation of missing numbers. */
function seriesTexts(lost: readonly LostNumbers[]): string[] {
  return lost.map(
    ({ merchantId, series, lastKnown, firstLost }) =>
      `Merchant ${merchantId}: invoices continue in the series ${series}. The last known number before is ${lastKnown ?? 'none'}, so documents from ${firstLost} on may be lost`,
  );
}

main()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  })
  .finally(() => void closeDatabase());
