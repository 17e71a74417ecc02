import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
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

async function bundle(workflowsPath: string, workflowInterceptorModules: string[]): Promise<string> {
  const logger = new DefaultLogger('ERROR');
  const failureConverterPath = resolve(__dirname, '../../workflows/failureConverter.ts');
  const options = { workflowsPath, failureConverterPath, workflowInterceptorModules, logger };
  const { code } = await bundleWorkflowCode(options);
  const path = join(process.env['TEST_DATA_DIR'] ?? '', `workflows-${randomUUID()}.js`);
  await writeFile(path, code);
  return path;
}
