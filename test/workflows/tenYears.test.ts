import { cards, createConsumer, createShop, reaches, subscribe } from '../support/factories';
import { chargesOf, takenFor } from '../support/ledger';
import { startLives, type Lives } from '../support/lives';

/**
 * Ten years of billing on the test clock: the provider's ledger and ours agree on every cent. `TEN_YEARS_OF` says how many
 * subscriptions; two hundred take a quarter of an hour.
 */
const count = Number(process.env['TEN_YEARS_OF'] ?? 6);

let lives: Lives;

beforeAll(async () => (lives = await startLives()));

afterAll(() => lives.stop());

test(`subscribe.renewed: ten years of ${count} subscriptions, each charged on its day and once`, async () => {
  const { app } = lives;
  const shop = await createShop(app, { amount: '3.33' });
  const monthly = await Promise.all(Array.from({ length: count }, () => createConsumer(app, shop.merchant)));
  const begun = await Promise.all(
    monthly.map(async (consumer) => {
      const theirs = { ...shop, consumer };
      const { body } = await subscribe(app, theirs, cards.timeoutAfterCharging);
      await reaches(app, consumer, body.subscription_id, 'active');
      return lives.of(theirs, body.subscription_id);
    }),
  );
  const [first] = begun;
  if (!first) throw new Error('nobody subscribed');
  await first.pass(3653);
  for (const life of begun) {
    const row = await life.pass(0.001);
    expect(row.status).toBe('active');
    const charges = await chargesOf(app, life.id);
    expect(charges).toHaveLength(121);
    expect(charges.every(({ amount, status }) => amount === 333 && status === 'paid')).toBe(true);
    const days = charges.map(({ settled }) => settled?.toISOString().slice(8, 19));
    // Where the anchor's day is in every month, it is the same throughout.
    expect(new Set(days).size).toBeLessThanOrEqual(4);
    const taken = await takenFor(app, life.id);
    expect(taken.reduce((sum, { amount }) => sum + amount, 0)).toBe(121 * 333);
    expect(new Set(taken.map(({ key }) => key)).size).toBe(121);
  }
});
