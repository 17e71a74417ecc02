// Takes comments and spaces out of the packages of the image: `node scripts/minifyPackages.mjs node_modules`. A process
// keeps the source of each module that it has loaded, so both the image and the memory become smaller. Notices of copyright
// and licence stay. So does each name, because Node.js finds exports by their names, and `eval` finds variables by theirs.
// For this reason the text is parsed and printed: the minifier of the compiler renames a parameter `exports` to `exports1`.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync, printSync } from '@swc/core';

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

/** The text itself if it is no JavaScript that the compiler knows, or is small already, or has numbers that would change. */
function minified(text) {
  try {
    const program = parseSync(text, { syntax: 'ecmascript', target: 'esnext', isModule: 'unknown' });
    const { code } = printSync(program, { minify: true, jsc: { target: 'esnext' } });
    const complete = withNotices(code, text);
    return complete.length < text.length && !hasOtherNumbers(code, text) ? complete : text;
  } catch {
    return text;
  }
}

/** The result has no comments, so the notices go to its top. What it includes was no comment, but part of a string. */
function withNotices(code, text) {
  const notices = noticesOf(text).filter((notice) => !code.includes(notice));
  if (notices.length === 0) return code;
  const [firstLine = ''] = /^#!.*\n/.exec(code) ?? [];
  return `${firstLine}${[...new Set(notices)].join('\n')}\n${code.slice(firstLine.length)}`;
}

/** The comments about copyright or a licence. Lines that begin with `//` and follow each other are one comment. */
function noticesOf(text) {
  const comments = text.match(/\/\*[^]*?\*\/|^[ \t]*\/\/.*(?:\r?\n[ \t]*\/\/.*)*|(?<!:)\/\/.*/gm) ?? [];
  return comments.filter((comment) => /copyright|licen[cs]e|permission is hereby/i.test(comment));
}

/** The compiler rounds some numbers of 16 and more digits: 3.4028234663852886e+38 becomes 3.402823466385289e+38. */
function hasOtherNumbers(code, text) {
  const known = new Set(numbersOf(text).map(Number));
  return numbersOf(code).some((number) => number.length > 14 && !known.has(Number(number)));
}

function numbersOf(text) {
  return text.match(/(?<![\w$])(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/gi) ?? [];
}
