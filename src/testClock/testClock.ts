import { type z } from 'zod';
import { merchantTime } from '../adapters/clock';
import { transaction } from '../adapters/postgres/connection';
import { environmentName } from '../adapters/settings';
import { signalStoresClockMoved } from '../externalPayments/purchases/purchases';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { signalClockMoved } from '../subscriptions/changes/changes';
import { passDebitTime } from '../subscriptions/provider/debitReturns';
import { moveClock } from './testClock.model';
import { presentClock } from './testClock.presenter';
import { type ClockBody } from './testClock.schemas';

/** A merchant's own time. It exists in the test environment only. */

export async function getTestClock(caller: Caller) {
  refuseInProduction();
  return presentClock(await merchantTime(caller.merchantId));
}

/**
 * Moves the merchant's time ahead. Live subscriptions and store purchases are signaled in the same transaction. They
 * bill, retry and end as usual, each step with its own date.
 */
export async function moveTestClock(caller: Caller, input: z.output<typeof ClockBody>) {
  refuseInProduction();
  const seconds = input.advance ?? (await secondsUntil(caller, input.to));
  const moved = await transaction(async (inTransaction) => {
    const aheadMs = await moveClock(inTransaction, caller.merchantId, seconds);
    await signalClockMoved(inTransaction, caller.merchantId, aheadMs);
    await signalStoresClockMoved(inTransaction, caller.merchantId, aheadMs);
    // Read before the commit: a workflow that has received the signal has reached this time.
    return merchantTime(caller.merchantId, inTransaction);
  });
  await passDebitTime(caller.merchantId);
  return presentClock(moved);
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
