import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program of this machine, in the folders of PATH or in the others that are named. */
export function findInstalled(command: string, extraFolders: readonly string[] = []): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean), ...extraFolders];
  return folders.map((folder) => join(folder, command)).find(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A server of a Debian package, which is not on the path of ordinary users, or the program that a variable names. */
export function findServer(command: string, given: string | undefined): string | undefined {
  return given ? [given].find(isExecutable) : findInstalled(command, ['/usr/sbin']);
}
