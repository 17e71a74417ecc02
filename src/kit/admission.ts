import { type z } from 'zod';
import {
  type Auth,
  type Caller,
  isPublic,
  mayCall,
  needsOperatorFactor,
  needsRecentFactor,
  servesMerchant,
} from './auth';
import { noFields } from './body';
import { refuseCardNumbers } from './cardNumbers';
import { type Endpoint, type RequestFacts, type Variant } from './endpoint';
import { AppError } from './errors';
import { type FeaturesOff, isSwitchable, refuseTurnedOff } from './features';
import { validate } from './validate';

type Fields = Record<string, unknown>;

/** The rules of a declaration: who may call it, and with which fields. The body of a page is its form. */
export interface Rules
  extends
    Pick<Endpoint, 'auth' | 'cardNumberFields' | 'feature' | 'featureFields' | 'params' | 'query' | 'body' | 'instead'>,
    Partial<Pick<Endpoint, 'errors'>> {}

/**
 * A request that asks to be admitted: a request to the API, a request for a page, or a call from a page. `Elsewhere` is
 * the answer to a request without a caller.
 */
export interface Applicant<Elsewhere = never> {
  facts: RequestFacts;
  /** The parameters of the path, unchecked. */
  params: Readonly<Record<string, string>>;
  featuresOff: FeaturesOff;
  /** Counts the request before anything is read. Throws `too_many_requests`. */
  limit(): void | Promise<void>;
  /** The caller, or undefined without a session. */
  readCaller(): Promise<Caller | undefined>;
  /**
   * Throws `recent_factor_required` or `recent_password_required`, and `second_factor_missing` for an operator. Called for
   * rules that ask for a recent confirmation.
   */
  requireRecentFactor(caller: Caller): Promise<void>;
  /** Answers a request without a caller if the rules need one. */
  withoutCaller(): Elsewhere | Promise<Elsewhere>;
  readFields(): Fields | Promise<Fields>;
  readQuery(): Fields;
}

/** The checked input of a handler. `variant`: the call that replaces the declared one. */
export interface Admitted {
  caller: Caller | undefined;
  params: unknown;
  query: unknown;
  body: unknown;
  variant: Variant | undefined;
}

/**
 * Checks a request in one order for all kinds of requests: limits, caller, rights, card numbers, features, input.
 * Limits come first, so that a flood is refused before its bodies are read and before a token is looked up.
 */
export async function admit<Elsewhere = never>(
  rules: Rules,
  applicant: Applicant<Elsewhere>,
): Promise<Admitted | Elsewhere> {
  await applicant.limit();
  const caller = await applicant.readCaller();
  if (!isPublic(rules.auth)) {
    if (!caller) return applicant.withoutCaller();
    requireRights(rules.auth, caller);
    if (needsRecentFactor(rules.auth) || needsOperatorFactor(rules.auth)) await applicant.requireRecentFactor(caller);
  }
  const fields = await applicant.readFields();
  refuseCardNumbers(fields, rules.cardNumberFields ?? []);
  const { params, featuresOff } = applicant;
  if (isSwitchable(rules)) await refuseTurnedOff(featuresOff, rules, { caller, params, fields });
  return checkInput(rules, applicant, caller, fields);
}

/** Also for handlers of public endpoints that accept a token. Throws `forbidden` or `second_factor_missing`. */
export function requireRights(auth: Auth, caller: Caller): void {
  if (!mayCall(auth, caller)) throw new AppError('forbidden');
  if (caller.lacksFactor && servesMerchant(auth)) throw new AppError('second_factor_missing');
}

function checkInput(rules: Rules, applicant: Applicant<unknown>, caller: Caller | undefined, fields: Fields): Admitted {
  const { instead } = rules;
  const sentQuery = (rules.query ?? instead?.query) ? applicant.readQuery() : noFields;
  const isVariant = instead?.isMeant({ caller, query: sentQuery, fields, request: applicant.facts });
  const variant = isVariant ? instead : undefined;
  const { query, body } = variant ?? rules;
  return {
    caller,
    params: checkPath(rules, applicant.params),
    query: query && checkQuery(query, sentQuery),
    body: body && validate(body, fields),
    variant,
  };
}

/** An invalid path parameter cannot name a resource, so the error is 404. */
export function checkPath({ params: schema, errors = [] }: Rules, params: Applicant['params']): unknown {
  const parsed = schema?.safeParse(params);
  // PostgreSQL refuses a text with a NUL character.
  const isStorable = !Object.values(params).some((value) => value.includes('\0'));
  if (parsed?.success === false || !isStorable)
    throw new AppError(errors.find((code) => code.endsWith('_not_found')) ?? 'not_found');
  return parsed?.data;
}

const emptyQueries = new WeakMap<z.ZodObject, unknown>();

/** The result of an empty query is cached, because most requests to the busiest endpoint have no query. */
function checkQuery(schema: z.ZodObject, query: Fields): unknown {
  if (query !== noFields) return validate(schema, query);
  const known = emptyQueries.get(schema);
  if (known !== undefined) return known;
  const checked = Object.freeze(validate(schema, query));
  emptyQueries.set(schema, checked);
  return checked;
}
