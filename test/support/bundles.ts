import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';

/** The workflows, bundled so that an hour passes in a millisecond. Waits of days end within a test. */
export function bundleTimeLapse(lapse: 'timeLapse' | 'minuteLapse' = 'timeLapse'): Promise<string> {
  return bundle(resolve(__dirname, '../../workflows/index.ts'), [resolve(__dirname, `${lapse}.ts`)]);
}

/** A file with workflows of the test itself. */
export function bundleFixture(path: string): Promise<string> {
  return bundle(path, []);
}

/** Bundles once for all files of a run: no source changes while the tests run. */
async function bundle(workflowsPath: string, workflowInterceptorModules: string[]): Promise<string> {
  const name = createHash('sha256')
    .update([workflowsPath, ...workflowInterceptorModules].join('\n'))
    .digest('hex');
  const path = join(process.env['TEST_DATA_DIR'] ?? '', `workflows-${name}.js`);
  if (existsSync(path)) return path;
  const logger = new DefaultLogger('ERROR');
  const failureConverterPath = resolve(__dirname, '../../workflows/failureConverter.ts');
  const options = { workflowsPath, failureConverterPath, workflowInterceptorModules, logger };
  const { code } = await bundleWorkflowCode(options);
  // Another process never reads half a file.
  const unfinished = `${path}.${randomUUID()}`;
  await writeFile(unfinished, code);
  await rename(unfinished, path);
  return path;
}
