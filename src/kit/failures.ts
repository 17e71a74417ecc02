import { isNativeError } from 'node:util/types';
import { AppError } from './errors';
import { type KitParts } from './parts';

/** The one place where an error of any kind becomes an answer. The request's body is never logged: it holds passwords. */
export function asAppError(parts: Pick<KitParts, 'logger'>, error: unknown, operation: string, id: string): AppError {
  if (error instanceof AppError) return error;
  if (isAboutErased(error)) return new AppError('account_not_found');
  if (isUnavailable(error)) {
    parts.logger.warn({ requestId: id, operation, reason: (error as Error).message }, 'a dependency is away');
    return new AppError('service_unavailable', { retryAfterSeconds: 2 });
  }
  parts.logger.error({ requestId: id, operation, err: error }, 'unexpected error');
  return new AppError('internal_error');
}

/** The database takes no row of an account that is erased: a replica may trust a session for moments longer than it lives. */
function isAboutErased(error: unknown): boolean {
  const { code, parent } = error as { code?: unknown; parent?: { code?: unknown } };
  return code === 'PW404' || parent?.code === 'PW404';
}

const unavailableCodes = /^(08|57P0|53)|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT)$/;

function isUnavailable(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  const { code, parent } = error as { code?: unknown; parent?: unknown };
  if (typeof code === 'string' && unavailableCodes.test(code)) return true;
  if (/^SequelizeConnection/.test(error.name)) return true;
  if (/connection terminated|timeout exceeded when trying to connect/i.test(error.message)) return true;
  return parent !== undefined && parent !== error && isUnavailable(parent);
}
