import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The step of the image that makes packages smaller. */

const program = path.resolve(__dirname, '../../scripts/minifyPackages.mjs');
const folder = mkdtempSync(path.join(tmpdir(), 'packages-'));
afterAll(() => rmSync(folder, { recursive: true }));

const commonJs = `#!/usr/bin/env node
'use strict';
/*! Licence: MIT */
// A note for developers, with a sign beyond Latin: ’
exports.sum = function sum(one, other) {
  return one + other;
};
exports.raw = String.raw\`a\\u2019’\`;
if (require.main === module) console.log(exports.sum(2, 3), exports.sum.name, exports.raw, (() => this)() === exports);
`;
const esModule = `/** A note. */\nexport const   pattern = /[’😀]/u;\nconsole.log(pattern.test('😀'), import.meta.url.length > 0);\n`;

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const run = (file: string) => execFileSync(process.execPath, [file]).toString();

function minify(name: string): unknown {
  const { stdout } = spawnSync(process.execPath, [program, path.join(folder, name)]);
  return JSON.parse(stdout.toString());
}

test('comments and spaces go, licences stay, and each module does what it did', () => {
  const modules = [write('one/index.js', commonJs), write('@of/other/module.mjs', esModule)];
  const kept = { 'one/data.json': '{ "a":  1 }', 'one/broken.js': 'this is // no program', 'one/small.cjs': 'f()' };
  for (const [name, text] of Object.entries(kept)) write(name, text);
  const before = modules.map(run);
  expect(minify('.')).toMatchObject({ files: 4, unchanged: 2 });
  expect(modules.map(run)).toEqual(before);
  const [first = '', second = ''] = modules.map((file) => readFileSync(file, 'utf8'));
  expect(first).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(first).toContain('Licence: MIT');
  for (const text of [first, second]) expect(text).not.toContain('note');
  for (const [name, text] of Object.entries(kept)) expect(readFileSync(path.join(folder, name), 'utf8')).toBe(text);
});

test.each([
  ['a comment', '/* Copyright 2013 Somebody */\n', ['Copyright 2013 Somebody']],
  [
    'lines',
    '//----\n//\n// Copyright (c) 2009 Somebody\n//\n// The words in between.\n',
    ['2009 Somebody', 'in between'],
  ],
  ['lines of Windows', '// Copyright 2001\r\n// The words in between.\r\n', ['2001', 'in between']],
  ['a comment after code', 'f(); /* Licence: MIT */ g(); // License: ISC\n', ['Licence: MIT', 'License: ISC']],
  ['a program', '#!/usr/bin/env node\n// Permission is hereby granted.\n', ['Permission is hereby granted.']],
  ['a marked comment', '/**\n * @license MIT\n */\n', ['@license MIT']],
])('a notice stays in %s', (_, head, notices) => {
  const tail = `\n// A note for developers.\nfunction f() {}\nfunction g() {}\nconsole.log(   'https://example.com/licence'   );\n`;
  const file = write('notices/index.js', `${head}${tail}`);
  minify('notices');
  const text = readFileSync(file, 'utf8');
  for (const notice of notices) expect(text.split(notice)).toHaveLength(2);
  expect(text).not.toContain('for developers');
  expect(text.split('example.com/licence')).toHaveLength(2);
  expect(text.startsWith('#!')).toBe(head.startsWith('#!'));
  expect(run(file)).toBe('https://example.com/licence\n');
});

const wrapped = `
(function (global, factory) {
  factory(exports);
})(this, function (exports) {
  exports.parse = () => 'parsed';
});
`;
const evaluated = `
const load = (module, exports, require) => {   eval('exports.value = typeof require');   return exports.value;   };
exports.inner = class exports {   };
console.log(load({}, {}, () => {}), exports.inner.name);
`;

test('each name stays, for the exports that Node.js finds in a text and for code in a text', () => {
  write('names/wrapped.cjs', wrapped);
  const importing = write(
    'names/importing.mjs',
    `import { parse } from './wrapped.cjs';\nconsole.log(   parse()   );\n`,
  );
  const evaluating = write('names/evaluated.cjs', evaluated);
  expect(minify('names')).toMatchObject({ files: 3, unchanged: 0 });
  expect(run(importing)).toBe('parsed\n');
  expect(run(evaluating)).toBe('function exports\n');
});

test('each number stays, also one that the compiler would round', () => {
  const numbers = [
    '3.4028234663852886e+38',
    '0.012314001688319899',
    '1.0982736001409665',
    '.5',
    '0x10',
    '1000000',
    '1e21',
  ];
  const files = numbers.map((number, at) => write(`numbers/${at}.js`, `console.log(   ${number},   -${number}   );\n`));
  const before = files.map(run);
  expect(minify('numbers')).toMatchObject({ files: 7, unchanged: 3 });
  expect(files.map(run)).toEqual(before);
});

test('without a folder it says how to name one', () => {
  const { status, stderr } = spawnSync(process.execPath, [program]);
  expect([status === 0, stderr.toString()]).toEqual([
    false,
    expect.stringContaining('minifyPackages.mjs node_modules'),
  ]);
});
