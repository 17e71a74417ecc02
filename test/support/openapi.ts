import Ajv from 'ajv/dist/2020';
import { z } from 'zod';

/** As much of OpenAPI 3.1 as the document uses; anything else in it is refused. */
const Schema = z.record(z.string(), z.unknown());
const Content = z.record(z.string().regex(/^[\w-]+\/(?:\*|[\w.+-]+)$/), z.strictObject({ schema: Schema }));
const Headers = z.record(z.string().regex(/^[\w-]+$/), z.strictObject({ required: z.boolean(), schema: Schema }));
const Parameter = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().optional(),
  schema: Schema,
});
const Operation = z.strictObject({
  operationId: z.string().regex(/^[a-z][A-Za-z0-9]+$/),
  summary: z.string().min(1),
  tags: z.array(z.string().min(1)).min(1),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(Parameter),
  requestBody: z.strictObject({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(
    z.string().regex(/^[1-5]\d\d$/),
    z.strictObject({ description: z.string().min(1), headers: Headers.optional(), content: Content }),
  ),
});
const Document = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.strictObject({ title: z.string().min(1), version: z.string().min(1), description: z.string() }),
  servers: z.array(z.strictObject({ url: z.url().or(z.literal('/')) })).min(1),
  paths: z.record(
    z.string().startsWith('/'),
    z.partialRecord(z.enum(['get', 'post', 'put', 'patch', 'delete']), Operation),
  ),
  components: z.strictObject({ securitySchemes: z.record(z.string(), Schema), schemas: z.record(z.string(), Schema) }),
});

/** The faults of a document, as sentences. */
export function openApiComplaints(given: unknown): string[] {
  const parsed = Document.safeParse(given);
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  const operations = Object.entries(parsed.data.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, operation })),
  );
  return [
    ...repeated(operations.map(({ operation }) => operation.operationId)).map((id) => `Two operations are named ${id}`),
    ...operations.flatMap(({ path, operation }) => parameterComplaints(path, operation)),
    ...operations.flatMap(({ operation }) => securityComplaints(operation, parsed.data.components.securitySchemes)),
    ...danglingReferences(given),
    ...schemasOf(given).flatMap(schemaComplaints),
  ];
}

function parameterComplaints(
  path: string,
  { operationId, parameters, responses }: z.output<typeof Operation>,
): string[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const declared = parameters.filter((parameter) => parameter.in === 'path');
  const names = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
  const isSuccess = (status: string) => status.startsWith('2') || status === '303';
  return [
    ...inPath.filter((name) => !declared.some((one) => one.name === name)).map((name) => `${name} is not declared`),
    ...declared.filter(({ name }) => !inPath.includes(name)).map(({ name }) => `${name} is not in the path`),
    ...declared.filter(({ required }) => required !== true).map(({ name }) => `${name} must be required`),
    ...repeated(names).map((name) => `${name} is declared twice`),
    ...(Object.keys(responses).some(isSuccess) ? [] : ['no answer is a success']),
  ].map((complaint) => `${operationId}: ${complaint}`);
}

function securityComplaints({ operationId, security }: z.output<typeof Operation>, schemes: object): string[] {
  const unknown = security.flatMap((way) => Object.keys(way)).filter((name) => !(name in schemes));
  return unknown.map((name) => `${operationId}: no security scheme is named ${name}`);
}

function danglingReferences(document: unknown): string[] {
  const references = valuesOf(document, '$ref').map(String);
  return references.filter((reference) => !resolves(document, reference)).map((found) => `${found} leads nowhere`);
}

function resolves(document: unknown, reference: string): boolean {
  if (!reference.startsWith('#/')) return false;
  const names = reference
    .slice(2)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const found = names.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], document);
  return found !== undefined;
}

// Formats are for people here.
const ajv = new Ajv({ strict: false, validateFormats: false });

function schemaComplaints(schema: unknown): string[] {
  return ajv.validateSchema(schema as object) === true
    ? []
    : (ajv.errors ?? []).map((error) => `a schema ${error.message}`);
}

function schemasOf(document: unknown): unknown[] {
  return [
    ...valuesOf(document, 'schema'),
    ...valuesOf(document, 'schemas').flatMap((named) => Object.values(named as Record<string, unknown>)),
  ];
}

function valuesOf(node: unknown, wanted: string): unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node as Record<string, unknown>).flatMap(([name, value]) =>
    name === wanted ? [value] : valuesOf(value, wanted),
  );
}

function repeated(names: string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
