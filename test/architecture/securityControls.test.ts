import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
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

test('every endpoint that answers an access token is among the ways to sign in', () => {
  const ways = /## Ways to sign in\n(.*?)\nThere is no other way/s.exec(text)?.[1] ?? '';
  const opening = routes.filter(
    ({ endpoint: { response } }) => response instanceof z.ZodObject && 'access_token' in response.shape,
  );
  expect(opening.length).toBeGreaterThan(10);
  // Version 2 of an endpoint is named beside version 1.
  expect(opening.map(({ endpoint }) => endpoint.path).filter((each) => !ways.includes(`${each}\``))).toEqual([]);
  // These answer a redirect that sets a cookie.
  for (const flow of ['/accounts/social/', '/accounts/company/']) expect(ways).toContain(flow);
});

test('every endpoint that is named exists', () => {
  const known = routes.map(({ endpoint }) => `${endpoint.method.toUpperCase()} ${endpoint.path}`);
  const named = [...text.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^`]+)`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});
