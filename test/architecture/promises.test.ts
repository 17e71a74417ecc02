import path from 'node:path';
import { z } from 'zod';
import { routes } from '../../src/endpoints';
import { anyone, merchant } from '../../src/kit/auth';
import { endpoint } from '../../src/kit/endpoint';
import { routeTable } from '../../src/kit/routes';
import {
  generatedPromises,
  promisesOf,
  readTitles,
  titlesOf,
  unknownPromises,
  untestedPromises,
} from '../support/promises';

const titles = readTitles(path.join(__dirname, '..'));

describe('the promises of the endpoints', () => {
  test('are read: an empty list would please every check below', () => {
    expect(routes.length).toBeGreaterThan(15);
    expect(titles.get('createAccount')?.length).toBeGreaterThan(5);
    expect([...new Set(routes.flatMap(promisesOf))]).toEqual(
      expect.arrayContaining(['200', '202', '409 account_exists', '403 forbidden', '422 invalid_input']),
    );
  });

  test('have each a test whose title opens with it', () => expect(untestedPromises(routes, titles)).toEqual([]));

  test('are spelled in titles as in the catalogue', () => expect(unknownPromises(titles)).toEqual([]));
});

const declaration = {
  method: 'post',
  summary: 'Create a voucher',
  status: 201,
  response: z.null(),
  errors: ['voucher_not_found'],
  handler: () => Promise.resolve(null),
} as const;
const fakes = routeTable([
  {
    createVoucher: endpoint({
      ...declaration,
      path: '/vouchers',
      auth: merchant('vouchers:write'),
      body: z.object({ code: z.string() }),
    }),
    createVoucherV2: endpoint({ ...declaration, path: '/v2/vouchers', auth: anyone() }),
  },
]);
const all = [
  '201',
  '400 missing_parameter',
  '401 invalid_auth_token',
  '403 forbidden',
  '403 second_factor_missing',
  '404 voucher_not_found',
  '422 invalid_input',
];

describe('the check of promises', () => {
  test('knows what a declaration promises, by its token and schemas too', () => {
    expect(fakes.map(promisesOf)).toEqual([all, ['201', '404 voucher_not_found']]);
  });

  test('accepts titles that open with all of them, also for a twin', () => {
    expect(untestedPromises(fakes, new Map([['createVoucher', all.map((promise) => `${promise}: so it is`)]]))).toEqual(
      [],
    );
  });

  test.each(all.filter((promise) => !generatedPromises.includes(promise)))('reports that %s is missing', (missing) => {
    const others = all.filter((promise) => promise !== missing).map((promise) => `${promise}: so it is`);
    const [first] = untestedPromises(fakes, new Map([['createVoucher', others]]));
    expect(first).toBe(`createVoucher: no test in createVoucher*.test.ts has a title that starts with "${missing}"`);
  });

  test('accepts neither a longer key, nor the promise further on, nor the test of another operation', () => {
    const near = ['201 voucher_created: x', '404 voucher_not_found_either: x', 'a 404 voucher_not_found: x'];
    expect(untestedPromises(fakes.slice(1), new Map([['createVoucher', near]]))).toHaveLength(2);
    expect(untestedPromises(fakes.slice(1), new Map([['createGift', all]]))).toHaveLength(2);
  });

  test('reads titles of tests, and of no test that does not run', () => {
    const text = `
      test('200: one', () => undefined);
      it('201: two', async () => undefined);
      test.each([1, 2])('202: three', () => undefined);
      test.each<[string]>([['x']])('203: four', () => undefined);
      describe('x', () => { describe.each([1])('y', () => { test('204: five', () => undefined); }); });
      test.skip('400: skipped', () => undefined);
      test.todo('401: to do');
      xtest('402: skipped', () => undefined);
      describe('403: no test', () => undefined);
      // test('404: a comment', () => undefined);
      const text = "test('405: a text')";`;
    expect(titlesOf(text)).toEqual(['200: one', '201: two', '202: three', '203: four', '204: five']);
  });

  test('reports a key that is misspelled or has another status', () => {
    const wrong = [
      '409 account_exist: x',
      '404 account_exists: x',
      '409 account_exists: x',
      '202: x',
      'subscribe.failed: x',
    ];
    expect(unknownPromises(new Map([['createAccount', wrong]]))).toEqual([
      'createAccount: "409 account_exist:" is in no catalogue',
      'createAccount: "404 account_exists:" is in no catalogue',
    ]);
  });
});
