import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The packaged fonts of documents, Noto Sans (SIL Open Font License), and the operator's font for other scripts. */

export type Weight = 'plain' | 'bold';

export interface Face {
  name: string;
  /** A WOFF or TrueType file: the library cannot take the composite glyphs of WOFF2. */
  file: string;
}

type Range = readonly [from: number, to: number];

interface Subset {
  name: string;
  ranges: readonly Range[];
  files: Record<Weight, string>;
}

const packages = [
  {
    name: 'noto-sans',
    subsets: ['latin', 'latin-ext', 'vietnamese', 'greek', 'greek-ext', 'cyrillic', 'cyrillic-ext'],
  },
  { name: 'noto-sans-arabic', subsets: ['arabic'] },
  { name: 'noto-sans-hebrew', subsets: ['hebrew'] },
];

let known: readonly Subset[] | undefined;

function packagedSubsets(): readonly Subset[] {
  known ??= packages.flatMap(({ name: folder, subsets }) => {
    const root = dirname(require.resolve(`@fontsource/${folder}/package.json`));
    const ranges = JSON.parse(readFileSync(join(root, 'unicode.json'), 'utf8')) as Record<string, string>;
    return subsets.map((subset) => {
      const name = `${folder}-${subset}`;
      const fileOf = (weight: number) => join(root, 'files', `${name}-${weight}-normal.woff`);
      return { name, ranges: rangesOf(ranges[subset] ?? ''), files: { plain: fileOf(400), bold: fileOf(700) } };
    });
  });
  return known;
}

/** Reads `U+0000-00FF,U+0131`. */
function rangesOf(text: string): Range[] {
  return text.split(',').flatMap((range) => {
    const [from = '', to = from] = range.trim().replace('U+', '').split('-');
    return from === '' ? [] : [[parseInt(from, 16), parseInt(to, 16)] as const];
  });
}

/** The font of a character. Undefined if no font has it: `ownFont` is assumed to have what the packaged fonts lack. */
export function faceOf(character: string, weight: Weight, ownFont: string | undefined): Face | undefined {
  const code = character.codePointAt(0) ?? 0;
  const subset = packagedSubsets().find(({ ranges }) => ranges.some(([from, to]) => code >= from && code <= to));
  if (subset) return { name: `${subset.name}-${weight}`, file: subset.files[weight] };
  return ownFont === undefined ? undefined : { name: 'own', file: ownFont };
}

/** The font of a sign that stands for a character that no font has. */
export const replacement = '?';
