import { log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { AppError } from '../src/kit/errors';
import { RowAheadError, RowBehindError, reportBehind } from '../src/subscriptions/restorations';
import { rowAhead, rowBehind } from '../workflows/messages';

type Activity = (...input: never[]) => Promise<unknown>;

/**
 * An AppError is a decision, so the activity is not retried. Any other error is retried. Its failure contains the
 * error's class but not its message, because the message of a library may quote a row.
 */
export function withFailures<A extends Record<string, Activity>>(activities: A): A {
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    async (...input: never[]) => {
      try {
        return await activity(...input);
      } catch (error) {
        throw asFailure(error instanceof RowBehindError ? await reported(error) : error);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as A;
}

/**
 * Records the error. Returns it, or the error that prevented the record. With the second one, the activity is retried.
 */
function reported(error: RowBehindError): Promise<unknown> {
  return reportBehind(error).then(
    () => error,
    (unreported: unknown) => unreported,
  );
}

function asFailure(error: unknown): Error {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof RowBehindError) return ApplicationFailure.nonRetryable(error.message, rowBehind);
  if (error instanceof RowAheadError) return ApplicationFailure.nonRetryable(error.message, rowAhead);
  if (error instanceof AppError) return ApplicationFailure.nonRetryable(error.message, error.code);
  log.warn('an activity failed', { error });
  const type = error instanceof Error ? error.name : 'Error';
  return ApplicationFailure.create({ message: `${type}: see the worker's log`, type });
}
