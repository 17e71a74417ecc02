import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Http from 'node:http';
import { lazily, once } from '../../src/kit/lazily';

test('a module is loaded once, when it is first asked for', () => {
  const asked: string[] = [];
  const known = createRequire(__filename);
  const load = Object.assign((name: string) => {
    asked.push(name);
    return known(name) as unknown;
  }, known);
  const http = lazily<typeof Http>(load, 'node:http');
  expect(asked).toEqual([]);
  expect(http().STATUS_CODES[404]).toBe('Not Found');
  expect(http()).toBe(http());
  expect(asked).toEqual(['node:http']);
});

test('a value is made once, when it is first asked for, also undefined', () => {
  let made = 0;
  const value = once(() => {
    made += 1;
    return undefined;
  });
  expect(made).toBe(0);
  expect([value(), value()]).toEqual([undefined, undefined]);
  expect(made).toBe(1);
});

/** Each of these packages takes megabytes in a process that may never use it. */
const seldomNeeded = [
  ...[
    'pdfkit',
    'stripe',
    '@apple/app-store-server-library',
    'iso-3166',
    'qrcode-generator',
    'nodemailer',
    'sanitize-html',
    'umzug',
  ],
  ...['@aws-sdk/cloudfront-signer', 'mqtt-packet', 'openid-client'],
];
/** Adapters that are themselves loaded when they are first needed. */
const loadedLazily =
  /adapters\/(cardProviders\/stripe|appStores\/apple(?!RootCa)|(social|company)Providers\/(?!index|provider))/;

test('what few processes ever need is not loaded at the start', () => {
  const root = join(__dirname, '..', '..', 'src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const found = files.flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').match(/^import [^;]+? from '[^']+';/gm) ?? [];
    const atStart = lines.filter((line) => !/^import (type |\{(\s*type [^,}]+,?)+\s*\})/.test(line));
    const eager = atStart.filter((line) => {
      const [, name = ''] = / from '([^']+)';$/.exec(line) ?? [];
      return seldomNeeded.includes(name) || (name.startsWith('.') && loadedLazily.test(join(root, file, '..', name)));
    });
    return loadedLazily.test(join(root, file)) ? [] : eager.map((line) => `${file}: ${line}`);
  });
  expect(found).toEqual([]);
});
