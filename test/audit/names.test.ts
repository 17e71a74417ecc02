import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { actionsToFind } from '../../src/pages/console/auditActions';
import ar from '../../src/pages/locales/ar.json';
import en from '../../src/pages/locales/en.json';

/** The audit log of the console shows texts and no codes. */

const source = path.join(__dirname, '..', '..', 'src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.startsWith('pages'),
);
const namesIn = (pattern: RegExp) => [
  ...new Set(
    files.flatMap((name) =>
      [...readFileSync(path.join(source, name), 'utf8').matchAll(pattern)].map(([, found = '']) => found),
    ),
  ),
];

const actions = namesIn(/(?:action|audited)(?:: | = )'([a-z_]+\.[a-z_]+)'/g);
const objects = namesIn(/object: \[\s*'([a-z_]+)'/g);
/** Operators act on the installation, and no merchant has entries of these. */
const ofOperators = /^(?:operator|message)\./;

const languages = Object.entries({ en: en.console, ar: ar.console });

test('every action has a name in each language of the console', () => {
  expect(actions.length).toBeGreaterThan(100);
  for (const [language, { events }] of languages)
    expect([language, actions.filter((name) => !(name.replaceAll('.', '_') in events))]).toEqual([language, []]);
});

test('every kind of object has a name in each language of the console', () => {
  expect(objects.length).toBeGreaterThan(20);
  for (const [language, { objects: known }] of languages)
    expect([language, objects.filter((name) => !(name in known))]).toEqual([language, []]);
});

test('every action of a merchant can be chosen in the filter', () => {
  expect(actions.filter((name) => !ofOperators.test(name) && !actionsToFind.includes(name))).toEqual([]);
});
