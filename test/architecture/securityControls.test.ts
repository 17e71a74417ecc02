import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Environment } from '../../src/config';
import { routes } from '../../src/endpoints';

/** The documents about security name settings with their defaults, and endpoints, that exist. */

const folder = path.resolve(__dirname, '../../docs/security');
const text = readdirSync(folder)
  .map((name) => readFileSync(path.join(folder, name), 'utf8'))
  .join('\n');

const settings = Object.entries(Environment.shape);
const withFiles = settings.flatMap(([name]) => [name, `${name}_FILE`]);
const defaults = new Map(settings.map(([name, setting]) => [name, setting.safeParse(undefined).data]));

test('every setting that is named exists', () => {
  const named = [...text.matchAll(/`([A-Z][A-Z\d]*(?:_[A-Z\d]+)+)`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !withFiles.includes(name) && name !== 'NAME_FILE')).toEqual([]);
});

test('the defaults beside settings are those of the program', () => {
  const named = [...text.matchAll(/`([A-Z][A-Z\d_]+)` \((\d+)\)/g)].map(([, name = '', value]) => [
    name,
    Number(value),
  ]);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(([name, value]) => defaults.get(String(name)) !== value)).toEqual([]);
});

test('every endpoint that is named exists', () => {
  const known = routes.map(({ endpoint }) => `${endpoint.method.toUpperCase()} ${endpoint.path}`);
  const named = [...text.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^`]+)`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});
