import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { numberedBy } from './body';

/** Form values are text, and these schemas convert them. JSON values of the right type pass unchanged. */

const integerText = /^[+-]?\d{1,15}$/;
const decimalText = /^[+-]?\d{1,15}(\.\d{1,10})?$/;
const trueTexts = ['true', '1', 'on', 'yes'];
const falseTexts = ['false', '0', 'off', 'no'];

export const formInt = () =>
  z.preprocess((value) => (typeof value === 'string' && integerText.test(value) ? Number(value) : value), z.int());

/** The id of a row. Ids have 32 bits, because existing clients decode them as such. */
export const formId = () => formInt().pipe(z.int().min(1).max(2_147_483_647));

/** The days of an extension by a merchant are at most a year. */
export const extensionDaysMax = 365;
const extensionRange = `must be between 1 and ${extensionDaysMax}`;
export const formExtensionDays = () =>
  formInt().pipe(z.int().min(1, extensionRange).max(extensionDaysMax, extensionRange));

/** A field that our responses write as 0 if it is absent. A 0 in a request therefore also means absent. */
export const formZeroless = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === 0 || value === '0' ? undefined : value), schema.optional()).optional();

/** The id in a text, such as a part of a search term; undefined if the text cannot be an id. */
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

/** Text with content: trimmed and within the bounds. Numbers in JSON bodies become text. */
export const formText = (bounds: { min?: number; max?: number } = {}) =>
  z.preprocess(
    (value) => (typeof value === 'number' ? String(value) : value),
    z
      .string()
      .trim()
      .min(bounds.min ?? 1)
      .max(bounds.max ?? 1000),
  );

// JavaScript accepts years that PostgreSQL refuses. Milliseconds that are sent as seconds result in such years.
const earliestDate = new Date('1900-01-01T00:00:00Z');
const latestDate = new Date('9999-12-31T23:59:59Z');

/** A time, sent as Unix seconds or ISO 8601. */
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

/** A time in the past, such as a birthday. */
export const formPastDate = () => formDate().refine((date) => date <= new Date(), 'must be in the past');

function readDate(value: unknown): unknown {
  if (typeof value === 'number') return new Date(value * 1000);
  if (typeof value !== 'string') return value;
  if (integerText.test(value)) return new Date(Number(value) * 1000);
  if (!isCalendarDay(value)) return value;
  return new Date(zoneless.test(value) ? `${value.replace(' ', 'T')}Z` : value);
}

/** Whether a text starts with an existing date. The check is needed because JavaScript reads 30 February as 2 March. */
function isCalendarDay(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})/.exec(text) ?? [];
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** A time without a zone is in UTC, on every server. */
const zoneless = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;

/** A list: `a[]=1`, `a[0]=1`, `a=1` and a JSON array are equal. */
export const formList = <T extends z.ZodType>(element: T, max = 200) =>
  z.preprocess((value) => (value === undefined || Array.isArray(value) ? value : [value]), z.array(element).max(max));

/** An object in a body or query. An empty member counts as absent, as a field does. */
export const formObject = <T extends z.ZodType>(schema: T) => z.preprocess(withoutEmpty, schema);

function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== '' && member !== null));
}

/** Required fields that another field can replace. */
export const replacements = z.registry<{ by: string }>();

/** A field that is required unless the field `by` is sent. */
export const formUnless = <T extends z.ZodType>(by: string, field: T): z.ZodOptional<T> => {
  const replaceable = field.optional();
  replacements.add(replaceable, { by });
  return replaceable;
};

/** Fields of a body that some clients send under another name. */
export const aliases = z.registry<{ alias: string }>();

/** A field that counts as sent when its alias is. If both are sent, the alias is ignored. */
export const formAlias = <T extends z.ZodType>(alias: string, field: T): T => {
  const described: T = field.meta({ description: `Also read under the name ${alias}.` });
  aliases.add(described, { alias });
  return described;
};

/** Bodies whose errors have the message `Invalid input` and nothing more. */
export const plainErrors = z.registry<object>();

/** A body for which the interface fixes the message of its errors. */
export const formPlainErrors = <T extends z.ZodObject>(schema: T): T => {
  plainErrors.add(schema, {});
  return schema;
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
  /** The pattern of a name, and its description in words. */
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
  // A forbidden field name is also refused as the name of a metadata entry.
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
      // zod ignores `__proto__`, so it becomes an empty name here, which is refused.
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

/** Control characters, zero-width characters and changes of direction make two addresses look like one. */
const visibleText = /^[^\p{C}\p{Default_Ignorable_Code_Point}]*$/u;

/**
 * An e-mail address as typed, trimmed and in NFC. Existing clients compare the text of its error, which can end with
 * `knownText`.
 */
export const formEmail = (knownText?: string) => {
  const error = 'is not in a valid format: please enter a valid e-mail address';
  return z
    .string()
    .transform((text) => text.trim().normalize('NFC').replace(/\.$/, ''))
    .pipe(
      z
        .string()
        .max(254)
        .regex(visibleText, 'has invisible characters: please enter a valid e-mail address')
        .regex(emailPattern, knownText === undefined ? error : `${error} (${knownText})`),
    );
};

/**
 * The normal form of an address: equal for all spellings of the address, and unique. Full-width letters and letters
 * that differ only in case count as the same: the dotless ı is an I in upper case.
 */
export function normalizeEmail(email: string): string {
  const [local = '', domain = ''] = email.trim().normalize('NFKC').split('@');
  const folded = local.toUpperCase().toLowerCase().normalize('NFKC');
  const host = domain.toLowerCase().replace(/\.$/, '');
  return `${folded}@${domainToASCII(host) || host}`;
}
