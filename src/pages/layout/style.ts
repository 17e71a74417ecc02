import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The style sheet. Colours, space and sizes are custom properties. A merchant's theme sets `--primary` and others.
 * Sides are logical (`inline-start`), for languages that are written from right to left. Pages work from a width of 320
 * px.
 */

const folder = join(__dirname, '..', 'styles');
const read = (name: string) => readFileSync(join(folder, `${name}.css`), 'utf8');

/** The styles of a page that contains its styles, such as a notice or a small form. */
export const plainStyleSheet = ['base', 'arranging', 'forms'].map(read).join('');

export const styleSheet = plainStyleSheet + ['lists', 'paywall', 'portal', 'console'].map(read).join('');
