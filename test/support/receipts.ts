import { inflateSync } from 'node:zlib';

/** The words of a document set in a built-in font: hex strings in compressed streams. */
export async function wordsOf(response: Response): Promise<string> {
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
  const streams = [...bytes.toString('latin1').matchAll(/stream\n([^]*?)\nendstream/g)].map(([, stream = '']) =>
    inflateSync(Buffer.from(stream, 'latin1')).toString('latin1'),
  );
  const shown = [...streams.join('\n').matchAll(/\[([^\]]*)\] TJ/g)].map(([, parts = '']) =>
    [...parts.matchAll(/<([\da-f]+)>/g)].map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1')).join(''),
  );
  return shown.join('\n').replaceAll('\x80', '€');
}
