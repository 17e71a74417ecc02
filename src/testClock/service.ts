import { type z } from 'zod';
import { merchantTime } from '../adapters/clock';
import { transaction } from '../adapters/postgres/connection';
import { environmentName } from '../adapters/settings';
import { tellStoresClockMoved } from '../externalPayments/purchases/service';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { tellClockMoved } from '../subscriptions/changes/service';
import { moveClock } from './model';
import { presentClock } from './presenter';
import { type ClockBody } from './schemas';

/** A merchant's own time, in the test environment (decisions 14). In production there is no such thing. */

export async function getTestClock(caller: Caller) {
  refuseInProduction();
  return presentClock(await merchantTime(caller.merchantId));
}

/**
 * Moves the merchant's time ahead. Its live subscriptions and its purchases in stores are told in the same transaction; they
 * bill, retry and end as they would have, each step on its own day.
 */
export async function moveTestClock(caller: Caller, input: z.output<typeof ClockBody>) {
  refuseInProduction();
  const seconds = input.advance ?? (await secondsUntil(caller, input.to));
  await transaction(async (inTransaction) => {
    const aheadMs = await moveClock(inTransaction, caller.merchantId, seconds);
    await tellClockMoved(inTransaction, caller.merchantId, aheadMs);
    await tellStoresClockMoved(inTransaction, caller.merchantId, aheadMs);
  });
  return getTestClock(caller);
}

async function secondsUntil(caller: Caller, to: Date | undefined): Promise<number> {
  if (to === undefined)
    throw new AppError('missing_parameter', { errors: { advance: 'The advance must not be empty.' } });
  const { atMs } = await merchantTime(caller.merchantId);
  const seconds = Math.ceil((to.getTime() - atMs) / 1000);
  if (seconds < 1) throw new AppError('clock_goes_forward');
  if (seconds > tenYearsSeconds)
    throw new AppError('invalid_input', { errors: { to: 'The to must be within ten years.' } });
  return seconds;
}

const tenYearsSeconds = 10 * 366 * 86_400;

function refuseInProduction(): void {
  if (environmentName === 'production') throw new AppError('not_found');
}
