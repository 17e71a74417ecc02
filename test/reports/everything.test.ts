import fc from 'fast-check';
import { call } from '../support/client';
import { createConsumer, createFee, createShop, type Person, type Shop } from '../support/factories';
import { journalFaults, moneyInJournal } from '../support/journal';
import { possible, startStory, worth, type Deed, type Story } from '../support/reporting';
import { startApp, type TestApp } from '../support/startApp';
import { answerOf, importStores, newOriginal } from '../support/storeTold';

/** Cards, app stores, plan changes, pauses, refunds and disputes of one merchant. Its numbers are their sums. */

let app: TestApp;
let shop: Shop;
let dearId: number;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app, { amount: '10.00' });
  dearId = (await createFee(app, shop.merchant, shop.item.id, { amount: '20.00' })).id;
});

afterAll(() => app.stop());

const dayMs = 86_400_000;
const day = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);
const startMs = Date.now();

type Row = Record<string, number>;
const report = async (path: string) =>
  (await call<{ collection: Row[]; sums: Row }>(app, 'GET', path, undefined, shop.merchant)).body;

/** The provider reports a partial refund of a paid charge. */
const refundSome = (atMs: number) =>
  app.pool.query(
    `INSERT INTO refunds (token, merchant_id, account_id, charge_id, amount_minor, currency, revoke_access, state,
       requested_by, settled_at)
     SELECT gen_random_uuid(), merchant_id, account_id, id, 100, currency, false, 'refunded', merchant_id,
       to_timestamp($2::double precision / 1000)
     FROM charges WHERE merchant_id = $1 AND status = 'paid' ORDER BY random() LIMIT 1`,
    [shop.merchant.id, atMs],
  );

/** A bank takes a charge back, or the merchant wins it. */
const dispute = (isWon: boolean, atMs: number) =>
  app.pool.query(
    `INSERT INTO disputes AS d (provider, reference, charge_id, is_won, told_at)
     SELECT 'sandbox', 'dispute-' || id, id, $2, to_timestamp($3::double precision / 1000) FROM charges
     WHERE merchant_id = $1 AND status = 'paid' ORDER BY random() LIMIT 1
     ON CONFLICT (provider, reference) DO UPDATE SET is_won = excluded.is_won, told_at = excluded.told_at`,
    [shop.merchant.id, isWon, atMs],
  );

test('the movements are the difference of the totals, and the money is the sum of its rows, whatever happens beside what', async () => {
  const { claim, look } = await importStores();
  const { chargeCycle } = await import('../../src/subscriptions/charges/charges.js');
  const byCard = [shop.consumer, await createConsumer(app, shop.merchant)];
  const inStore = await createConsumer(app, shop.merchant);
  const stories = new Map<Person, Story>();
  const worths = new Map<string, number>();
  const original = newOriginal();
  let atMs = startMs;
  let transaction = 0;

  async function goOn(person: Person, pick: number): Promise<void> {
    const story = stories.get(person) ?? (await startStory(app, { ...shop, consumer: person }));
    stories.set(person, story);
    const deeds: readonly Deed[] = possible[(await story.row()).state];
    const deed = deeds[pick % deeds.length];
    if (deed === undefined) return void stories.delete(person);
    await story.take(deed, atMs, pick % 2 === 0 ? dearId : shop.fee.id);
    if (pick % 3 === 0 && deed !== 'refuse')
      await chargeCycle({ subscriptionId: story.id, cycle: 1_000 + pick, attempt: 1, amountMinor: 700, atMs });
    worths.set(story.token, worth(await story.row()) / 100);
  }

  async function tell(pick: number): Promise<void> {
    const state =
      (['active', 'grace', 'on_hold', 'paused', 'active', 'expired', 'revoked'] as const)[pick % 7] ?? 'active';
    const price = { amount: pick % 2 === 0 ? 4 : 7, currency: 'EUR' };
    const isFirst = transaction === 0;
    const told = answerOf(original, { state, isTrial: pick % 5 === 0, price, transaction: (transaction += 1) }, atMs);
    await (isFirst ? claim(shop, inStore, 'google-play', told) : look(original, told, atMs));
    worths.set(original, (state === 'active' || state === 'grace') && pick % 5 !== 0 ? price.amount : 0);
  }

  const step = fc.record({
    what: fc.constantFrom(...(['card', 'card', 'card', 'store', 'refund', 'lost', 'won'] as const)),
    pick: fc.nat(200),
    days: fc.integer({ min: 0, max: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      for (const { what, pick, days } of steps) {
        atMs += days * dayMs + 1_000;
        if (what === 'card') await goOn(byCard[pick % 2] ?? shop.consumer, pick);
        else if (what === 'store') await tell(pick);
        else await (what === 'refund' ? refundSome(atMs) : dispute(what === 'won', atMs));
      }
      const range = `from=${day(startMs)}&to=${day(atMs)}`;
      const total = [...worths.values()].reduce((sum, each) => sum + each, 0);
      const months = (await report(`/reporting/mrr?${range}&interval=month`)).collection;
      expect(months.at(-1)?.['closing'] ?? 0).toBeCloseTo(total, 6);
      for (const { opening = 0, closing = 0, ...moved } of months) {
        const kinds = ['new', 'reactivation', 'expansion', 'contraction', 'churn'].map((kind) => moved[kind] ?? 0);
        expect(kinds.reduce((sum, each) => sum + each, opening)).toBeCloseTo(closing, 6);
      }
      expect((await report(`/reporting/movements?${range}`)).sums['EUR'] ?? 0).toBeCloseTo(total, 6);
      const [summary] = (await report(`/reporting/summary?${range}`)).collection;
      const money = await report(`/reporting/transactions?${range}`);
      expect(money.sums['EUR'] ?? 0).toBeCloseTo(summary?.['net_revenue'] ?? 0, 6);
      const { revenue, refunds, chargebacks } = summary ?? {};
      expect(await moneyInJournal(app.pool, shop.merchant.id)).toEqual({ revenue, refunds, chargebacks });
      expect(await journalFaults(app.pool)).toEqual([]);
      for (const group of ['fee', 'payment_method', 'kind']) {
        const parts = (await report(`/reporting/revenue?${range}&interval=month&group_by=${group}`)).collection;
        const sum = parts.reduce((all, part) => all + (part['net_revenue'] ?? 0), 0);
        expect(sum).toBeCloseTo(summary?.['net_revenue'] ?? 0, 6);
      }
    }),
    { numRuns: 10, endOnFailure: true },
  );
});
