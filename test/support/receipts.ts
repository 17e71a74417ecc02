import { execFileSync } from 'node:child_process';
import path from 'node:path';

export interface ReadDocument {
  /** A line for each line of the document. */
  words: string;
  /** Embedded files: name and text. */
  files: [name: string, text: string][];
  /** Metadata in XML; empty if there is none. */
  xmp: string;
}

/** Reads a document with PDF.js in a process of its own, because it is an ES module. */
export async function readDocument(response: Response): Promise<ReadDocument> {
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
  const reader = path.join(__dirname, 'documentWords.mjs');
  return JSON.parse(execFileSync(process.execPath, [reader], { input: bytes, encoding: 'utf8' })) as ReadDocument;
}

export const wordsOf = async (response: Response): Promise<string> => (await readDocument(response)).words;
