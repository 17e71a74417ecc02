import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fontAddress } from './font';

/**
 * The style sheet. Colours, space and sizes are custom properties (styles/tokens.css); a merchant's theme sets
 * `--primary` and others. Sides are logical (`inline-start`), for languages that are written from right to left. Pages
 * work from a width of 320 px.
 */

const folder = join(__dirname, '..', 'styles');
const read = (name: string) =>
  tight(readFileSync(join(folder, `${name}.css`), 'utf8').replace('inter.woff2', fontAddress));

/** Without comments and spaces that browsers need not load. */
const tight = (text: string) =>
  text
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/([{};,:])\n\s*/g, '$1')
    .replace(/\n\s*/g, ' ')
    .replace(/([:,]) /g, '$1')
    .replace(/ ([{>]) ?/g, '$1')
    .replaceAll(';}', '}');

/** The styles of a page that contains its own, such as a notice or a small form. */
export const plainStyleSheet = ['tokens', 'base', 'arranging', 'forms'].map(read).join('');

/** The tokens of the style sheet, for the style guide. */
export const readTokens = (): { name: string; value: string }[] =>
  [...readFileSync(join(folder, 'tokens.css'), 'utf8').matchAll(/^ {2}--([\w-]+): (.+);$/gm)].map(
    ([, name = '', value = '']) => ({ name, value }),
  );

/** The styles of the paywall, which must load fast on slow telephones. */
export const paywallStyleSheet = plainStyleSheet + ['notices', 'paywall'].map(read).join('');

/** The styles of all other pages of customers. */
export const portalStyleSheet = paywallStyleSheet + ['lists', 'portal'].map(read).join('');

export const consoleStyleSheet = portalStyleSheet + ['console', 'charts', 'figures'].map(read).join('');

/** The styles of the API reference. */
export const referenceStyleSheet = plainStyleSheet + ['lists', 'reference'].map(read).join('');
