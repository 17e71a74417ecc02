import { randomInt } from 'node:crypto';
import type QrCode from 'qrcode-generator';
import { lazily } from '../../kit/lazily';

/** Consonants: no letter looks like a digit, and no code is a word (RFC 8628, section 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const groupLength = 4;

/** A code of eight letters, about 35 bits: `BDFKLMNP`. */
export function createUserCode(): string {
  return Array.from({ length: 2 * groupLength }, () => letters[randomInt(letters.length)]).join('');
}

/** The code as a device shows it: `BDFK-LMNP`. */
export const showUserCode = (code: string) => `${code.slice(0, groupLength)}-${code.slice(groupLength)}`;

const whole = new RegExp(`^[${letters}]{${2 * groupLength}}$`);

/** The code that a person has typed, without spaces and hyphens. Undefined if no code looks like this. */
export function readUserCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  return whole.test(code) ? code : undefined;
}

const qrCodes = lazily<typeof QrCode>(require, 'qrcode-generator');
/** In pixels, for televisions. */
const moduleSize = 6;
/** The light border that a camera needs, in pixels. */
const border = 4 * moduleSize;

/** A QR code as a GIF in a data URL. Devices without a browser cannot draw SVG. */
export function qrCodePicture(text: string): string {
  const code = qrCodes()(0, 'L');
  code.addData(text);
  code.make();
  return code.createDataURL(moduleSize, border);
}
