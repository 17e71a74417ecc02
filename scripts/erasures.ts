import { readFileSync } from 'node:fs';
import { listErasures, replayErasures } from '../src/privacy/erasures';
import { openDataKey } from '../src/adapters/dataKey';
import { closeDatabase } from '../src/adapters/postgres/connection';
import { closeTemporal } from '../src/adapters/temporalConnection';

/**
 * `list` prints the uuids of erased accounts, one per line. The backup job writes the same list to the file `erasures`
 * beside the backups (`deploy/backup/erasures.sh`). `replay` reads such a list from standard input and erases the
 * accounts again that a restored backup contains; it also uses the erasures that are recorded in the backup. The
 * erasures end when the API and a worker run.
 */
async function main(): Promise<void> {
  if (process.argv[2] === 'list') {
    console.log((await listErasures()).join('\n'));
  } else {
    const given = readFileSync(0, 'utf8').match(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi) ?? [];
    const uuids = new Set([...given, ...(await listErasures())].map((uuid) => uuid.toLowerCase()));
    await openDataKey();
    const begun = await replayErasures([...uuids]);
    console.log(`${uuids.size} erasures known, ${begun} accounts are erased again`);
  }
  await closeTemporal();
  await closeDatabase();
}

void main();
