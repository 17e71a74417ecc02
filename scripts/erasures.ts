import { readFileSync } from 'node:fs';
import { listErasures, replayErasures } from '../src/accounts/privacy/erasures/service';
import { closeDatabase } from '../src/adapters/postgres/connection';
import { closeTemporal } from '../src/adapters/temporal';

/**
 * `list` prints the tombstones, one account's uuid a line: to be kept beside the backups, not in them. `replay` reads such
 * lines from standard input, and erases again whoever a restored backup has brought back; so does it with the tombstones
 * that the backup holds itself. The API and a worker must run for the erasures to end.
 */
async function main(): Promise<void> {
  if (process.argv[2] === 'list') {
    console.log((await listErasures()).join('\n'));
  } else {
    const given = readFileSync(0, 'utf8').match(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi) ?? [];
    const uuids = new Set([...given, ...(await listErasures())].map((uuid) => uuid.toLowerCase()));
    const begun = await replayErasures([...uuids]);
    console.log(`${uuids.size} erasures known, ${begun} accounts are erased again`);
  }
  await closeTemporal();
  await closeDatabase();
}

void main();
