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

test('comments and spaces go, licences stay, and each module does what it did', () => {
  const modules = [write('one/index.js', commonJs), write('@of/other/module.mjs', esModule)];
  const kept = { 'one/data.json': '{ "a":  1 }', 'one/broken.js': 'this is // no program', 'one/small.cjs': 'f()' };
  for (const [name, text] of Object.entries(kept)) write(name, text);
  const before = modules.map(run);
  const { stdout } = spawnSync(process.execPath, [program, folder]);
  expect(JSON.parse(stdout.toString())).toMatchObject({ files: 4, unchanged: 2 });
  expect(modules.map(run)).toEqual(before);
  const [first = '', second = ''] = modules.map((file) => readFileSync(file, 'utf8'));
  expect(first).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(first).toContain('Licence: MIT');
  for (const text of [first, second]) expect(text).not.toContain('note');
  for (const [name, text] of Object.entries(kept)) expect(readFileSync(path.join(folder, name), 'utf8')).toBe(text);
});

test('without a folder it says how to name one', () => {
  const { status, stderr } = spawnSync(process.execPath, [program]);
  expect([status === 0, stderr.toString()]).toEqual([
    false,
    expect.stringContaining('minifyPackages.mjs node_modules'),
  ]);
});
