import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';

/** Precedes the data of the source map. */
const encoding = 'base64,';

/** Bundles the workflows once, at build time: a worker then starts in a fraction of a second. */
async function main(): Promise<void> {
  const dist = join(__dirname, '..');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(dist, 'workflows', 'index.js'),
    failureConverterPath: join(dist, 'workflows', 'failureConverter.js'),
    workflowInterceptorModules: [join(dist, 'workflows', 'traces.js')],
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error },
  });
  writeFileSync(join(dist, 'workflow-bundle.js'), escapeBeyondLatin1(withoutSources(code)));
}

/**
 * The source map at the end of the bundle contains the text of each source, which was half of the file. A worker keeps it
 * in two threads, and its stack traces need only the positions.
 */
function withoutSources(code: string): string {
  const start = code.lastIndexOf(encoding) + encoding.length;
  const map = JSON.parse(Buffer.from(code.slice(start), 'base64').toString()) as object;
  const positions = JSON.stringify({ ...map, sourcesContent: undefined });
  return code.slice(0, start) + Buffer.from(positions).toString('base64');
}

/**
 * V8 stores a source with two bytes for each character if one of them is not in Latin-1. Such characters occur only in
 * texts, patterns and comments, where an escape means the same.
 */
function escapeBeyondLatin1(code: string): string {
  return code.replace(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

void main();
