import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { minified } from './minified';

/** Minifies the compiled scripts of the pages, at build time. */
const folder = join(__dirname, '..', 'src', 'pages', 'browser');
for (const name of readdirSync(folder)) {
  const file = join(folder, name);
  writeFileSync(file, minified(readFileSync(file, 'utf8')));
}
