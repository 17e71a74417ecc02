import { type IncomingMessage } from 'node:http';
import { numberedBy } from '../body';
import { AppError } from '../errors';
import { type Page, type PageResponse, type Redirect, type Visit } from './page';

/**
 * A call may require a recent confirmation of the session: the second factor, a passkey or the password. The page then asks
 * for it and keeps the fields of the form, which is sent again together with the answer. The fields stay in the browser,
 * because they may be secrets.
 */

/** The fields of the answer. A page never declares them. */
export const answerFields = ['_confirm_code', '_confirm_passkey', '_confirm_password'] as const;
/** The field with the `personName` of the visitor who was asked. */
export const askedField = '_asked';
export type ConfirmationAnswer = Partial<Record<(typeof answerFields)[number], string>>;

export interface ConfirmationQuestion {
  /** The address of the form. */
  action: string;
  /** The names and values of the kept fields. */
  kept: readonly (readonly [name: string, value: string])[];
  /** The id of the element that the answer replaces, in a part of a page. */
  target: string | undefined;
  /** The error of a refused answer. */
  error: AppError | undefined;
}

/** The question is a page, so that its texts and endpoints are above the kit. */
export interface Confirmations {
  ask(visit: Visit, question: ConfirmationQuestion): Promise<PageResponse>;
  /** Throws the error of a wrong answer. */
  give(visit: Visit, answer: ConfirmationAnswer): Promise<void>;
}

export const asksForConfirmation = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === 'recent_factor_required' || error.code === 'recent_password_required');

interface Request {
  parts: { confirmations: Confirmations };
  page: Pick<Page, 'method' | 'area'>;
  request: Pick<IncomingMessage, 'headers'>;
}

interface SentForm {
  visit: Visit;
  answer: ConfirmationAnswer | undefined;
  fields: Readonly<Record<string, unknown>>;
  formId: string | undefined;
}

/** Runs the handler of a page, after the answer that the form contains. */
export async function confirmed(
  { parts, page, request }: Request,
  { visit, answer, fields, formId }: SentForm,
  handler: () => Promise<PageResponse | Redirect>,
): Promise<PageResponse | Redirect> {
  const ask = (error?: AppError) => {
    const named = request.headers['hx-target'];
    const target = visit.isFragment && typeof named === 'string' && /^[\w-]+$/.test(named) ? named : undefined;
    const asked = [askedField, visit.personName ?? ''] as const;
    const question =
      page.method === 'post'
        ? {
            action: visit.address,
            kept: [...flat(fields), asked, ...(formId === undefined ? [] : [['_form', formId] as const])],
          }
        : { action: confirmAt[page.area], kept: [['next', visit.address] as const] };
    return parts.confirmations.ask(visit, { ...question, target, error });
  };
  if (answer !== undefined && visit.caller) {
    try {
      await parts.confirmations.give(visit, answer);
    } catch (error) {
      if (error instanceof AppError && error.status < 500) return ask(error);
      throw error;
    }
  }
  try {
    return await handler();
  } catch (error) {
    if (!asksForConfirmation(error) || !visit.caller) throw error;
    return ask();
  }
}

/** A page that is only read has no form, so its question is sent to this address, which leads back. */
const confirmAt = { console: '/console/confirm', operator: '/operator/confirm', customer: '' } as const;

/** The fields as a form sends them: `countries[0]`, `rules[age]`. */
function flat(value: unknown, name = ''): [string, string][] {
  if (typeof value === 'string') return [[name, value]];
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [[name, JSON.stringify(value)]];
  const keys = Array.isArray(value) ? numberedBy(value) : undefined;
  return Object.entries(value).flatMap(([key, member], index) => {
    const own = keys?.[index] ?? key;
    return flat(member, name === '' ? own : `${name}[${own}]`);
  });
}
