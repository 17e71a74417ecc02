import { log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { AppError } from '../src/kit/errors';

type Activity = (...input: never[]) => Promise<unknown>;

/**
 * A rule that said no stays a no: an AppError ends the activity for good. Anything else is retried, with a failure that
 * carries the error's class and no text of a library, which may quote a row.
 */
export function withFailures<A extends Record<string, Activity>>(activities: A): A {
  const wrapped = Object.entries(activities).map(([name, activity]) => [
    name,
    async (...input: never[]) => {
      try {
        return await activity(...input);
      } catch (error) {
        throw asFailure(error);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as A;
}

function asFailure(error: unknown): Error {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof AppError) return ApplicationFailure.nonRetryable(error.message, error.code);
  log.warn('an activity failed', { error });
  const type = error instanceof Error ? error.name : 'Error';
  return ApplicationFailure.create({ message: `${type}: see the worker's log`, type });
}
