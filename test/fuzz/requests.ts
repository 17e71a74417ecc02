import qs from 'qs';
import { type ExampleRequest } from '../support/examples';
import { type Random } from '../lifetimes/random';
import { bracketed, json, text, valueFor } from './values';

/** What is sent to one address of the service. */
export interface Target {
  name: string;
  method: string;
  path: string;
  /** The names of the declared fields. */
  query: readonly string[];
  body: readonly string[];
}

export interface FuzzRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

const formType = 'application/x-www-form-urlencoded';
const types = [
  ...[formType, 'application/json', 'application/json; charset=utf-16', 'text/plain', 'multipart/form-data'],
  ...[
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/xml',
    'x',
    '',
    'application/json;;',
    'text/html',
  ],
] as const;

/** A request to the target: the valid one, with some faults. Some requests stay valid. */
export function makeRequest(target: Target, sound: ExampleRequest, random: Random): FuzzRequest {
  const path = pathOf(target, sound, random);
  const query = fieldsOf(sound.query ?? {}, target.query, random);
  const address = query === '' ? path : `${path}?${query}`;
  const takesBody = !['GET', 'HEAD', 'DELETE'].includes(target.method) || target.body.length > 0 || random.chance(0.02);
  const { body, type } = takesBody ? bodyOf(target, sound, random) : {};
  const headers = { ...sound.headers, ...(type !== undefined && { 'content-type': type }), ...strangeHeaders(random) };
  const method = target.method === 'GET' && random.chance(0.02) ? 'HEAD' : target.method;
  return { method, path: writable(address), headers: clean(headers), body };
}

function pathOf({ path }: Target, { params = {} }: ExampleRequest, random: Random): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const given = params[name];
    if (given !== undefined && random.chance(0.85)) return encodeURIComponent(given);
    const strange = random.chance(0.2)
      ? random.pick(['%00', '%ff', '%', '%zz', '%2e%2e', '%ED%A0%80', '%2f', ';a', '..'])
      : undefined;
    return strange ?? encode(valueFor(name, random) || '0');
  });
}

/** The fields of a form: as in the example, with other values, in brackets, absent or added. */
function fieldsOf(sound: Record<string, unknown>, declared: readonly string[], random: Random): string {
  const kept = Object.fromEntries(Object.entries(sound).filter(() => random.chance(0.95)));
  const faults: string[] = [];
  for (let count = random.pick([0, 1, 1, 1, 2, 3, 6]); count > 0; count -= 1) {
    const name = nameOf(declared, random);
    if (random.chance(0.8)) Reflect.deleteProperty(kept, name);
    faults.push(
      `${random.chance(0.3) ? bracketed(encode(name), random) : encode(name)}=${encode(valueFor(name, random))}`,
    );
  }
  if (random.chance(0.03))
    faults.push(
      random.pick(
        ['=', '&&&', '=1', 'a', '%', '%=%', '[]=', '[', ']=1', 'a=b=c', '\u00e9=1'].map(encodeURI) as [
          string,
          ...string[],
        ],
      ),
    );
  return [qs.stringify(kept), ...faults].filter(Boolean).join('&');
}

function nameOf(declared: readonly string[], random: Random): string {
  const [first, ...others] = declared;
  return first !== undefined && random.chance(0.93)
    ? random.pick([first, ...others])
    : random.pick(['x', '__proto__', 'constructor', 'page', 'id', 'a.b', '']);
}

function bodyOf({ body }: Target, sound: ExampleRequest, random: Random): { body: string; type: string } {
  if (sound.raw !== undefined && random.chance(0.5))
    return { body: cut(sound.raw.toString('latin1'), random), type: 'application/json' };
  const isJson = random.chance(0.4);
  const sent = isJson ? jsonOf(sound.body ?? {}, body, random) : fieldsOf(sound.body ?? {}, body, random);
  const type = random.chance(0.06)
    ? random.pick([...types] as [string, ...string[]])
    : isJson
      ? 'application/json'
      : formType;
  return { body: random.chance(0.04) ? cut(sent, random) : sent, type };
}

function jsonOf(sound: Record<string, unknown>, declared: readonly string[], random: Random): string {
  if (random.chance(0.03)) return json('x', random);
  const parts = Object.entries(sound)
    .filter(() => random.chance(0.95))
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  for (let count = random.pick([0, 1, 1, 2, 4]); count > 0; count -= 1) {
    const name = nameOf(declared, random);
    parts.push(`${JSON.stringify(name)}:${json(name, random)}`);
  }
  return `{${parts.join(',')}}`;
}

const cut = (whole: string, random: Random) => whole.slice(0, random.whole(0, whole.length));

/** A lone surrogate has no UTF-8 form, so its bytes are written as other programs write them. */
function encode(value: string): string {
  return [...value]
    .map((letter) => (/[\ud800-\udfff]/.test(letter) && letter.length === 1 ? '%ED%A0%80' : encodeURIComponent(letter)))
    .join('');
}

const strange: readonly [string, ...string[]] = [
  'idempotency-key',
  'if-none-match',
  'range',
  'accept-language',
  'accept',
  'content-encoding',
  'origin',
  'referer',
  'cookie',
  'x-forwarded-for',
  'x-forwarded-host',
  'authorization',
  'if-modified-since',
  'x-http-method-override',
  'sec-fetch-dest',
];

function strangeHeaders(random: Random): Record<string, string> {
  if (!random.chance(0.12)) return {};
  const name = random.pick(strange);
  const usual = {
    'content-encoding': ['gzip', 'br', 'identity', 'x'],
    range: ['bytes=0-0', 'bytes=-1'],
    accept: ['text/html', '*/*;q=9'],
  };
  const values = usual[name as keyof typeof usual] ?? [text(random), valueFor(name, random)];
  return { [name]: random.pick(values as [string, ...string[]]) };
}

/** Node.js sends no other letters in an address. */
const writable = (address: string) =>
  address.replaceAll(/[^\x21-\x7e]/g, (letter) =>
    /[\ud800-\udfff]/.test(letter) ? '%ED%A0%80' : encodeURIComponent(letter),
  );

/** Only what HTTP allows in a header: other letters never reach a server. */
const clean = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').trim()]),
  );
