import { readFileSync } from 'node:fs';
import { openDataKey } from '../src/adapters/dataKey';
import { closeDatabase } from '../src/adapters/postgres/connection';
import { listBrokenLogs } from '../src/audit/audit';
import { readHeads } from '../src/audit/heads';
import { config } from '../src/config';

/**
 * `npm run audit:verify [file …]`: compares every merchant's audit log with its hash chain, and with the published heads in
 * the files: AUDIT_HEADS_FILE, or logs of the API. Exits with 1 if a log was changed.
 */
async function verifyAudit(): Promise<void> {
  if (!config.ENCRYPTION_KEY_IS_SHARED) throw new Error('The hash chains need the ENCRYPTION_KEY of the API');
  const given = process.argv.slice(2);
  const files = given.length === 0 && config.AUDIT_HEADS_FILE !== undefined ? [config.AUDIT_HEADS_FILE] : given;
  const heads = files.flatMap((file) => readHeads(readFileSync(file, 'utf8')));
  await openDataKey();
  const { checked, broken } = await listBrokenLogs(heads);
  for (const { merchantId, sequence } of broken)
    console.error(`The audit log of merchant ${merchantId} was changed, from entry ${sequence} on.`);
  console.log(`${checked} audit logs and ${heads.length} published heads checked, ${broken.length} broken`);
  process.exitCode = broken.length === 0 ? 0 : 1;
}

verifyAudit()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  })
  .finally(() => void closeDatabase());
