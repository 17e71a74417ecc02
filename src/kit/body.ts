import { type IncomingMessage } from 'node:http';
import busboy from '@fastify/busboy';
import qs from 'qs';
import { AppError } from './errors';

const bodyBytesMax = 100 * 1024;
const parametersMax = 1000;
const depthMax = 5;
const arrayIndexMax = 200;
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

export interface ParsedBody {
  /** The unparsed body. Requests with the same idempotency key are compared by it. */
  raw: Buffer;
  fields: Record<string, unknown>;
}

/** The fields of a request without a body or a query. The object is shared and must not be changed. */
export const noFields: Record<string, unknown> = Object.freeze({});
export const noBody: ParsedBody = Object.freeze({ raw: Buffer.alloc(0), fields: noFields });

/** Reads a form, JSON or multipart body into one shape. Every other type is refused with 415. */
export async function readBody(request: IncomingMessage): Promise<ParsedBody> {
  const raw = await readBytes(request, bodyBytesMax);
  if (raw.length === 0) return noBody;
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return { raw, fields: parseJson(raw) };
  if (type === 'application/x-www-form-urlencoded') return { raw, fields: parseForm(textOf(raw)) };
  if (type === 'multipart/form-data') return { raw, fields: parseForm(await multipartAsForm(request, raw)) };
  throw new AppError('unsupported_media_type');
}

/** The query string, by the same rules and limits as a form body. */
export function parseQuery(url: string): Record<string, unknown> {
  const start = url.indexOf('?');
  return start === -1 ? noFields : parseForm(url.slice(start + 1));
}

/** Reads a body without parsing it. */
export async function readRawBody(request: IncomingMessage, bytesMax: number): Promise<ParsedBody> {
  return { raw: await readBytes(request, bytesMax), fields: {} };
}

async function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  if (request.method === 'GET' || request.method === 'HEAD') return noBody.raw;
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw new AppError('body_too_large');
  const chunks: Buffer[] = [];
  let bytes = 0;
  // A refused request stays open, so that its response can be sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new AppError('body_too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function parseForm(text: string): Record<string, unknown> {
  if (text === '') return {};
  refuseForbiddenNames(text);
  const fields = asMalformed(() =>
    qs.parse(text, {
      depth: depthMax,
      strictDepth: true,
      parameterLimit: parametersMax,
      arrayLimit: arrayIndexMax,
      throwOnLimitExceeded: true,
      plainObjects: true,
      allowSparse: true,
      decoder: decode,
    }),
  );
  refuseUnstorable(fields, 0);
  return closeGaps(fields) as Record<string, unknown>;
}

const numbers = new WeakMap<object, string[]>();

/**
 * The numbers that a form used for the members of a list. `methods[2]=true` is the first member of a list, or the key
 * `2` of a map.
 */
export function numberedBy(list: readonly unknown[]): string[] | undefined {
  return numbers.get(list);
}

/** Removes the gaps from a list whose numbers in the form were not consecutive. */
function closeGaps(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const [key, member] of Object.entries(value)) (value as Record<string, unknown>)[key] = closeGaps(member);
  if (!Array.isArray(value)) return value;
  const list = Object.values(value) as unknown[];
  numbers.set(list, Object.keys(value));
  return list;
}

/** Some clients send a form's text as plain UTF-8 and escape only the characters that the syntax requires. */
function textOf(raw: Buffer): string {
  return asMalformed(() => new TextDecoder('utf-8', { fatal: true }).decode(raw));
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/** `qs` drops `__proto__` silently. Here it is an error, so that a request is not stored in part. */
function refuseForbiddenNames(text: string): void {
  for (const pair of text.split('&')) {
    const name = asMalformed(() => decode(pair.split('=', 1)[0] ?? ''));
    const parts = name.split(/[[\].]+/);
    if (parts.some((part) => forbiddenKeys.has(part))) throw malformed('A field name is not allowed.');
  }
}

function parseJson(raw: Buffer): Record<string, unknown> {
  const text = textOf(raw);
  const value = asMalformed(() => JSON.parse(text) as unknown);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('The body is not an object.');
  refuseUnstorable(value, 0);
  return value as Record<string, unknown>;
}

/**
 * The rules of schemas compare the `length` of a value with a number, even if the value is an object. An object that
 * JavaScript cannot convert to a number, such as one without a prototype, would make the comparison throw.
 */
function isIncomparable(key: string, member: unknown): boolean {
  if (key !== 'length' || typeof member !== 'object' || member === null) return false;
  try {
    Number(member);
    return false;
  } catch {
    return true;
  }
}

/** Refuses NUL and lone surrogates, which PostgreSQL cannot store, and objects that are nested too deeply. */
function refuseUnstorable(value: unknown, depth: number): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) throw malformed('The text holds a forbidden character.');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > depthMax) throw malformed('The fields nest too deep.');
  const entries = Object.entries(value);
  if (entries.length > parametersMax) throw new AppError('body_too_large');
  for (const [key, member] of entries) {
    if (forbiddenKeys.has(key) || isIncomparable(key, member)) throw malformed('A field name is not allowed.');
    refuseUnstorable(key, depth);
    refuseUnstorable(member, depth + 1);
  }
}

/** Multipart fields are converted to form text, so that one parser and one set of limits serves both. */
function multipartAsForm(request: IncomingMessage, raw: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const pairs: string[] = [];
    const fail = () => reject(malformed('The multipart body is unreadable.'));
    try {
      const parser = busboy({
        headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
        limits: { fields: parametersMax, files: 0, fieldSize: bodyBytesMax },
      });
      parser.on('field', (name: string, value: string) => {
        pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
      });
      parser.on('filesLimit', () => reject(malformed('Files are not accepted.')));
      parser.on('fieldsLimit', () => reject(new AppError('body_too_large')));
      parser.on('error', fail);
      parser.on('finish', () => resolve(pairs.join('&')));
      parser.end(raw);
    } catch {
      fail();
    }
  });
}

function asMalformed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError && /limit/i.test(error.message)) throw new AppError('body_too_large');
    throw malformed('The body cannot be read.');
  }
}

function malformed(explain: string): AppError {
  return new AppError('malformed_request', { explain });
}
