import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** Prints the words of the PDF on standard input as JSON, a line for each line of the document, and its embedded files. */

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const data = new Uint8Array(Buffer.concat(chunks));
const document = await getDocument({ data, verbosity: VerbosityLevel.ERRORS }).promise;
const lines = [];
for (let number = 1; number <= document.numPages; number += 1) {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  lines.push(items.map(({ str, hasEOL }) => (hasEOL ? `${str}\n` : str)).join(''));
}
const files = [];
for (const name of ((await document.getAttachments()) ?? new Map()).keys())
  files.push([name, Buffer.from(await document.getAttachmentContent(name)).toString()]);
const { metadata } = await document.getMetadata();
process.stdout.write(JSON.stringify({ words: lines.join('\n'), files, xmp: metadata?.getRaw() ?? '' }));
