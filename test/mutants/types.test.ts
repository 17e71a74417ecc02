import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Mutant } from './mutants';
import { findUncompilable } from './types';

const one = 'export const one = 1;';
const two = "import { one } from './one'; export const two: number = one;";

let copy: string;

beforeEach(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'paywall-types-'));
  mkdirSync(path.join(copy, 'src'));
  symlinkSync(path.resolve(__dirname, '../../node_modules'), path.join(copy, 'node_modules'));
  const compilerOptions = { strict: true, noUnusedLocals: true, types: [], module: 'node20', target: 'es2024' };
  writeFileSync(path.join(copy, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  writeFileSync(path.join(copy, 'src/one.ts'), `${one}\n`);
  writeFileSync(path.join(copy, 'src/two.ts'), `${two}\n`);
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

function mutant(name: string, file: string, before: string, after: string): Mutant {
  const patchFile = path.join(copy, `${name}.patch`);
  writeFileSync(patchFile, `--- a/${file}\n+++ b/${file}\n@@ -1,1 +1,1 @@\n-${before}\n+${after}\n`);
  return { name, fault: '', test: '', patchFile };
}

test('bugs that do not compile are named, also by an error in another file, and the others are not', async () => {
  const mutants = [
    mutant('fine', 'src/one.ts', one, 'export const one = 2;'),
    mutant('error-elsewhere', 'src/one.ts', one, "export const one = '1';"),
    mutant('unused', 'src/two.ts', two, 'const one = 1, three = 3; export const two: number = one;'),
    mutant('outdated', 'src/two.ts', 'no such line', 'another'),
  ];
  const found = await findUncompilable(copy, mutants);
  expect([...found.keys()].sort()).toEqual(['error-elsewhere', 'unused']);
  expect(found.get('unused')).toContain('three');
});

test('no bug is named if all compile', async () => {
  expect(await findUncompilable(copy, [mutant('fine', 'src/one.ts', one, 'export const one = 2;')])).toEqual(new Map());
});
