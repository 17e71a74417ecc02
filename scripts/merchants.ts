import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openDataKey } from '../src/adapters/dataKey';
import { closeDatabase } from '../src/adapters/postgres/connection';
import { encryptionKeyIsShared } from '../src/adapters/settings';
import { closeTemporal } from '../src/adapters/temporalConnection';
import { MoveRefusal, readTransferKey } from '../src/moving/archive';
import { discardMerchant, startMerchant } from '../src/moving/arriving';
import { importMerchant } from '../src/moving/import';
import { exportMerchant, markMoved } from '../src/moving/leaving';
import { reserveIds } from '../src/moving/numbers';
import { keepMerchant, stopMerchant } from '../src/moving/stop';
import { registerRooms } from '../src/registrations';

/** Moves a merchant to another installation: docs/runbooks/moving-a-merchant.md. */

const options = {
  merchant: { type: 'string' },
  out: { type: 'string' },
  in: { type: 'string' },
  'key-file': { type: 'string' },
  'code-file': { type: 'string' },
  'same-account': { type: 'boolean' },
  from: { type: 'string' },
  to: { type: 'string' },
} as const;

type Given = ReturnType<typeof readInput>['values'];
type TextOption = Exclude<keyof Given, 'same-account'>;

const readInput = () => parseArgs({ args: process.argv.slice(3), options });

const commands: Record<string, (given: Given) => Promise<string>> = {
  stop: async (given) =>
    (await stopMerchant(need(given, 'merchant')))
      ? 'The merchant is stopped. Export it in two minutes: npm run merchant:export'
      : 'The merchant was stopped before.',
  keep: async (given) => {
    await keepMerchant(need(given, 'merchant'));
    return 'The merchant stays, and is open again.';
  },
  export: async (given) => {
    const path = need(given, 'out');
    const { rows } = await exportMerchant(need(given, 'merchant'), { path, key: readKey(given) });
    return `${rows} rows are in ${path}. Import the file in the other installation: npm run merchant:import`;
  },
  import: async (given) => {
    const hasSameAccount = given['same-account'] === true;
    const arrival = await importMerchant({ path: need(given, 'in'), key: readKey(given), hasSameAccount });
    const who = `merchant ${arrival.merchantId} (${arrival.merchantUuid})`;
    return arrival.rows === 0
      ? `The file of ${who} is already imported.`
      : `${arrival.rows} rows of ${who} are imported.`;
  },
  moved: async (given) => {
    const code = await markMoved(need(given, 'merchant'));
    return `The merchant has moved. The code that starts it in the other installation:\n${code}`;
  },
  start: async (given) => {
    const code = readFileSync(need(given, 'code-file'), 'utf8');
    return `The merchant is open. Runs that it needs: ${await startMerchant(need(given, 'merchant'), code)}.`;
  },
  discard: async (given) => {
    await discardMerchant(need(given, 'merchant'));
    return 'All rows of the merchant are deleted.';
  },
  reserve: async (given) => {
    const to = given.to === undefined ? undefined : Number(given.to);
    return `${await reserveIds(Number(need(given, 'from')), to)} sequences begin at the number or above it.`;
  },
};

function need(given: Given, name: TextOption): string {
  const value = given[name];
  if (value === undefined || value === '') throw new MoveRefusal(`Add --${name}.`);
  return value;
}

const readKey = (given: Given) => readTransferKey(readFileSync(need(given, 'key-file'), 'utf8'));

async function main(): Promise<void> {
  const command = commands[process.argv[2] ?? ''];
  if (!command)
    throw new MoveRefusal('Use: npm run merchant:stop, :export, :import, :moved, :start, :keep or :discard');
  if (!encryptionKeyIsShared) throw new MoveRefusal('Set ENCRYPTION_KEY, or ENCRYPTION_KEY_FILE, as for the API.');
  const { values } = readInput();
  await openDataKey();
  registerRooms();
  console.log(await command(values));
}

main()
  .catch((error: unknown) => {
    console.error((error as Error).message);
    process.exitCode = 1;
  })
  .finally(() => void Promise.allSettled([closeTemporal(), closeDatabase()]));
