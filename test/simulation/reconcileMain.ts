import { closeDatabase } from '../../src/adapters/postgres/connection';
import { openDataKey } from '../../src/adapters/dataKey';
import { closeTemporal } from '../../src/adapters/temporalConnection';
import { reconcileCharges } from '../../src/subscriptions/provider/reconciliation';

/** The hourly reconciliation, now. */
async function main(): Promise<void> {
  await openDataKey();
  const { different } = await reconcileCharges();
  console.log(`${different.length} payments were recorded`);
  await closeTemporal();
  await closeDatabase();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
