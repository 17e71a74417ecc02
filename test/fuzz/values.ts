import { type Random } from '../lifetimes/random';

/** Values that a field may get. Each is chosen by a seed. */

const two = (part: number) => String(part).padStart(2, '0');
const yearText = (year: number) => String(year).padStart(4, '0');

const edgeYears = [
  0, 1, 4, 99, 100, 400, 1582, 1600, 1899, 1900, 1969, 1970, 1999, 2000, 2024, 2025, 2038, 2100, 9998, 9999,
] as const;

function year(random: Random): number {
  return random.chance(0.5) ? random.pick([...edgeYears] as [number, ...number[]]) : random.whole(0, 9999);
}

/** Days that exist, days that do not, the last days of months and leap days. */
function day(random: Random): string {
  const month = random.chance(0.9) ? random.whole(1, 12) : random.pick([0, 13, 99]);
  const ofMonth = random.chance(0.6) ? random.whole(1, 28) : random.pick([0, 29, 30, 31, 32, 99]);
  const leap = random.chance(0.15);
  return `${yearText(year(random))}-${leap ? '02-29' : `${two(month)}-${two(ofMonth)}`}`;
}

function time(random: Random): string {
  const [hours, minutes, seconds] = [random.whole(0, 25), random.whole(0, 60), random.whole(0, 61)];
  const zone = random.pick(['', 'Z', '+00:00', '-12:00', '+14:00', '+25:00', 'z', ' UTC', '[Europe/Paris]']);
  return `${day(random)}${random.pick(['T', ' ', 't'])}${two(hours)}:${two(minutes)}:${two(seconds)}${random.pick(['', '.1', '.123456789'])}${zone}`;
}

const strangeDates = [
  '+010000-01-01',
  '-000001-12-31',
  '10000-01-01',
  '0000-01',
  '9999-12',
  '99999-01',
  '0000',
  '1900-02-29',
  '2000-02-29',
  '2023-W01-1',
  '20240229',
  '29.02.2024',
  '02/29/2024',
  'infinity',
  '-infinity',
  'epoch',
  'now',
  'Invalid Date',
  '253402300799',
  '253402300800',
  '-62135596801',
  '-62167219201',
  '8640000000000000',
  '8640000000000001',
] as const;

export function date(random: Random): string {
  return random.pick([day, day, time, seconds, month, () => random.pick([...strangeDates])])(random);
}

const month = (random: Random) => `${yearText(year(random))}-${two(random.whole(0, 13))}`;

/** Unix seconds of any year. */
const seconds = (random: Random) => String(random.whole(-62_200_000_000, 253_500_000_000));

const numbers = [
  ...['0', '-0', '-1', '1', '1.5', '0.1', '.5', '5.', '1e3', '1e-7', '1e308', '1e309', '-1e309', 'NaN', 'Infinity'],
  ...['2147483647', '2147483648', '-2147483648', '-2147483649', '4294967296', '9007199254740991', '9007199254740993'],
  ...['9223372036854775807', '9223372036854775808', '-9223372036854775809', '1'.repeat(400), '0x10', '0b1', '0o7'],
  ...['1_000', '1,5', ' 1', '1 ', '+1', '--1', '00', '007', '٣', '１', '½', '1٫5', '99999999.99', '0.001', '-0.01'],
] as const;

export const number = (random: Random) => random.pick([...numbers] as [string, ...string[]]);

const texts = [
  ...['', ' ', '\t', '\0', 'a\0b', '\u0001', '\u007f', '\u0085', '\u200b', '\u202eabc', '\ufeff', '\uffff', '\ufffd'],
  ...[
    '\ud800',
    '\udfff',
    'a\ud83d',
    '👩‍👩‍👧',
    'e\u0301'.repeat(200),
    'İıſẞ',
    'ﷺ',
    '𝒜@𝓑.example',
    'ａ＠ｂ．ｃ',
    '中'.repeat(500),
  ],
  ...[
    'x'.repeat(300),
    'x'.repeat(5_000),
    '\n\r\n',
    'a\r\nX-Injected: 1',
    '%',
    '%00',
    '%ff',
    '%zz',
    '%25',
    '\\',
    '\\x',
    '\\u0000',
  ],
  ...[
    "'",
    '"',
    "'; DROP TABLE accounts; --",
    '${7*7}',
    '{{7*7}}',
    '<script>alert(1)</script>',
    '../../etc/passwd',
    '..%2f',
  ],
  ...['null', 'undefined', 'true', 'false', 'on', '[]', '{}', '[1,2]', '{"a":1}', '{"__proto__":1}', '"', '[', '{'],
  ...['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf', '__defineGetter__', 'length'],
  ...[
    'a@b',
    'a@b.example',
    '@',
    'a@',
    'a@b@c.example',
    '"a b"@c.example',
    `${'a'.repeat(64)}@${'b'.repeat(190)}.example`,
  ],
  ...[
    'http://',
    'https://example.org',
    'https://[::1',
    'https://a@b:99999/',
    'javascript:1',
    'ftp://a',
    '//a',
    'data:,',
  ],
  ...[
    'en',
    'ar',
    'xx',
    'EUR',
    'eur',
    'ZZZ',
    'US',
    'us',
    'XX',
    'UTC',
    'Europe/Paris',
    'Mars/Base',
    '127.0.0.1',
    '::1',
    '999.1.1.1',
  ],
  ...[
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    'not-a-uuid',
    'day',
    'month',
    'year',
  ],
  ...['(((((((((((a', '(a+)+$', '[', '*', '?', '.*', '%_%', '$1', '?1', ':a', 'id', '-id', 'id,name', 'asc', 'desc'],
] as const;

export const text = (random: Random) => random.pick([...texts] as [string, ...string[]]);

const isAboutTime =
  /date|day|month|year|from|to$|until|since|before|after|_at$|start|end|cohort|birth|expir|period|deliver|time/i;
const isAboutNumbers =
  /id$|amount|price|limit|page|size|offset|count|quantity|percent|cents|minor|age|uses|number|cvv|fee/i;

/** A value for a field, mostly of the kind that its name suggests. */
export function valueFor(name: string, random: Random): string {
  const kinds = [date, number, text] as const;
  const fitting = isAboutTime.test(name) ? date : isAboutNumbers.test(name) ? number : text;
  return (random.chance(0.6) ? fitting : random.pick([...kinds]))(random);
}

const keys = [
  'a',
  '0',
  '1',
  '-1',
  '150',
  '99999999999',
  '',
  ' ',
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'length',
  'a.b',
  '%00',
  '%ED%A0%80',
  '%5B',
  '%5D',
  '[',
  'a[b',
] as const;

/** `name` with brackets: complete, cut, nested, with names of prototypes. */
export function bracketed(name: string, random: Random): string {
  const whole = Array.from({ length: random.pick([1, 1, 1, 2, 3, 8, 40]) }, () => `[${random.pick([...keys])}]`).join(
    '',
  );
  const forms = [
    `${name}${whole}`,
    `${name}${whole}[]`,
    `${name}[]`,
    `${name}[`,
    `${name}]`,
    `${name}[a`,
    `${name}[[a]]`,
    `${name}[a]b`,
    `[${name}]`,
    `[]${name}`,
    `${name}%5Ba%5D`,
    `__proto__[${name}]`,
    `constructor[prototype][${name}]`,
    `${name}.a`,
  ] as const;
  return random.pick([...forms]);
}

/** JSON of any shape. */
export function json(name: string, random: Random, depth = 0): string {
  if (depth > 2 || random.chance(0.4)) {
    const plain = valueFor(name, random);
    return random.pick([
      JSON.stringify(plain),
      JSON.stringify(plain),
      JSON.stringify(Number(plain)),
      'null',
      'true',
      'false',
      '-0',
      '1e400',
      '1e-400',
      '9007199254740993',
      '"\\ud800"',
      '"\\u0000"',
      '""',
    ]);
  }
  const inside = () => json(name, random, depth + 1);
  const members = Array.from({ length: random.whole(0, 3) }, inside);
  if (random.chance(0.5)) return `[${members.join(',')}]`;
  const names = ['a', name, '__proto__', 'constructor', 'toString', '', 'id', '0'] as const;
  return `{${members.map((member) => `${JSON.stringify(random.pick([...names]))}:${member}`).join(',')}}`;
}
