import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashedAddress } from './hashedAddress';

/** The typeface of pages: Inter, with the letters of western European languages and the weights 400 to 600. */
export const fontFile = readFileSync(join(__dirname, '..', 'fonts', 'inter.woff2'));
export const fontAddress = hashedAddress('inter.woff2', fontFile);
