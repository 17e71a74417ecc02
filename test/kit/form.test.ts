import { z } from 'zod';
import {
  formBool,
  formDate,
  formEmail,
  formId,
  formInt,
  formList,
  formMetadata,
  formNumber,
  formObject,
  formText,
  normalizeEmail,
} from '../../src/kit/form';

/** The value that a schema reads; undefined if it refuses. */
const read = (schema: z.ZodType, value: unknown) => schema.safeParse(value).data;

describe('formInt', () => {
  test.each([
    ['12', 12],
    ['-3', -3],
    ['+7', 7],
    [5, 5],
    ['007', 7],
  ])('reads %p', (sent, meant) => expect(read(formInt(), sent)).toBe(meant));

  test.each(['1e3', '1.5', ' 1', '0x10', '', 'NaN', '9'.repeat(16), 1.5, NaN, true, [1], { a: 1 }])(
    'refuses %p',
    (sent) => expect(read(formInt(), sent)).toBeUndefined(),
  );
});

test('formId is a 32-bit identity: 1 to 2147483647', () => {
  expect(read(formId(), '2147483647')).toBe(2_147_483_647);
  for (const sent of ['0', '-1', '2147483648', '9223372036854775808', 'undefined'])
    expect(read(formId(), sent)).toBeUndefined();
});

test('formNumber reads decimals, and no other notation', () => {
  expect(read(formNumber(), '9.99')).toBe(9.99);
  expect(read(formNumber(), '-0.5')).toBe(-0.5);
  expect(read(formNumber(), 9.99)).toBe(9.99);
  for (const sent of ['9,99', '1e3', 'Infinity', '.5', '5.', '', Infinity, true])
    expect(read(formNumber(), sent)).toBeUndefined();
});

test('formBool reads the words of forms, and "false" as false', () => {
  for (const sent of ['true', '1', 'on', 'TRUE', 1, true]) expect(read(formBool(), sent)).toBe(true);
  for (const sent of ['false', '0', 'off', 'False', 0, false]) expect(read(formBool(), sent)).toBe(false);
  for (const sent of ['', 'maybe', '2', 2, null, []]) expect(read(formBool(), sent)).toBeUndefined();
});

test('formText trims, keeps its bounds, and takes a number of a JSON body', () => {
  expect(read(formText({ max: 3 }), '  abc ')).toBe('abc');
  expect(read(formText(), 42)).toBe('42');
  for (const sent of ['abcd', '   ', ['a'], { a: 1 }]) expect(read(formText({ max: 3 }), sent)).toBeUndefined();
});

describe('formDate', () => {
  test.each([
    ['1780000000', '2026-05-28T20:26:40.000Z'],
    [1_780_000_000, '2026-05-28T20:26:40.000Z'],
    ['0', '1970-01-01T00:00:00.000Z'],
    ['-86400', '1969-12-31T00:00:00.000Z'],
    ['1999-03-05', '1999-03-05T00:00:00.000Z'],
    ['2026-05-28T20:26:40Z', '2026-05-28T20:26:40.000Z'],
    ['2026-05-28T22:26:40+02:00', '2026-05-28T20:26:40.000Z'],
    ['2026-05-28T20:26', '2026-05-28T20:26:00.000Z'],
    ['2026-05-28 20:26:40', '2026-05-28T20:26:40.000Z'],
  ])('reads %p', (sent, meant) => expect((read(formDate(), sent) as Date).toISOString()).toBe(meant));

  test.each(['tomorrow', '05.03.1999', '2026-13-01', '', '9'.repeat(15), 1e300, true, ['2026-01-01']])(
    'refuses %p',
    (sent) => expect(read(formDate(), sent)).toBeUndefined(),
  );

  test.each(['2026-02-30', '2026-02-31T10:00Z', '2025-02-29', '2026-04-31', '2026-00-10', '2026-01-00', '1900-02-29'])(
    'refuses %p: the day does not exist',
    (sent) => expect(read(formDate(), sent)).toBeUndefined(),
  );

  test.each(['2024-02-29', '2000-02-29', '2026-12-31T23:59:59Z'])('reads %p, the last day of its month', (sent) =>
    expect((read(formDate(), sent) as Date).toISOString()).toContain(sent.slice(0, 10)),
  );

  test.each(['-100000000000', '8640000000000', '253402300800'])(
    'refuses %p: PostgreSQL and clients know years of four digits',
    (sent) => expect(read(formDate(), sent)).toBeUndefined(),
  );
});

test('formList makes a list of one value, and keeps its bounds', () => {
  const list = formList(formId(), 2);
  expect(read(list, ['1', '2'])).toEqual([1, 2]);
  expect(read(list, '7')).toEqual([7]);
  for (const sent of [['1', 'x'], ['1', '2', '3'], [['1']]]) expect(read(list, sent)).toBeUndefined();
});

describe('formMetadata', () => {
  test.each([
    [
      { a: 'x', b: 1, c: true },
      { a: 'x', b: '1', c: 'true' },
    ],
    [
      [
        { name: 'a', value: 'x' },
        { name: 'b', value: 2 },
      ],
      { a: 'x', b: '2' },
    ],
    [
      { first_name: ' ', consents: '[]' },
      { first_name: ' ', consents: '[]' },
    ],
    [{}, {}],
  ])('reads %j', (sent, meant) => expect(read(formMetadata(), sent)).toEqual(meant));

  test.each([
    ['text', 'text'],
    ['a nested value', { a: { b: '1' } }],
    ['a list as a value', { a: ['1'] }],
    ['a name with a blank', { 'a b': '1' }],
    ['a name of 65 characters', { ['a'.repeat(65)]: '1' }],
    ['a value of 2,001 characters', { a: 'x'.repeat(2001) }],
    ['51 names', Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, '1']))],
    ['a pair without a name', [{ value: 'x' }]],
    ['a pair that is none', [null]],
    ['the name __proto__ in a pair', [{ name: '__proto__', value: 'x' }]],
    ['the name constructor in a pair', [{ name: 'constructor', value: 'x' }]],
  ])('refuses %s', (_what, sent) => expect(read(formMetadata(), sent)).toBeUndefined());

  test('within other bounds; the forbidden names stay forbidden', () => {
    const bounds = { name: '.{1,3}', nameRule: 'must be short', value: z.string(), namesMax: 1 };
    const map = formMetadata(bounds);
    expect(read(map, { 'a b': 'x'.repeat(2001) })).toEqual({ 'a b': 'x'.repeat(2001) });
    expect(read(map, { abcd: '1' })).toBeUndefined();
    expect(read(map, { a: '1', b: '2' })).toBeUndefined();
    const any = formMetadata({ ...bounds, name: '.+' });
    for (const name of ['__proto__', 'constructor', 'prototype'])
      expect(read(any, [{ name, value: '1' }])).toBeUndefined();
  });
});

test('formObject takes members that are sent empty for absent, and refuses what is no object', () => {
  const object = formObject(z.object({ id: formId().default(0), name: formText().optional() }));
  expect(read(object, { id: '', name: null, other: 1 })).toEqual({ id: 0 });
  expect(read(object, { id: '7', name: 'x' })).toEqual({ id: 7, name: 'x' });
  for (const sent of ['', 'text', ['7'], null]) expect(read(object, sent)).toBeUndefined();
});

describe('formEmail', () => {
  test.each([' ana@example.org ', 'a+b@sub.example.co.uk', 'josé@exämple.org'])('reads %p', (sent) =>
    expect(read(formEmail(), sent)).toBe(sent.trim().normalize('NFC')),
  );

  test.each([
    'ana',
    'ana@',
    '@example.org',
    'ana@example',
    'a na@example.org',
    'ana@example.org\r\nBcc: x@example.org',
    'ana@@example.org',
    'a,b@example.org',
    '<ana@example.org>',
    `${'a'.repeat(65)}@example.org`,
    `ana@${'a'.repeat(250)}.org`,
    ['ana@example.org'],
    'ana\u200b@example.org',
    'ana\u00ad@example.org',
    '\u202eana@example.org',
    'ana@exam\u2060ple.org',
    'ana\u3164@example.org',
  ])('refuses %p', (sent) => expect(read(formEmail(), sent)).toBeUndefined());

  test('spellings of one address have one form', () => {
    const spellings = [
      'Ana@Example.ORG',
      ' ana@example.org',
      'ANA@EXAMPLE.org ',
      'ana@example.org.',
      '\uff21na@example.org',
    ];
    expect(new Set(spellings.map(normalizeEmail))).toEqual(new Set(['ana@example.org']));
    expect(normalizeEmail('v\u0131ctim@example.org')).toBe('victim@example.org');
    expect(read(formEmail(), 'ana@example.org.')).toBe('ana@example.org');
    expect(normalizeEmail('jose\u0301@exämple.org')).toBe(normalizeEmail('josé@xn--exmple-cua.org'));
  });
});
