// Takes comments and spaces out of the packages of the image: `node scripts/minifyPackages.mjs node_modules`. A process
// keeps the source of each module that it has loaded, so both the image and the memory become smaller. Names and code stay
// as they are, and so do notes about licences.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { minifySync } from '@swc/core';

const folder = process.argv[2];
if (folder === undefined) throw new Error('Name the folder: node scripts/minifyPackages.mjs node_modules');

const counts = { files: 0, bytesBefore: 0, bytesAfter: 0, unchanged: 0 };
for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  const file = path.join(folder, name);
  if (/\.(?:c|m)?js$/.test(name) && statSync(file).isFile()) minifyFile(file);
}
console.log(JSON.stringify(counts));

function minifyFile(file) {
  const before = readFileSync(file, 'utf8');
  const after = minified(before);
  counts.files += 1;
  counts.bytesBefore += Buffer.byteLength(before);
  counts.bytesAfter += Buffer.byteLength(after);
  if (after === before) counts.unchanged += 1;
  else writeFileSync(file, after);
}

/** The text itself if it is no JavaScript that the compiler knows, or is small already. */
function minified(text) {
  try {
    const { code } = minifySync(text, {
      compress: false,
      mangle: false,
      module: 'unknown',
      format: { comments: 'some' },
    });
    return code.length < text.length ? code : text;
  } catch {
    return text;
  }
}
