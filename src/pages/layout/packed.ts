import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type Request, type Response } from 'express';

/** A text that never changes is compressed once, as small as it gets, and kept. */

const packers = { br: brotliCompressSync, gzip: (text: string) => gzipSync(text, { level: 9 }) } as const;
type Encoding = keyof typeof packers;

const kept = new Map<string, Buffer>();

/** Sends a text in the encoding that the browser prefers. `address`: its URL, which changes with the text. */
export function sendPacked(request: Request, response: Response, address: string, text: string): void {
  response.vary('Accept-Encoding');
  const encoding = request.acceptsEncodings('br', 'gzip');
  if (encoding !== 'br' && encoding !== 'gzip') return void response.send(text);
  response.set('Content-Encoding', encoding).send(pack(encoding, address, text));
}

function pack(encoding: Encoding, address: string, text: string): Buffer {
  const name = `${encoding} ${address}`;
  const packed = kept.get(name) ?? packers[encoding](text);
  kept.set(name, packed);
  return packed;
}
