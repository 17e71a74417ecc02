import { type z } from 'zod';
import { AppError } from './errors';
import { aliases, plainErrors, replacements } from './form';

type Fields = Record<string, unknown>;

/**
 * Checks fields against a schema. If required fields are absent, the error is 400, names all of them, and nothing else is
 * checked. A present field that breaks its rule is 422. An empty field counts as absent, and a field under its alias counts
 * as present. Fields that the schema does not name are left out, unless the schema has a `catchall`.
 */
export function validate<S extends z.ZodObject>(schema: S, sent: Fields): z.output<S> {
  const { names, required, otherNames, isOpen } = fieldsOf(schema);
  const fields: Fields = {};
  for (const name of isOpen ? Object.keys(sent) : names) if (isSent(sent[name])) fields[name] = sent[name];
  for (const [name, alias] of otherNames)
    if (fields[name] === undefined && isSent(sent[alias])) fields[name] = sent[alias];
  const absent = required
    .filter(([name, by]) => fields[name] === undefined && (by === undefined || fields[by] === undefined))
    .map(([name]) => [name, `The ${name} must not be empty.`] as const);
  if (absent.length > 0) throw new AppError('missing_parameter', { errors: Object.fromEntries(absent) });
  const parsed = schema.safeParse(fields);
  if (!parsed.success)
    throw new AppError('invalid_input', { errors: errorsByField(parsed.error), isPlain: plainErrors.has(schema) });
  return parsed.data;
}

/** An empty field counts as absent. */
export function isSent(value: unknown): boolean {
  return value !== undefined && value !== '' && value !== null;
}

interface SchemaFields {
  names: readonly string[];
  /** Pairs of a required field and the field that can replace it, if there is one. */
  required: readonly (readonly [string, string | undefined])[];
  /** Pairs of a field's name and its alias. */
  otherNames: readonly (readonly [string, string])[];
  isOpen: boolean;
}

const knownFields = new WeakMap<z.ZodObject, SchemaFields>();

/** Cached by schema: to examine all fields for each request took a tenth of the time of an access check. */
function fieldsOf(schema: z.ZodObject): SchemaFields {
  const known = knownFields.get(schema);
  if (known) return known;
  const entries = Object.entries<z.ZodType>(schema.shape);
  const required = entries.flatMap(([name, field]) => {
    const by = replacements.get(field)?.by;
    return by !== undefined || !field.safeParse(undefined).success ? [[name, by] as const] : [];
  });
  const isOpen = schema.def.catchall !== undefined;
  const otherNames = entries.flatMap(([name, field]) => {
    const known = aliases.get(field);
    return known ? [[name, known.alias] as const] : [];
  });
  const found = { names: entries.map(([name]) => name), required, otherNames, isOpen };
  knownFields.set(schema, found);
  return found;
}

/** The first error of each field; nested names with dots (`countries.0`). */
function errorsByField(error: z.ZodError): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const issue of error.issues) {
    const field = issue.path.map(String).join('.') || 'body';
    errors[field] ??= sentence(field, issue);
  }
  return errors;
}

/** Clients show these texts, so they are sentences: "The password must be at least 8 characters." */
function sentence(field: string, issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small' && issue.origin === 'string')
    return `The ${field} must be at least ${issue.minimum} characters.`;
  if (issue.code === 'too_big' && issue.origin === 'string')
    return `The ${field} must be at most ${issue.maximum} characters.`;
  if (issue.code === 'invalid_value') return `The ${field} must be one of ${issue.values.map(String).join(', ')}.`;
  if (issue.code === 'custom' || /^(must|is) /.test(issue.message)) return `The ${field} ${issue.message}.`;
  return `The ${field} is not valid: ${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}.`;
}

const cardNumber = /(?:\d[ -]?){14,18}\d/g;
/** Random ids. One UUID in 4,000 contains a card number among its digits, and a payment's token nearly as often. */
const randomIds = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{24,}/gi;

/** A fraction, which JavaScript can write with as many digits as a card number. */
const fractionText = /^\d{0,3}\.\d+$/;

/**
 * Refuses a card number outside the card fields of a payment, for example in a name or in metadata, so that none is
 * stored or logged by accident. Only numbers in a card scheme's range that pass the Luhn check count.
 */
export function refuseCardNumbers(fields: Fields, allowed: readonly string[]): void {
  for (const [name, value] of Object.entries(fields)) {
    if (!allowed.includes(name) && holdsCardNumber(value))
      throw new AppError('card_number_refused', { errors: { [name]: `The ${name} must not hold a card number.` } });
  }
}

function holdsCardNumber(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.entries(value).flat().some(holdsCardNumber);
  if (typeof value === 'number') return holdsCardNumber(String(value));
  if (typeof value !== 'string' || value.length < 15 || fractionText.test(value)) return false;
  const found = value.replace(randomIds, ' ').match(cardNumber) ?? [];
  return found.some((digits) => isCardNumber(digits.replace(/\D/g, '')));
}

function isCardNumber(digits: string): boolean {
  return /^(4|5[1-5]|2[2-7]|3[47]|6)/.test(digits) && passesLuhn(digits);
}

export function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
