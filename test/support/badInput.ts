import qs from 'qs';
import { type z } from 'zod';
import { parseForm } from '../../src/kit/body';
import { AppError } from '../../src/kit/errors';
import { type Route } from '../../src/kit/routes';
import { type Example, type ExampleRequest } from './examples';
import { size } from './size';

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
  /** Values that no field accepts, whatever its rule. */
  always?: true;
  /** Values that no field for one text, number or date accepts. */
  structured?: true;
  /** Tried only for fields of numbers or free text. Other fields treat it like any other text. */
  among?: 'numbers' | 'texts';
  /** Also tried in the members of a list and in the fields of an object. */
  inParts?: true;
}

const surrogate = '\ud800';
const long = (length: number) => 'x'.repeat(length);

/** JSON that a JavaScript object cannot express is written by hand. */
const raw = (text: string) => ({ toJSON: () => JSON.parse(text) as unknown });

const values: readonly Value[] = [
  { what: 'empty', form: 'f=', inParts: true },
  { what: 'null', json: null, inParts: true },
  { what: 'NUL', form: 'f=a%00b', json: 'a\0b', always: true, inParts: true },
  { what: 'a lone surrogate', form: 'f=%ED%A0%80', json: surrogate, always: true, inParts: true },
  { what: 'a lone surrogate deep inside', json: [{ a: surrogate }], always: true },
  { what: 'NUL in a name', form: 'f[a%00b]=1', json: { 'a\0b': 1 }, always: true },
  { what: 'a lone surrogate in a name', form: 'f[%ED%A0%80]=1', json: { [surrogate]: 1 }, always: true },
  { what: 'bytes that are no text', form: 'f=%ff', always: true, inParts: true },
  { what: '__proto__ as a key', form: 'f[__proto__]=1', json: raw('{"__proto__":1}'), always: true, inParts: true },
  { what: 'constructor as a key', form: 'f[constructor][prototype]=1', json: { constructor: 1 }, always: true },
  { what: '__proto__ in a list', form: 'f[0][__proto__]=1', json: [raw('{"__proto__":1}')], always: true },
  {
    what: 'too deep',
    form: 'f[a][b][c][d][e][f][g]=1',
    json: { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } },
    always: true,
    inParts: true,
  },
  { what: '__proto__ as a value', form: 'f=__proto__', inParts: true },
  { what: 'nested', form: 'f[a][b]=1', json: { a: { b: 1 } }, structured: true, inParts: true },
  { what: 'a list', form: 'f[]=1&f[]=2', json: [1, 2], structured: true, inParts: true },
  { what: 'a list of objects', form: 'f[0][a]=1', json: [{ a: 1 }], structured: true },
  { what: 'repeated', form: 'f=a&f=b', structured: true, inParts: true },
  { what: 'a far index', form: 'f[150]=a', structured: true },
  { what: 'true', json: true, inParts: true },
  { what: 'an empty list', json: [], structured: true },
  { what: 'an empty object', json: {}, structured: true, inParts: true },
  { what: 'zero', form: 'f=0', json: 0, among: 'numbers' },
  { what: 'below zero', form: 'f=-1', json: -1, inParts: true },
  { what: 'a fraction', form: 'f=1.5', json: 1.5, among: 'numbers' },
  { what: 'past 32 bits', form: 'f=2147483648', json: 2_147_483_648, inParts: true },
  { what: 'past 53 bits', form: 'f=9007199254740993', json: 9_007_199_254_740_992, among: 'numbers' },
  { what: 'past all', form: 'f=1e999', json: 1e308, among: 'numbers' },
  { what: 'no number', form: 'f=NaN', among: 'numbers' },
  { what: 'a hexadecimal number', form: 'f=0x10', among: 'numbers' },
  { what: 'blanks', form: 'f=%20%20', inParts: true },
  { what: 'a text', form: 'f=text', inParts: true },
  { what: 'the text undefined', form: 'f=undefined' },
  { what: 'SQL', form: `f=%27%3B+DROP+TABLE+accounts%3B+--` },
  { what: 'a pattern', form: 'f=%25_%5C', among: 'texts' },
  { what: 'markup', form: 'f=%3Cscript%3Ealert(1)%3C/script%3E', among: 'texts' },
  { what: 'lines', form: 'f=a%0D%0AX-Injected:%201', among: 'texts' },
  {
    what: 'strange letters',
    form: 'f=%E2%80%AE%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9',
    json: '\u202e\u{1f468}\u200d\u0301',
    among: 'texts',
  },
];

type Fields = Record<string, unknown>;
/** A field, or what is inside: `['cities', '0', 'name']`. */
type Place = readonly [string, ...string[]];

/** A usual run tries each field with a sixth of the values, and the next field with another sixth. */
function valuesOf(fieldNo: number): readonly Value[] {
  const step = size({ usual: 6, full: 1 });
  return values.filter((_value, index) => index % step === fieldNo % step);
}

/** A third of a list in a usual run. The names of endpoints choose which one. */
export function shareOf<T>(list: readonly T[], name: string): readonly T[] {
  const step = size({ usual: 3, full: 1 });
  const first = [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return list.filter((_entry, index) => index % step === first % step);
}

/**
 * Every field of an endpoint's query and body, and every part of lists and objects, with every bad value,
 * in a request that is otherwise valid.
 */
export function badRequests({ endpoint }: Route, example: Example, sound: ExampleRequest): BadRequest[] {
  // The first fields of two endpoints begin with different sixths.
  const firstNo = endpoint.path.length;
  const ofQuery = placesOf(endpoint.query).flatMap((place, index) =>
    badFields(place, endpoint.query, example, {
      sound: sound.query,
      longest: 6_000,
      tried: valuesOf(firstNo + index),
    })
      .filter(({ json }) => json === undefined)
      .map(({ form = '', ...bad }) => ({ ...bad, query: form, ...bodyOf(sound) })),
  );
  const ofBody = placesOf(endpoint.body).flatMap((place, index) =>
    badFields(place, endpoint.body, example, {
      sound: sound.body,
      longest: 90_000,
      tried: valuesOf(firstNo + index),
    }).map(({ form, json, ...bad }) => ({
      ...bad,
      ...(sound.query && { query: qs.stringify(sound.query) }),
      ...(json === undefined
        ? { body: form ?? '', contentType: formType }
        : { body: json, contentType: 'application/json' }),
    })),
  );
  return [...ofQuery, ...ofBody];
}

const formType = 'application/x-www-form-urlencoded';

/** A whole query or body, as a form or as JSON. */
interface BadField extends Pick<BadRequest, 'what' | 'field' | 'expect'> {
  form?: string;
  json?: string;
}

interface Around {
  sound: Fields | undefined;
  longest: number;
  tried: readonly Value[];
}

function badFields(
  place: Place,
  shape: z.ZodObject | undefined,
  example: Example,
  { sound, longest, tried }: Around,
): BadField[] {
  const [field] = place;
  const schema = shape?.shape[field] as z.ZodType;
  const isPart = place.length > 1;
  const isRoomy = example.roomy?.includes(field) ?? false;
  const kind = schema.safeParse('text').success ? 'texts' : 'numbers';
  const isScalar = !isPart && !isRoomy && holdsOneValue(schema);
  const form = (text: string) => joined(without(sound, place), text.replaceAll(/(^|&)f/g, `$1${nameOf(place)}`));
  const expectation = ({ always, structured }: Pick<Value, 'always' | 'structured'>, sent: () => unknown) =>
    always || (structured && isScalar) || !accepts(schema, sent) ? 'refused' : 'harmless';
  const inForm = (value: Value & { form: string }): BadField => {
    const text = form(value.form);
    const expect = expectation(value, () => parseForm(text)[field]);
    return { what: `${place.join('.')} ${value.what}`, field, expect, form: text };
  };
  const inJson = (value: Value): BadField => {
    const fields = placed(sound, place, value.json);
    const expect = expectation(value, () => (JSON.parse(JSON.stringify(fields)) as Fields)[field]);
    return { what: `${place.join('.')} ${value.what} (JSON)`, field, expect, json: JSON.stringify(fields) };
  };
  const tooLong = inForm({ what: 'too long', form: `f=${long(longest)}` });
  return [
    inForm({ what: 'missing', form: '' }),
    { ...tooLong, expect: isRoomy ? 'harmless' : 'refused' },
    ...tried
      .filter(({ inParts, among = kind }) => (isPart ? inParts : among === kind))
      .flatMap((value) => [
        ...(value.form === undefined ? [] : [inForm({ ...value, form: value.form })]),
        ...(value.json === undefined ? [] : [inJson(value)]),
      ]),
  ];
}

/** As the kit reads a field: empty or null means absent, and an unreadable value is refused. */
function accepts(schema: z.ZodType, read: () => unknown): boolean {
  try {
    const value = read();
    return schema.safeParse(value === '' || value === null ? undefined : value).success;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** The fields of a query or a body, and what they hold inside: of a list the first member, of a map one entry. */
function placesOf(shape: z.ZodObject | undefined): Place[] {
  return Object.entries<z.ZodType>(shape?.shape ?? {}).flatMap(([name, schema]) => [
    [name] as const,
    ...partsOf(schema).map((part) => [name, ...part] as const),
  ]);
}

type Parts = readonly (readonly string[])[];

function partsOf(schema: z.core.$ZodType): Parts {
  const inside = (key: string, part: z.core.$ZodType): Parts => [[key], ...partsOf(part).map((rest) => [key, ...rest])];
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'array') return inside('0', def.element);
  if (def.type === 'object') return Object.entries(def.shape).flatMap(([key, part]) => inside(key, part));
  if (def.type === 'record') return inside('7', def.valueType);
  if (def.type === 'union') return def.options.flatMap(partsOf);
  if (def.type === 'pipe') return [...partsOf(def.in), ...partsOf(def.out)];
  return 'innerType' in def ? partsOf(def.innerType) : [];
}

/** Whether neither a list nor an object is among what a field may be. */
function holdsOneValue(schema: z.ZodType): boolean {
  return partsOf(schema).length === 0 && !schema.safeParse({}).success;
}

function nameOf([field, ...parts]: Place): string {
  return encodeURIComponent(field) + parts.map((part) => `[${encodeURIComponent(part)}]`).join('');
}

function joined(sound: Fields, form: string): string {
  return [qs.stringify(sound), form].filter(Boolean).join('&');
}

/** The fields without what is at a place, whose neighbours stay. */
function without(sound: Fields | undefined, place: Place): Fields {
  return placed(sound, place, undefined);
}

/** The fields with a value at a place; lists and objects on the way are made where there are none. */
function placed(sound: unknown, [key, ...rest]: readonly string[], value: unknown): Fields {
  if (key === undefined) throw new Error('no place');
  const holder = typeof sound === 'object' && sound !== null ? sound : {};
  const changed = {
    ...(holder as Fields),
    [key]: rest.length === 0 ? value : placed((holder as Fields)[key], rest, value),
  };
  const isList =
    Array.isArray(sound) || (sound === undefined && key === '0') || (typeof sound !== 'object' && key === '0');
  // A list stays a list: `qs` leaves out undefined members, and JSON closes the gap.
  return isList ? (Object.values(changed) as unknown as Fields) : changed;
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

/** Path segments that no endpoint understands, as written in a URL. */
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
