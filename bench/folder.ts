import { resolve } from 'node:path';

/** Where the million is kept from one run to the next: beside what `npm start` keeps, and never touched by it. */
export function benchFolderOf(environment: NodeJS.ProcessEnv): string {
  return resolve(environment['DATA_DIR'] ?? '.data', 'bench');
}
