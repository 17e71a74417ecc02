import { resolve } from 'node:path';

/**
 * The folder that keeps the million entitlements between runs. It is next to the data of `npm start`, which never
 * changes it.
 */
export function benchFolderOf(environment: NodeJS.ProcessEnv): string {
  return resolve(environment['DATA_DIR'] ?? '.data', 'bench');
}
