import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { forgetOtherEncryptionKeys, openDataKey, wrapDataKeyFor } from '../src/adapters/dataKey';
import { closeDatabase } from '../src/adapters/postgres/connection';
import { config } from '../src/config';
import { readEncryptionKey } from '../src/kit/settings';

/**
 * Replaces the ENCRYPTION_KEY. `add <file>` prepares the database for the new key in the file, with the present key in the
 * settings. The file `-` is the standard input. `finish` makes all other keys useless, with the new key in the settings.
 */
async function main(): Promise<void> {
  const [command, file] = process.argv.slice(2);
  if (!config.ENCRYPTION_KEY_IS_SHARED) throw new Error('Set ENCRYPTION_KEY, or ENCRYPTION_KEY_FILE, as for the API.');
  if (command === 'add' && file !== undefined) await add(file);
  else if (command === 'finish') await finish();
  else throw new Error('Use: npm run encryption-key:add -- <file with the new key>, or npm run encryption-key:finish');
}

/** In a container, the key comes from the standard input, because a file of the machine is not visible there. */
const standardInput = '-';

async function add(file: string): Promise<void> {
  const key = readEncryptionKey(
    (file === standardInput ? await text(process.stdin) : readFileSync(file, 'utf8')).trim(),
  );
  await openDataKey();
  await wrapDataKeyFor(key);
  console.log('The database accepts both keys. Set the new key for all processes, and restart them.');
}

async function finish(): Promise<void> {
  await openDataKey();
  const forgotten = await forgetOtherEncryptionKeys();
  console.log(`The database accepts only the key of the settings. Keys removed: ${forgotten}.`);
}

main()
  .catch((error: unknown) => {
    console.error((error as Error).message);
    process.exitCode = 1;
  })
  .finally(() => void closeDatabase());
