import { isNativeError } from 'node:util/types';
import { type Caller } from './auth';
import { type Endpoint } from './endpoint';
import { AppError } from './errors';
import { type KitDependencies } from './dependencies';

/**
 * The only function that turns an error of any kind into a response. The body of the request is never logged, because
 * it may contain passwords.
 */
export function asAppError(
  parts: Pick<KitDependencies, 'logger'>,
  error: unknown,
  operation: string,
  id: string,
): AppError {
  if (error instanceof AppError) return error;
  if (isAboutErased(error)) return new AppError('account_not_found');
  if (isUnavailable(error)) {
    parts.logger.warn({ requestId: id, operation, reason: (error as Error).message }, 'a dependency is unavailable');
    return new AppError('service_unavailable', { retryAfterSeconds: 2 });
  }
  parts.logger.error({ requestId: id, operation, err: error }, 'unexpected error');
  return new AppError('internal_error');
}

/** The database refuses rows of an erased account. A replica may trust a session for a moment after its end. */
function isAboutErased(error: unknown): boolean {
  const { code, parent } = error as { code?: unknown; parent?: { code?: unknown } };
  return code === 'PW404' || parent?.code === 'PW404';
}

/**
 * PostgreSQL has ended the transaction, so it has no effect and can be repeated: the time limits 57014 of a statement, 55P03
 * of a lock and 25P03 of an idle transaction, and a deadlock (40P01).
 */
const unavailableCodes = /^(08|57P0|57014|53|55P03|25P03|40P01)|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT)$/;

/** What the driver says without a code. The second is about a connection that broke before the statement was sent. */
const brokenConnection =
  /connection terminated|is not queryable|query read timeout|timeout exceeded when trying to connect/i;

function isUnavailable(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  const { code, parent } = error as { code?: unknown; parent?: unknown };
  if (typeof code === 'string' && unavailableCodes.test(code)) return true;
  if (/^SequelizeConnection/.test(error.name)) return true;
  if (brokenConnection.test(error.message)) return true;
  return parent !== undefined && parent !== error && isUnavailable(parent);
}

/** Reports a 403 of a known caller. */
export function reportRefusal(
  parts: Pick<KitDependencies, 'refused'>,
  caller: Caller | undefined,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  error: unknown,
): void {
  if (caller && error instanceof AppError && error.code === 'forbidden')
    parts.refused(caller, `${method.toUpperCase()}:${path}`);
}
