import { type z } from 'zod';
import { AppError } from './errors';
import { aliases, plainErrors, replacements } from './form';

type Fields = Record<string, unknown>;

/**
 * Checks fields against a schema. If required fields are absent, the error is 400 and names all of them, and no other
 * rule is checked. A present field that breaks its rule is 422. An empty field counts as absent, and a field under its
 * alias counts as present. Fields that the schema does not name are dropped, unless the schema has a `catchall`.
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

/** Cached by schema, because to examine all fields for each request took a tenth of the time of an access check. */
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
    errors[field] ??= sentence(field.replaceAll(/\p{Cc}/gu, ' '), issue);
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
  if (issue.code === 'custom' || /^(must|is|has) /.test(issue.message)) return `The ${field} ${issue.message}.`;
  return `The ${field} is not valid: ${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}.`;
}
