import { createHash } from 'node:crypto';
import { parse } from 'node:path';

/** The URL of an asset: `/assets/style-<hash of its text>.css`. */
export function hashedAddress(asset: string, content: string | Buffer): string {
  const { name, ext } = parse(asset);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return `/assets/${name}-${hash}${ext}`;
}
