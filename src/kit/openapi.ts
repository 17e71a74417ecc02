import { z } from 'zod';
import { type Endpoint, summaryOf } from './endpoint';
import { needsOperatorFactor, needsRecentFactor, servesMerchant } from './auth';
import { errorCatalogue, type ErrorCode } from './errors';
import { policyOf } from './policy';
import { type Route } from './routes';

export interface ApiFacts {
  title: string;
  version: string;
  description: string;
}

type Schema = Record<string, unknown>;

/** The OpenAPI 3.1 document of the declarations. Nothing else describes the interface. */
export function openApiDocument(routes: readonly Route[], facts: ApiFacts) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { name, endpoint } of routes)
    (paths[endpoint.path] ??= {})[endpoint.method] = describeOperation(name, endpoint);
  return {
    openapi: '3.1.0',
    info: { title: facts.title, version: facts.version, description: facts.description },
    // The host from which the document was read.
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Error: errorSchema },
    },
  };
}

/** Every error of an endpoint: the declared ones, and those that follow from its rights and schemas. */
export function promisedErrors(endpoint: Endpoint): ErrorCode[] {
  const { auth, body, query, instead } = endpoint;
  const isProtected = auth.kind !== 'anyone' && auth.kind !== 'forgiving';
  const fields = Object.values<z.ZodType>({ ...query?.shape, ...body?.shape });
  return [
    ...(fields.some((field) => !field.safeParse(undefined).success) ? (['missing_parameter'] as const) : []),
    ...(isProtected ? (['invalid_auth_token'] as const) : []),
    ...(Object.values(policyOf(auth).verdicts).includes(403) ? (['forbidden'] as const) : []),
    ...(servesMerchant(auth) ? (['second_factor_missing'] as const) : []),
    ...(needsRecentFactor(auth) ? (['recent_factor_required', 'recent_password_required'] as const) : []),
    ...(needsOperatorFactor(auth) ? (['recent_factor_required', 'second_factor_missing'] as const) : []),
    ...((endpoint.feature ?? endpoint.featureFields) ? (['feature_disabled'] as const) : []),
    ...endpoint.errors,
    ...(fields.length > 0 || instead ? (['invalid_input'] as const) : []),
  ];
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A unique text for this request, such as a UUID. A request that is repeated with the same key within 24 hours has ' +
    'no second effect: it gets the first answer, with the header `Idempotency-Replayed: true`. While the first request ' +
    'runs, the answer is 409 `request_in_progress`. After 5xx, repeat the request with the same key.',
  schema: { type: 'string', maxLength: 255 },
};

/** The operation of an endpoint, as the document has it. */
export function describeOperation(name: string, endpoint: Endpoint) {
  return {
    operationId: name,
    summary: summaryOf(endpoint),
    tags: [tagOf(endpoint.path)],
    security: endpoint.auth.kind === 'anyone' ? [] : [{ bearer: [] }],
    parameters: [
      ...parameters('path', endpoint.params),
      ...parameters('query', endpoint.query),
      ...parameters('query', endpoint.instead?.query?.partial()),
      ...(endpoint.method === 'post' ? [idempotencyKey] : []),
    ],
    ...(endpoint.body && { requestBody: requestBody(endpoint.body, endpoint.instead?.body) }),
    ...(endpoint.rawBodyMax && {
      requestBody: { required: true, content: { 'application/octet-stream': { schema: {} } } },
    }),
    responses: responses(endpoint),
  };
}

/** The area of an endpoint: the first word of its path. */
export function tagOf(path: string): string {
  return path.replace(/^\/v\d+/, '').split('/')[1] ?? '';
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const found = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema;
  delete found['$schema'];
  return found;
}

function parameters(where: 'path' | 'query', schema: z.ZodObject | undefined) {
  return Object.entries((schema?.shape ?? {}) as Record<string, z.ZodType>).map(([name, field]) => ({
    name,
    in: where,
    required: where === 'path' || !field.safeParse(undefined).success,
    schema: jsonSchema(field, 'output'),
  }));
}

/** One schema for both forms of a body: it describes the values after the text of a form is parsed. */
function requestBody(body: z.ZodObject, other: z.ZodObject | undefined) {
  const own = bodySchema(body);
  const schema = other ? { anyOf: [own, bodySchema(other)] } : own;
  return {
    required: 'required' in own,
    content: { 'application/x-www-form-urlencoded': { schema }, 'application/json': { schema } },
  };
}

function bodySchema(body: z.ZodObject): Schema {
  const schema = jsonSchema(body, 'output');
  delete schema['additionalProperties'];
  const fields = body.shape as Record<string, z.ZodType>;
  schema['required'] = Object.keys(fields).filter((name) => !fields[name]?.safeParse(undefined).success);
  if ((schema['required'] as string[]).length === 0) delete schema['required'];
  return schema;
}

function responses(endpoint: Endpoint) {
  const byStatus = new Map<number, ErrorCode[]>();
  const keyed: ErrorCode[] = ['request_in_progress', 'idempotency_key_reused'];
  const failing: ErrorCode[] = ['too_many_requests', 'internal_error', 'service_unavailable'];
  const common = [...(endpoint.method === 'post' ? keyed : []), ...failing];
  for (const code of [...promisedErrors(endpoint), ...common]) {
    const { status } = errorCatalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const failures = [...byStatus].sort(([a], [b]) => a - b);
  return {
    [endpoint.status]: {
      ...(endpoint.status === 303 ? redirect : { description: 'Success' }),
      content: { [endpoint.produces ?? 'application/json']: { schema: jsonSchema(endpoint.response, 'input') } },
    },
    ...(endpoint.pending && { 202: pendingResponse(endpoint.pending) }),
    ...Object.fromEntries(failures.map(([status, codes]) => [status, errorResponse([...new Set(codes)])])),
  };
}

const redirect = {
  description: 'A redirect to the address in `Location`',
  headers: { Location: { required: true, schema: { type: 'string', format: 'uri' } } },
};

const pendingResponse = (schema: z.ZodType) => ({
  description:
    'The work has started. Read its outcome at `Location`, or repeat the request with the same `Idempotency-Key`.',
  headers: { Location: { required: true, schema: { type: 'string', format: 'uri-reference' } } },
  content: { 'application/json': { schema: jsonSchema(schema, 'input') } },
});

function errorResponse(codes: ErrorCode[]) {
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].message}`).join('; '),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}

/** The body of every refusal. */
export const errorSchema = {
  type: 'object',
  required: ['code', 'message', 'error', 'explain'],
  properties: {
    code: { type: 'integer', description: 'The HTTP status.' },
    message: { type: 'string' },
    error: { type: 'string', description: 'A stable key of the error catalogue.' },
    explain: { type: 'string' },
    id: { type: 'integer', description: 'The id of the item, if its access is restricted.' },
    errors: { type: 'object', additionalProperties: { type: 'string' }, description: 'Field name to text.' },
    challenge: {
      type: 'string',
      description:
        'Replaces the password when the sign-in continues with `second_factor_code`. Valid for five minutes.',
    },
    total: {
      type: 'object',
      properties: { amount: { type: 'number' }, currency: { type: 'string' } },
      description: 'The amount that is due now, if it has changed.',
    },
  },
};
