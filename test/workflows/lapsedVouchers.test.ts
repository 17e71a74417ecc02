import { reaches } from '../support/factories';
import { submitLapsedTrial } from '../support/lapsedTrials';
import { startLives, type Lives } from '../support/lives';

/** A trial that begins long after it was asked for: its voucher may be others' by then. */

let lives: Lives;

beforeAll(async () => (lives = await startLives({ isIdle: true })));

afterAll(() => lives.stop());

test('subscribe.failed: not with a voucher that others have used meanwhile; with one that is left it begins', async () => {
  const [taken, left] = [await submitLapsedTrial(lives.app, true), await submitLapsedTrial(lives.app, false)];
  await lives.work();
  expect(await reaches(lives.app, taken.shop.consumer, taken.id, 'incomplete_expired')).toMatchObject({
    failure_reason: 'voucher_expired',
  });
  await reaches(lives.app, left.shop.consumer, left.id, 'trialing');
});
