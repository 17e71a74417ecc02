import { type TestApp } from './startApp';

/** From now on a wrong guess blocks for 15 minutes instead of a second, which could pass during the test. */
export function lengthenBlocks(app: TestApp) {
  return app.pool.query('UPDATE wrong_guesses SET failures = failures + 20');
}

/** The statuses of seven guesses. The sixth one of a wrong secret blocks for a minute instead of a second, as above. */
export async function guessSevenTimes(
  app: TestApp,
  guess: (count: number) => Promise<{ status: number }>,
): Promise<number[]> {
  const statuses: number[] = [];
  for (let count = 0; count < 6; count += 1) statuses.push((await guess(count)).status);
  await letPass(app, '-1 minute');
  return [...statuses, (await guess(6)).status];
}

/** Makes every wrong guess of this file older by this time. */
export function letPass(app: TestApp, interval: string) {
  return app.pool.query(
    `UPDATE wrong_guesses SET failed_at = failed_at - $1::interval, blocked_until = blocked_until - $1::interval`,
    [interval],
  );
}
