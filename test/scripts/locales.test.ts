import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** `npm run locales`, as a translator runs it. */

const root = path.join(__dirname, '../..');
const copy = path.join(process.env['TEST_DATA_DIR'] ?? '', 'locales');

type Locale = Record<string, Record<string, unknown>>;

beforeAll(() => {
  const isNeeded = (file: string) => !path.extname(file) || /\.(js|json)$/.test(file);
  for (const part of ['src', 'scripts'])
    cpSync(path.join(root, 'dist', part), path.join(copy, 'dist', part), { recursive: true, filter: isNeeded });
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
});

/** Runs the built command of a folder. */
function runIn(folder: string) {
  const { status, stdout } = spawnSync(process.execPath, [path.join(folder, 'dist/scripts/locales.js')]);
  return { code: status, said: stdout.toString() };
}

/** Runs the command on a copy of the locales in which `change` has changed one file. */
function runAfter(file: string, change: (locale: Locale) => void) {
  const place = path.join(copy, 'dist/src', file);
  const before = readFileSync(place, 'utf8');
  const locale = JSON.parse(before) as Locale;
  change(locale);
  writeFileSync(place, JSON.stringify(locale));
  try {
    return runIn(copy);
  } finally {
    writeFileSync(place, before);
  }
}

/** The text at a key of one section. */
const textAt = (locale: Locale, section: string, key: string): string => String(locale[section]?.[key]);

test('the languages of the service are complete', () => {
  expect(runIn(root)).toEqual({ code: 0, said: 'Every language is complete.\n' });
  expect(runIn(copy)).toEqual({ code: 0, said: 'Every language is complete.\n' });
});

test('a missing text of a page is named, with its language', () => {
  const { code, said } = runAfter('pages/locales/de.json', ({ common }) => delete common?.['save']);
  expect([code, said]).toEqual([1, 'src/pages/locales: de lacks common.save\n']);
});

test('a missing text of the console is named for Arabic, and German needs none', () => {
  const { code, said } = runAfter('pages/locales/ar.json', ({ console: texts }) => delete texts?.['all']);
  expect([code, said]).toEqual([1, 'src/pages/locales: ar lacks console.all\n']);
  expect(runAfter('pages/locales/de.json', () => undefined).code).toBe(0);
});

test('a missing plural form of a language is named', () => {
  const { code, said } = runAfter('pages/locales/ar.json', ({ periods }) => delete periods?.['day_few']);
  expect(code).toBe(1);
  expect(said).toBe('src/pages/locales: ar periods.day: has the forms zero,one,two,many,other\n');
});

test('a placeholder that English does not have is named, in pages and in mails', () => {
  const misspell = (section: string, key: string, name: string) => (locale: Locale) => {
    const text = textAt(locale, section, key);
    expect(text).toContain(`{${name}}`);
    Object.assign(locale[section] ?? {}, { [key]: text.replaceAll(`{${name}}`, '{other}') });
  };
  const pages = runAfter('pages/locales/fr.json', misspell('paywall', 'priceEvery', 'price'));
  expect(pages.code).toBe(1);
  expect(pages.said).toMatch(
    /^src\/pages\/locales: fr paywall\.priceEvery: has the placeholders other,time instead of price,time\n$/,
  );
  const mails = runAfter('mail/locales/it.json', misspell('documents', 'refunded', 'date'));
  expect(mails.said).toMatch(
    /^src\/mail\/locales: it documents\.refunded: has the placeholders other instead of date\n$/,
  );
});

test('every fault of every file is named in one run', () => {
  const { said } = runAfter('pages/locales/tr.json', ({ common }) => {
    Object.assign(common ?? {}, { save: ' ', unknown: 'x' });
  });
  expect(said.trim().split('\n').sort()).toEqual([
    'src/pages/locales: tr common.save: is empty',
    'src/pages/locales: tr has common.unknown, which English lacks',
  ]);
});
