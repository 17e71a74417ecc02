import type * as Charges from '../../../src/subscriptions/charges/charges';
import type * as Lifecycle from '../../../src/subscriptions/lifecycle/lifecycle';
import { cards, createShop, subscribe } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { queryBooks } from '../../support/providerBooks';

/** A renewal does not charge a card that its bank has declined for good, or too often. */

let app: TestApp;
let charges: typeof Charges;
let lifecycle: typeof Lifecycle;

// No worker runs: the test takes the steps.
beforeAll(async () => {
  app = await startApp();
  charges = await import('../../../src/subscriptions/charges/charges.js');
  lifecycle = await import('../../../src/subscriptions/lifecycle/lifecycle.js');
});

afterAll(() => app.stop());

async function begin(number: string) {
  const { body } = await subscribe(app, await createShop(app), number);
  const token = body.subscription_id;
  const text = 'SELECT id::int FROM subscriptions WHERE token = $1';
  const { rows } = await app.pool.query<{ id: number }>(text, [token]);
  const subscriptionId = rows[0]?.id ?? 0;
  await charges.chargeCycle({ subscriptionId, cycle: 1, attempt: 1 });
  await lifecycle.activateSubscription(subscriptionId, { runId: 'a-run' });
  const renew = (attempt: number) => charges.chargeCycle({ subscriptionId, cycle: 2, attempt, amountMinor: 999 });
  return { token, renew };
}

const declined = (reason: string, decline: 'hard' | 'soft') => ({ outcome: 'declined', reason, decline });

/** How many renewals the provider was asked to charge, by its own books. */
async function countSent(token: string): Promise<number> {
  const text = 'SELECT count(*)::int AS sent FROM sandbox_charges WHERE idempotency_key LIKE $1';
  const { rows } = await queryBooks<{ sent: number }>(app.pool, text, [`${token}:2:%`]);
  return rows[0]?.sent ?? 0;
}

test('declined, card_final: after a final decline the bank’s text is repeated, and the provider is not asked', async () => {
  const { token, renew } = await begin(cards.lostAtRenewal);
  const first = await renew(1);
  expect(first).toMatchObject(declined('lost_card', 'hard'));
  expect(await renew(2)).toEqual({ ...first, reason: 'card_final' });
  expect(await countSent(token)).toBe(1);
});

test('declined, card_tried_too_often: the ninth charge of a card within 30 days is not sent', async () => {
  const { token, renew } = await begin(cards.declinedAtRenewal);
  for (let attempt = 1; attempt <= 8; attempt += 1)
    expect(await renew(attempt)).toMatchObject(declined('declined', 'soft'));
  expect(await renew(9)).toMatchObject(declined('card_tried_too_often', 'hard'));
  expect(await countSent(token)).toBe(8);
});
