import qs from 'qs';
import { type z } from 'zod';
import { type Route } from '../../src/kit/routes';
import { type Example, type ExampleRequest } from './examples';

/** One request with one bad field. */
export interface BadRequest {
  what: string;
  field: string;
  /** `refused`: 400 or 422, and nothing stored. `harmless`: the field's rule allows it; whatever it means, no 5xx. */
  expect: 'refused' | 'harmless';
  query?: string;
  body?: string;
  contentType?: string;
}

interface Value {
  what: string;
  /** How a form writes it, for a field named `f`. */
  form?: string;
  json?: unknown;
  /** What no field of ours may hold, whatever its rule. */
  always?: true;
}

const surrogate = '\ud800';
const long = (length: number) => 'x'.repeat(length);

/** JSON is written by hand where an object of JavaScript cannot say it. */
const raw = (text: string) => ({ toJSON: () => JSON.parse(text) as unknown });

const values: readonly Value[] = [
  { what: 'NUL', form: 'f=a%00b', json: 'a\0b', always: true },
  { what: 'a lone surrogate', form: 'f=%ED%A0%80', json: surrogate, always: true },
  { what: 'a lone surrogate deep inside', json: [{ a: surrogate }], always: true },
  { what: 'bytes that are no text', form: 'f=%ff', always: true },
  { what: '__proto__ as a key', form: 'f[__proto__]=1', json: raw('{"__proto__":1}'), always: true },
  { what: 'constructor as a key', form: 'f[constructor][prototype]=1', json: { constructor: 1 }, always: true },
  { what: '__proto__ in a list', form: 'f[0][__proto__]=1', json: [raw('{"__proto__":1}')], always: true },
  {
    what: 'too deep',
    form: 'f[a][b][c][d][e][f][g]=1',
    json: { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } },
    always: true,
  },
  { what: '__proto__ as a value', form: 'f=__proto__' },
  { what: 'nested', form: 'f[a][b]=1', json: { a: { b: 1 } } },
  { what: 'a list', form: 'f[]=1&f[]=2', json: [1, 2] },
  { what: 'a list of objects', form: 'f[0][a]=1', json: [{ a: 1 }] },
  { what: 'repeated', form: 'f=a&f=b' },
  { what: 'a far index', form: 'f[150]=a' },
  { what: 'true', json: true },
  { what: 'an empty list', json: [] },
  { what: 'an empty object', json: {} },
  { what: 'zero', form: 'f=0', json: 0 },
  { what: 'below zero', form: 'f=-1', json: -1 },
  { what: 'a fraction', form: 'f=1.5', json: 1.5 },
  { what: 'past 32 bits', form: 'f=2147483648', json: 2_147_483_648 },
  { what: 'past 53 bits', form: 'f=9007199254740993', json: 9_007_199_254_740_992 },
  { what: 'past all', form: 'f=1e999', json: 1e308 },
  { what: 'no number', form: 'f=NaN' },
  { what: 'a hexadecimal number', form: 'f=0x10' },
  { what: 'blanks', form: 'f=%20%20' },
  { what: 'a text', form: 'f=text' },
  { what: 'the text undefined', form: 'f=undefined' },
  { what: 'SQL', form: `f=%27%3B+DROP+TABLE+accounts%3B+--` },
  { what: 'a pattern', form: 'f=%25_%5C' },
  { what: 'markup', form: 'f=%3Cscript%3Ealert(1)%3C/script%3E' },
  { what: 'lines', form: 'f=a%0D%0AX-Injected:%201' },
  {
    what: 'strange letters',
    form: 'f=%E2%80%AE%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9',
    json: '\u202e\u{1f468}\u200d\u0301',
  },
];

/** Every field of an endpoint's query and body, made bad in every way, in a request that is else sound. */
export function badRequests({ endpoint }: Route, example: Example, sound: ExampleRequest): BadRequest[] {
  const ofQuery = fieldsOf(endpoint.query).flatMap(([name, schema]) =>
    badFields(name, schema, example, { long: 6_000 })
      .filter(({ json }) => json === undefined)
      .map(({ form = '', ...bad }) => ({ ...bad, query: joined(sound.query, name, form), ...bodyOf(sound) })),
  );
  const ofBody = fieldsOf(endpoint.body).flatMap(([name, schema]) =>
    badFields(name, schema, example, { long: 90_000 }).map(({ form, json, ...bad }) => ({
      ...bad,
      ...(sound.query && { query: qs.stringify(sound.query) }),
      ...(json === undefined
        ? { body: joined(sound.body, name, form ?? ''), contentType: formType }
        : { body: withField(sound.body, name, json), contentType: 'application/json' }),
    })),
  );
  return [...ofQuery, ...ofBody];
}

const formType = 'application/x-www-form-urlencoded';

interface BadField extends Pick<BadRequest, 'what' | 'field' | 'expect'> {
  form?: string;
  json?: { value: unknown };
}

function badFields(name: string, schema: z.ZodType, example: Example, size: { long: number }): BadField[] {
  const isRequired = !schema.safeParse(undefined).success;
  const absent = isRequired ? 'refused' : 'harmless';
  const isRoomy = example.roomy?.includes(name) ?? false;
  const ofValues = values.flatMap(({ what, form, json, always }): BadField[] => {
    const expectation = (value: unknown) => (always || !accepts(schema, value) ? 'refused' : 'harmless');
    return [
      ...(form === undefined
        ? []
        : [
            {
              what,
              field: name,
              expect: expectation(always ? '' : qs.parse(form)['f']),
              form: form.replaceAll(/(^|&)f/g, `$1${encodeURIComponent(name)}`),
            },
          ]),
      ...(json === undefined
        ? []
        : [{ what: `${what} (JSON)`, field: name, expect: expectation(json), json: { value: json } }]),
    ] as BadField[];
  });
  return [
    { what: 'missing', field: name, expect: absent, form: '' },
    { what: 'empty', field: name, expect: absent, form: `${encodeURIComponent(name)}=` },
    { what: 'null', field: name, expect: absent, json: { value: null } },
    {
      what: 'too long',
      field: name,
      expect: isRoomy ? 'harmless' : 'refused',
      form: `${encodeURIComponent(name)}=${long(size.long)}`,
    },
    ...ofValues,
  ];
}

function accepts(schema: z.ZodType, value: unknown): boolean {
  if (value === '') return schema.safeParse(undefined).success;
  return schema.safeParse(value).success;
}

function fieldsOf(shape: z.ZodObject | undefined): [string, z.ZodType][] {
  return Object.entries<z.ZodType>(shape?.shape ?? {});
}

function joined(sound: Record<string, unknown> | undefined, name: string, form: string): string {
  return [qs.stringify({ ...sound, [name]: undefined }), form].filter(Boolean).join('&');
}

function withField(sound: Record<string, unknown> | undefined, name: string, { value }: { value: unknown }): string {
  return JSON.stringify({ ...sound, [name]: value });
}

function bodyOf({ body }: ExampleRequest): Pick<BadRequest, 'body' | 'contentType'> {
  return body ? { body: qs.stringify(body), contentType: formType } : {};
}

/** Bodies that are bad as a whole, for an endpoint that reads one. */
export const badBodies: readonly Pick<BadRequest, 'what' | 'body' | 'contentType'>[] = [
  { what: 'a JSON list', body: '[]', contentType: 'application/json' },
  { what: 'a JSON text', body: '"x"', contentType: 'application/json' },
  { what: 'the JSON null', body: 'null', contentType: 'application/json' },
  { what: 'half of a JSON object', body: '{"a":', contentType: 'application/json' },
  { what: '__proto__ as a name', body: '{"__proto__":{"a":1}}', contentType: 'application/json' },
  { what: '__proto__ as a name of a form', body: '__proto__[a]=1', contentType: formType },
  { what: 'a form with a broken escape', body: 'a=%zz', contentType: formType },
  { what: 'more than 100 kB', body: `a=${long(102_401)}`, contentType: formType },
  { what: 'more than 1,000 parameters', body: 'a=1&'.repeat(1_001), contentType: formType },
  { what: 'XML', body: '<a/>', contentType: 'application/xml' },
  { what: 'an index past 200', body: 'a[100000]=1', contentType: formType },
  { what: 'text', body: 'a=1', contentType: 'text/plain' },
  { what: 'multipart without a boundary', body: 'a', contentType: 'multipart/form-data' },
];

/** What no path of ours means, as it is written in a URL. */
export const badSegments = [
  '0',
  '-1',
  '1.5',
  '2147483648',
  '99999999999999999999',
  '1e3',
  'x',
  '%20',
  'undefined',
  '__proto__',
  'constructor',
  '%00',
  'a%00b',
  '%ED%A0%80',
  '%ff',
  '%2F..%2F',
  '%27%20OR%201=1--',
  '%3Cscript%3E',
  '%F0%9F%91%A8',
  long(6_000),
];
