import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { numberedBy } from './body';

/** Form values are text: these schemas turn them into what they mean. JSON values of the right type pass as they are. */

const integerText = /^[+-]?\d{1,15}$/;
const decimalText = /^[+-]?\d{1,15}(\.\d{1,10})?$/;
const trueTexts = ['true', '1', 'on', 'yes'];
const falseTexts = ['false', '0', 'off', 'no'];

export const formInt = () =>
  z.preprocess((value) => (typeof value === 'string' && integerText.test(value) ? Number(value) : value), z.int());

/** An id of one of our rows: a 32-bit identity column, which old clients decode as such (wire 0.12). */
export const formId = () => formInt().pipe(z.int().min(1).max(2_147_483_647));

/** A field whose absence our own answers write as 0: sent so, it is absent. */
export const formZeroless = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === 0 || value === '0' ? undefined : value), schema.optional()).optional();

/** The id that a text is, as within a search term; undefined where it can be none. */
export const readId = (text: string): number | undefined => formId().safeParse(text).data;

export const formNumber = () =>
  z.preprocess((value) => (typeof value === 'string' && decimalText.test(value) ? Number(value) : value), z.number());

export const formBool = () =>
  z.preprocess((value) => {
    const text = typeof value === 'number' || typeof value === 'string' ? String(value).toLowerCase() : value;
    if (typeof text === 'string' && trueTexts.includes(text)) return true;
    if (typeof text === 'string' && falseTexts.includes(text)) return false;
    return value;
  }, z.boolean());

/** Text that counts for something: trimmed, within the bounds. Numbers of JSON bodies become text. */
export const formText = (bounds: { min?: number; max?: number } = {}) =>
  z.preprocess(
    (value) => (typeof value === 'number' ? String(value) : value),
    z
      .string()
      .trim()
      .min(bounds.min ?? 1)
      .max(bounds.max ?? 1000),
  );

// JavaScript knows years that PostgreSQL does not, and milliseconds sent as seconds are such.
const earliestDate = new Date('1900-01-01T00:00:00Z');
const latestDate = new Date('9999-12-31T23:59:59Z');

/** Unix seconds or ISO 8601, as an instant (decisions 1). */
export const formDate = () =>
  z
    .preprocess(
      readDate,
      z
        .date('must be Unix seconds or an ISO 8601 date')
        .min(earliestDate, 'must be in 1900 or later')
        .max(latestDate, 'must be in 9999 or earlier'),
    )
    .meta({ type: ['integer', 'string'], description: 'Unix seconds or ISO 8601, in UTC without a zone' });

/** A day that has come: somebody's birthday. */
export const formPastDate = () => formDate().refine((date) => date <= new Date(), 'must be in the past');

function readDate(value: unknown): unknown {
  if (typeof value === 'number') return new Date(value * 1000);
  if (typeof value !== 'string') return value;
  if (integerText.test(value)) return new Date(Number(value) * 1000);
  if (!/^\d{4}-\d{2}-\d{2}/.test(value)) return value;
  return new Date(zoneless.test(value) ? `${value.replace(' ', 'T')}Z` : value);
}

/** A time without its zone is in UTC, wherever the server runs. */
const zoneless = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;

/** `a[]=1`, `a[0]=1`, `a=1` and a JSON array all mean a list (decisions 1). */
export const formList = <T extends z.ZodType>(element: T, max = 200) =>
  z.preprocess((value) => (value === undefined || Array.isArray(value) ? value : [value]), z.array(element).max(max));

/** An object within a body or query: a member that is sent empty counts as absent, as fields do (decisions 1). */
export const formObject = <T extends z.ZodType>(schema: T) => z.preprocess(withoutEmpty, schema);

function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== '' && member !== null));
}

/** Fields of a body that some clients send under another name. */
export const aliases = z.registry<{ alias: string }>();

/** A field that counts as sent when its alias is; where both are, the alias is passed over. */
export const formAlias = <T extends z.ZodType>(alias: string, field: T): T => {
  const described: T = field.meta({ description: `Also read under the name ${alias}.` });
  aliases.add(described, { alias });
  return described;
};

/** `flags[1]=true&flags[2]=false`: a map of numbers to booleans. */
export const formFlags = (bounds: { keyMax: number }) =>
  z.preprocess(
    readNumbered,
    z
      .record(z.string(), formBool())
      .refine(
        (map) => Object.keys(map).every((key) => /^[1-9]\d{0,8}$/.test(key) && Number(key) <= bounds.keyMax),
        `must have keys from 1 to ${bounds.keyMax}`,
      ),
  );

function readNumbered(value: unknown): unknown {
  const keys = Array.isArray(value) ? numberedBy(value) : undefined;
  if (!keys || !Array.isArray(value)) return value;
  return Object.fromEntries(keys.map((key, index) => [key, value[index] as unknown]));
}

export interface MetadataBounds {
  /** What a name looks like: a pattern, and the rule in words. */
  name: string;
  nameRule: string;
  value: z.ZodString;
  namesMax: number;
}

const narrowBounds: MetadataBounds = {
  name: String.raw`[\w.-]{1,64}`,
  nameRule: 'must be letters, digits, dots or dashes',
  value: z.string().max(2000),
  namesMax: 50,
};

/** `metadata[k]=v`, or a list of `{name, value}`: always an object of texts. */
export const formMetadata = ({ name, nameRule, value, namesMax }: MetadataBounds = narrowBounds) => {
  // The names that are forbidden as field names may not come in as values either.
  const pattern = new RegExp(`^(?!(?:__proto__|constructor|prototype)$)${name}$`, 'u');
  const map = z.record(z.string().regex(pattern, nameRule), value);
  return z.preprocess(
    readMetadata,
    map.refine((read) => Object.keys(read).length <= namesMax, `must have at most ${namesMax} keys`),
  );
};

function readMetadata(value: unknown): unknown {
  if (Array.isArray(value)) {
    const pairs = value.map((entry: unknown) => {
      const { name, value: text } = (entry ?? {}) as { name?: unknown; value?: unknown };
      // zod passes over `__proto__` unseen: as no name at all it is refused like one.
      return [typeof name === 'string' && name !== '__proto__' ? name : '', asText(text)];
    });
    return Object.fromEntries(pairs) as unknown;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, asText(text)]));
}

function asText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

const emailPattern = /^[^\s@<>()[\],;:"\\]{1,64}@[^\s@<>()[\],;:"\\]+\.[^\s@<>()[\],;:"\\]{2,}$/u;

/** An e-mail address as typed, trimmed and in NFC. Clients look for these words in the refusal (wire D.6). */
export const formEmail = () =>
  z
    .string()
    .transform((text) => text.trim().normalize('NFC'))
    .pipe(z.string().max(254).regex(emailPattern, 'is not in a valid format: please enter a valid e-mail address'));

/** What two spellings of one address have in common: the form that is compared and is unique. */
export function normalizeEmail(email: string): string {
  const [local = '', domain = ''] = email.trim().normalize('NFC').toLowerCase().split('@');
  return `${local}@${domainToASCII(domain) || domain}`;
}
