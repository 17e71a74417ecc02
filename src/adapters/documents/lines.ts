import type createBidi from 'bidi-js';
import { lazily } from '../../kit/lazily';
import { type DocumentFonts, type Face, type FontChoice, replacement } from './fonts';

/** Lines of text in any direction, split into pieces of one font in the order in which they are drawn from left to right. */

const library = lazily<typeof createBidi>(require, 'bidi-js');
let loaded: ReturnType<typeof createBidi> | undefined;
const bidi = () => (loaded ??= library()());

export interface Piece {
  text: string;
  face: Face;
}

export interface Style extends FontChoice {
  fonts: DocumentFonts;
  /** The base direction of the text; `auto`: that of its first letter. */
  direction: 'ltr' | 'rtl' | 'auto';
}

/** Marks that only steer the direction, and selectors of a variant, have no glyph. */
const isMark = (sign: string) =>
  /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufe00-\ufe0f\ufeff\u{e0100}-\u{e01ef}]/u.test(sign);

/** Joiners and non-joiners choose the shape of the letters beside them. */
const isJoiner = (sign: string) => /[\u200c\u200d]/.test(sign);

/** Belongs to the letter before it. */
const isCombining = (sign: string) => isJoiner(sign) || /\p{M}/u.test(sign);

/** Signs in one piece where Unicode has them. The variants of Han characters, which names need, stay. */
export const composed = (text: string): string =>
  text.replace(/[^\uf900-\ufaff\u{2f800}-\u{2fa1f}]+/gu, (part) => part.normalize('NFC'));

/** The pieces of one line, from left to right. A word from right to left is kept in its order, because the font shapes it. */
export function piecesOf(line: string, style: Style): Piece[] {
  const { levels } = bidi().getEmbeddingLevels(line, style.direction);
  const tokens = tokensOf(line, levels);
  return inVisualOrder(tokens).flatMap(({ text, level }) => {
    const pieces = byFont(text, style);
    return level % 2 === 1 ? pieces.reverse() : pieces;
  });
}

interface Token {
  text: string;
  level: number;
}

/** Words and spaces with one embedding level each. */
function tokensOf(line: string, levels: Uint8Array): Token[] {
  const tokens: (Token & { isSpace: boolean })[] = [];
  for (let index = 0; index < line.length;) {
    const sign = String.fromCodePoint(line.codePointAt(index) ?? 0);
    const level = levels[index] ?? 0;
    const isSpace = /\s/.test(sign);
    const last = tokens.at(-1);
    const isRightToLeft = level % 2 === 1;
    const shown = isMark(sign) ? '' : isRightToLeft ? (bidi().getMirroredCharacter(sign) ?? sign) : sign;
    // Words from left to right keep their spaces, so that a sentence is one piece.
    if (last?.level === level && (!isRightToLeft || last.isSpace === isSpace)) last.text += shown;
    else tokens.push({ text: shown, level, isSpace });
    index += sign.length;
  }
  return tokens;
}

/** Rule L2 of the Unicode Bidirectional Algorithm: reverses what is at least at a level, from the highest level down. */
function inVisualOrder(tokens: readonly Token[]): Token[] {
  const order = [...tokens];
  const highest = Math.max(0, ...order.map(({ level }) => level));
  for (let level = highest; level >= 1; level -= 1)
    for (let from = 0; from < order.length; from += 1) {
      let to = from;
      while ((order[to]?.level ?? 0) >= level) to += 1;
      if (to > from) order.splice(from, to - from, ...order.slice(from, to).reverse());
      from = to;
    }
  return order;
}

function byFont(text: string, style: Style): Piece[] {
  const pieces: Piece[] = [];
  for (const sign of text) {
    const last = pieces.at(-1);
    const drawn = drawnAs(sign, last?.face, style);
    if (!drawn) continue;
    if (last?.face.name === drawn.face.name) last.text += drawn.text;
    else pieces.push(drawn);
  }
  return pieces;
}

/** A sign in its font, or a replacement. Undefined for a joiner that the font before it lacks. */
function drawnAs(sign: string, before: Face | undefined, { fonts, ...choice }: Style): Piece | undefined {
  if (before && isCombining(sign) && before.name !== 'own' && fonts.hasGlyph(before, sign))
    return { text: sign, face: before };
  if (isJoiner(sign)) return undefined;
  const face = fonts.faceOf(sign, choice);
  if (face) return { text: sign, face };
  const shown = /\s/.test(sign) ? ' ' : replacement;
  const other = fonts.faceOf(shown, choice);
  return other && { text: shown, face: other };
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Breaks a text into lines that are at most as wide as `width`. A word that is wider is broken between two characters. */
export function wrap(text: string, width: number, widthOf: (line: string) => number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    for (const word of paragraph.split(/ +/).flatMap((whole) => broken(whole, width, widthOf))) {
      const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
      if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines;
  });
}

function broken(word: string, width: number, widthOf: (line: string) => number): string[] {
  if (widthOf(word) <= width) return [word];
  const parts: string[] = [];
  for (const { segment: sign } of graphemes.segment(word)) {
    const longer = `${parts.at(-1) ?? ''}${sign}`;
    if (parts.length > 0 && widthOf(longer) <= width) parts[parts.length - 1] = longer;
    else parts.push(sign);
  }
  return parts;
}
