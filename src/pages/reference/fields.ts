import { html, type Html } from '../../kit/html';
import { marked } from './marked';

/** JSON schemas of the OpenAPI document, as lists of fields and as examples. */

export interface Schema {
  type?: string | readonly string[];
  description?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  additionalProperties?: Schema | boolean;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** An operation of the OpenAPI document. */
export interface Operation {
  summary: string;
  parameters: readonly Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Readonly<Record<string, { description: string; content: Content }>>;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

type Content = Readonly<Record<string, { schema: Schema }>>;

/** Whether a schema has fields, in itself or in its elements. */
export const hasFields = (schema: Schema): boolean => fieldsIn(schema).length > 0 || formsOf(schema).some(hasFields);

/** The fields of an object, each with its type and meaning. Fields of fields are folded. */
export function fieldList(schema: Schema): Html {
  const forms = formsOf(schema).filter(hasFields);
  if (forms.length > 1)
    return html`${forms.map(
      (form, index) =>
        html`<p>Form ${index + 1}:</p>
          ${fieldList(form)}`,
    )}`;
  const [form = schema] = forms;
  if (fieldsIn(form).length === 0 && formsOf(form).length > 0) return fieldList(elementOf(form));
  return html`<ul class="fields">
    ${fieldsIn(form).map(([name, field, isRequired]) => fieldOf(name, field, isRequired))}
  </ul>`;
}

function fieldOf(name: string, schema: Schema, isRequired: boolean): Html {
  return html`<li>
    <code>${name}</code> ${typeAndMeaning(schema, isRequired)}
    ${
      hasFields(schema) &&
      html`<details>
        <summary>Fields of ${name}</summary>
        ${fieldList(schema)}
      </details>`
    }
  </li>`;
}

/** The type of a value, whether it is required, and what it means. */
export function typeAndMeaning(schema: Schema, isRequired: boolean): Html {
  return html`<span class="quiet">${typeOf(schema)}</span>
    ${isRequired && html`<strong class="small">required</strong>`}
    ${schema.description !== undefined && html`<p>${marked(schema.description)}</p>`}`;
}

/** The alternatives of a schema, without null. */
const formsOf = ({ anyOf, oneOf, items }: Schema): readonly Schema[] =>
  (anyOf ?? oneOf ?? (items ? [items] : [])).filter(({ type }) => type !== 'null');

const elementOf = (schema: Schema): Schema => formsOf(schema).find(hasFields) ?? {};

function fieldsIn({ properties = {}, required = [] }: Schema): [string, Schema, boolean][] {
  return Object.entries(properties).map(([name, field]) => [name, field, required.includes(name)]);
}

/** The type in words: `integer, at least 1`, `string or null`, `list of integer`. */
export function typeOf(schema: Schema): string {
  const { anyOf, oneOf, type, items, format } = schema;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return `one of ${schema.enum.map((value) => String(value)).join(', ')}`;
  const forms = anyOf ?? oneOf;
  if (forms) return [...new Set(forms.map(typeOf))].join(' or ');
  if (type === 'array') return `list of ${items ? typeOf(items) : 'anything'}`;
  const name = typeof type === 'object' ? type.join(' or ') : (type ?? 'anything');
  return [format === undefined ? name : `${name} (${format})`, ...limitsOf(schema)].join(', ');
}

/** Limits that say more than what a number or a text can be. */
function limitsOf({ minimum, maximum, minLength, maxLength }: Schema): string[] {
  const least = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? [`at least ${minimum}`] : [];
  const most = maximum !== undefined && maximum < maximumOfIds ? [`at most ${maximum}`] : [];
  const short = minLength === undefined ? [] : [`at least ${minLength} characters`];
  const long = maxLength === undefined ? [] : [`at most ${maxLength} characters`];
  return [...least, ...most, ...short, ...long];
}

const maximumOfIds = 2_147_483_647;

interface ExampleOptions {
  /** Whether fields that are not required are left out. */
  isShort?: boolean;
}

/** A value that has the form of the schema. */
export function exampleOf(schema: Schema, options: ExampleOptions = {}): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const [form] = schema.anyOf ?? schema.oneOf ?? [];
  if (form) return exampleOf(form, options);
  const [type] = [schema.type ?? []].flat();
  if (type === 'array') return schema.items ? [exampleOf(schema.items, options)] : [];
  if (type === 'object') return objectOf(schema, options);
  if (type === 'integer') return Math.max(1, schema.minimum ?? 1);
  if (type === 'number') return Math.max(9.99, schema.minimum ?? 0);
  if (type === 'boolean') return true;
  return type === 'string' ? (examplesOfFormats[schema.format ?? ''] ?? 'text') : null;
}

const examplesOfFormats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00.000Z',
  date: '2026-01-31',
  email: 'reader@example.org',
  uri: 'https://example.org/',
  uuid: '5f0e2a4c-8f0b-4e4e-9d0c-2b7f3a1c6d10',
};

function objectOf(schema: Schema, options: ExampleOptions): Record<string, unknown> {
  const fields = fieldsIn(schema).filter(([, , isRequired]) => isRequired || !options.isShort);
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, options)]));
}
