import { type TestApp } from './startApp';

/** From now on a wrong guess blocks for 15 minutes instead of a second, which could pass during the test. */
export function lengthenBlocks(app: TestApp) {
  return app.pool.query('UPDATE wrong_guesses SET failures = failures + 20');
}

/** Makes every wrong guess of this file older by this time. */
export function letPass(app: TestApp, interval: string) {
  return app.pool.query(
    `UPDATE wrong_guesses SET failed_at = failed_at - $1::interval, blocked_until = blocked_until - $1::interval`,
    [interval],
  );
}
