import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lazily } from '../../kit/lazily';
import { type Region, regions } from './regions';

/** The packaged fonts of documents, Noto Sans (SIL Open Font License), and the operator's font for other scripts. */

export type Weight = 'plain' | 'bold';

export interface Face {
  name: string;
  /** A WOFF or TrueType file: the library cannot take the composite glyphs of WOFF2. */
  file: string;
}

/** What decides the font of a character. */
export interface FontChoice {
  weight: Weight;
  region: Region;
  /** The operator's TrueType file. */
  ownFont: string | undefined;
}

interface FontPackage {
  folder: string;
  /** Undefined: all numbered subsets, into which the fonts of East Asia are split. */
  subsets?: readonly string[];
  hasBold?: boolean;
}

type Range = readonly [from: number, to: number];

interface Subset {
  name: string;
  ranges: readonly Range[];
  files: Record<Weight, string>;
}

interface OpenFont {
  hasGlyphForCodePoint: (code: number) => boolean;
}

const fontkit = lazily<{ openSync: (file: string) => OpenFont }>(require, 'fontkit');

const european = ['latin', 'latin-ext', 'vietnamese', 'greek', 'greek-ext', 'cyrillic', 'cyrillic-ext', 'devanagari'];

/** Each has one subset of its name, in one weight. */
const scripts = [
  'armenian',
  'bengali',
  'ethiopic',
  'georgian',
  'gujarati',
  'gurmukhi',
  'kannada',
  'khmer',
  'lao',
  'malayalam',
  'myanmar',
  'oriya',
  'sinhala',
  'tamil',
  'telugu',
  'thai',
];

const packages: readonly FontPackage[] = [
  { folder: 'noto-sans', subsets: european, hasBold: true },
  { folder: 'noto-sans-arabic', subsets: ['arabic'], hasBold: true },
  { folder: 'noto-sans-hebrew', subsets: ['hebrew'], hasBold: true },
  ...scripts.map((script) => ({ folder: `noto-sans-${script}`, subsets: [script] })),
];

const isEastAsian = (character: string) =>
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\u3000-\u303f\uff00-\uffef]/u.test(
    character,
  );

/** The preferred region first: characters of the others complete it. */
const eastAsianPackages = (region: Region): FontPackage[] =>
  [region, ...regions.filter((other) => other !== region)].map((each) => ({ folder: `noto-sans-${each}` }));

/**
 * The fonts of one document. Tables of characters and fonts are read when a text needs them, and go with the document: the
 * process keeps none of them.
 */
export class DocumentFonts {
  private readonly subsets = new Map<string, readonly Subset[]>();
  private readonly opened = new Map<string, OpenFont>();
  private readonly found = new Map<string, Face | undefined>();

  /** The font of a character. Undefined if no font has it: `ownFont` is assumed to have what the packaged fonts lack. */
  faceOf(character: string, { weight, region, ownFont }: FontChoice): Face | undefined {
    const key = `${character} ${weight} ${region}`;
    if (!this.found.has(key)) this.found.set(key, this.findFace(character, weight, region));
    return this.found.get(key) ?? (ownFont === undefined ? undefined : { name: 'own', file: ownFont });
  }

  /** Whether the font has a glyph for the character: the tables of characters promise more than the fonts have. */
  hasGlyph({ file }: Face, character: string): boolean {
    let font = this.opened.get(file);
    if (!font) this.opened.set(file, (font = fontkit().openSync(file)));
    try {
      return font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0);
    } catch {
      // The last subset of some packages is a file without any characters.
      return false;
    }
  }

  private findFace(character: string, weight: Weight, region: Region): Face | undefined {
    const code = character.codePointAt(0) ?? 0;
    for (const each of isEastAsian(character) ? [...eastAsianPackages(region), ...packages] : packages)
      for (const { name, ranges, files } of this.subsetsOf(each)) {
        const face = { name: `${name}-${weight}`, file: files[weight] };
        if (ranges.some(([from, to]) => code >= from && code <= to) && this.hasGlyph(face, character)) return face;
      }
    return undefined;
  }

  private subsetsOf({ folder, subsets, hasBold }: FontPackage): readonly Subset[] {
    const known = this.subsets.get(folder);
    if (known) return known;
    const root = dirname(require.resolve(`@fontsource/${folder}/package.json`));
    const ranges = JSON.parse(readFileSync(join(root, 'unicode.json'), 'utf8')) as Record<string, string>;
    const read = (subsets ?? Object.keys(ranges).filter((subset) => subset.startsWith('['))).map((subset) => {
      const name = `${folder}-${subset.replace(/[[\]]/g, '')}`;
      const fileOf = (weight: number) => join(root, 'files', `${name}-${weight}-normal.woff`);
      const files = { plain: fileOf(400), bold: fileOf(hasBold ? 700 : 400) };
      return { name, ranges: rangesOf(ranges[subset] ?? ''), files };
    });
    this.subsets.set(folder, read);
    return read;
  }
}

/** Reads `U+0000-00FF,U+0131`. */
function rangesOf(text: string): Range[] {
  return text.split(',').flatMap((range) => {
    const [from = '', to = from] = range.trim().replace('U+', '').split('-');
    return from === '' ? [] : [[parseInt(from, 16), parseInt(to, 16)] as const];
  });
}

/** The sign that stands for a character that no font has. */
export const replacement = '?';
