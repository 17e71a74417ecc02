import { execFileSync } from 'node:child_process';
import path from 'node:path';

/** The words of a document, read by PDF.js in a process of its own, because it is an ES module. */
export async function wordsOf(response: Response): Promise<string> {
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
  const reader = path.join(__dirname, 'documentWords.mjs');
  return JSON.parse(execFileSync(process.execPath, [reader], { input: bytes, encoding: 'utf8' })) as string;
}
