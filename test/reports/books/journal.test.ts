import fc from 'fast-check';
import { call } from '../../support/client';
import { createConsumer, createFee, createShop, type Person, type Shop } from '../../support/factories';
import { wrongTaxSums } from '../../support/invoices';
import { journalFaults, recognise, taxInJournal, unscheduled } from '../../support/journal';
import { createPass, GiftLife, importGifts, StoreLife } from '../../support/otherSales';
import { possible, startStory, type Deed, type Story } from '../../support/reporting';
import { size } from '../../support/size';
import { readSnapshot } from '../../support/snapshot';
import { startApp, type TestApp } from '../../support/startApp';
import { importStores } from '../../support/storeTold';
import { atHome, nameSeller } from '../../support/tax';

/**
 * The journal agrees with every other ledger, over random lives in three currencies, with and without tax in the prices: a
 * subscription, gifts and a purchase in an app store.
 */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const dayMs = 86_400_000;
const day = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);
const prices = {
  EUR: ['10.00', '23.70', '96.00'],
  JPY: ['1000', '2370', '9600'],
  KWD: ['3.010', '7.130', '28.800'],
} as const;
const modes = ['reset', 'now', 'next_invoice', 'next_period'] as const;

interface World {
  shop: Shop;
  feeIds: number[];
  /** Access that is given as a gift. */
  pass: Shop['fee'];
}

async function createWorld(currency: keyof typeof prices, pricesIncludeTax: boolean): Promise<World> {
  const [monthly, dear, yearly] = prices[currency];
  const shop = await createShop(app, { amount: monthly, currency });
  await nameSeller(app, shop, [atHome], { prices_include_tax: pricesIncludeTax });
  const plans = [{ amount: dear }, { amount: yearly, period: 'year' }];
  const fees = [];
  for (const plan of plans) fees.push(await createFee(app, shop.merchant, shop.item.id, { currency, ...plan }));
  const pass = await createPass(app, shop, { amount: dear, currency });
  return { shop, pass, feeIds: [shop.fee.id, ...fees.map(({ id }) => id)] };
}

async function importSteps() {
  return {
    ...(await import('../../../src/subscriptions/charges/charges.js')),
    ...(await import('../../../src/subscriptions/charges/charges.model.js')),
    ...(await import('../../../src/subscriptions/lifecycle/switches.js')),
    ...(await import('../../../src/subscriptions/refunds/sending.js')),
    ...(await import('../../../src/subscriptions/provider/providerNotifications.js')),
    ...(await import('../../../src/adapters/postgres/connection.js')),
    ...(await import('../../../src/invoices/taxSums.model.js')),
  };
}
type Steps = Awaited<ReturnType<typeof importSteps>>;

const run = { runId: 'by-hand' };

/** A change of the plan with its charge, as the workflow makes it. */
async function changePlan({ steps, story, atMs, pick }: Step, accessFeeId: number): Promise<void> {
  const { version } = await readSnapshot(story.id);
  const input = { subscriptionId: story.id, version, atMs, accessFeeId, mode: modes[pick % modes.length] ?? 'reset' };
  const { amountMinor, agreed } = await steps.priceSwitch(input);
  const { rows } = await app.pool.query<{ cycle: number }>('SELECT cycle FROM subscriptions WHERE id = $1', [story.id]);
  const cycle = (rows[0]?.cycle ?? 0) + 1;
  if (amountMinor > 0) await steps.chargeCycle({ subscriptionId: story.id, cycle, attempt: 1, amountMinor, atMs });
  await steps.switchPlan({ ...input, ...(agreed && { agreed }) }, run);
}

interface Charged {
  id: number;
  token: string;
  amount: number;
  reference: string;
}

/** A paid charge of the consumer: of the subscription or of a gift. */
async function pickCharge({ person, pick }: Step): Promise<Charged | undefined> {
  const { rows } = await app.pool.query<Charged>(
    `SELECT id, trx_token AS token, amount_minor::int AS amount, reference FROM charges
     WHERE account_id = $1 AND status = 'paid' AND amount_minor > 0 ORDER BY id`,
    [person.id],
  );
  return rows[pick % Math.max(rows.length, 1)];
}

interface Step {
  steps: Steps;
  world: World;
  person: Person;
  story: Story;
  atMs: number;
  pick: number;
  currency: keyof typeof prices;
}

/** A refund of a part or of the rest. The provider pays it, and for some picks it fails days later. */
async function refundSome(step: Step): Promise<void> {
  const charge = await pickCharge(step);
  if (!charge) return;
  const major = { EUR: 100, JPY: 1, KWD: 1000 }[step.currency];
  const part = { amount: String((Math.floor(charge.amount / 30) * 10) / major) };
  const path = `/payments/${charge.token}/refund`;
  await call(app, 'POST', path, step.pick % 3 === 0 ? {} : part, step.world.shop.merchant);
  const { rows } = await app.pool.query<{ id: number }>(
    `SELECT id FROM refunds WHERE state = 'open' AND charge_id = $1`,
    [charge.id],
  );
  for (const { id } of rows) await step.steps.sendRefund(id);
}

async function dispute({ steps, ...step }: Step & { steps: Steps }): Promise<void> {
  const charge = await pickCharge({ steps, ...step });
  const purchase = charge && (await steps.findPurchase(charge.reference));
  if (!purchase) return;
  const status = step.pick % 2 === 0 ? 'lost' : 'won';
  const told = { reference: `dispute-${charge.id}`, status, at: new Date(step.atMs), reason: 'general' } as const;
  await steps.transaction((inTransaction) =>
    steps.followDisputeNow(inTransaction, { dispute: told, purchase, provider: 'sandbox' }),
  );
}

/** Gifts of which more is owed than was paid, or something although they are redeemed. */
async function wrongGifts({ shop }: World): Promise<object[]> {
  const { rows } = await app.pool.query<object>(
    `SELECT g.id, g.state, gift_outstanding(c.id) AS owed FROM gift_vouchers g JOIN payments p ON p.token = g.payment_token
       JOIN charges c ON c.payment_id = p.id AND c.status = 'paid'
     WHERE g.merchant_id = $1 AND NOT gift_outstanding(c.id) BETWEEN 0 AND
       CASE g.state WHEN 'redeemed' THEN 0 ELSE c.amount_minor + c.balance_minor END`,
    [shop.merchant.id],
  );
  return rows;
}

/** The tax of all tax reports less the one that the journal owes, in minor units. */
async function wrongTax({ sumTaxes }: Steps, { shop: { merchant } }: World, currency: string): Promise<number> {
  const sums = await sumTaxes(merchant.id, { from: '2000-01-01', end: '9999-01-01' });
  const reported = sums.reduce((tax, { taxMinor }) => tax + taxMinor, 0);
  return reported - ((await taxInJournal(app.pool, merchant.id))[currency] ?? 0);
}

/** The merchant gives or takes credit. */
const adjust = ({ world: { shop }, person, pick, currency }: Step) =>
  call(
    app,
    'POST',
    `/v2/accounts/customers/${person.id}/balances/movements`,
    { amount: pick % 2 === 0 ? '3' : '-2', currency, note: 'By hand' },
    shop.merchant,
  );

const step = fc.record({
  what: fc.constantFrom(
    ...(['life', 'life', 'life', 'plan', 'plan', 'refund', 'dispute', 'adjust', 'books'] as const),
    ...(['gift', 'redeem', 'store'] as const),
  ),
  pick: fc.nat(200),
  days: fc.integer({ min: 0, max: 25 }),
});

/** A life that makes an entry of each kind, whatever the random lives do. */
const everyKind = (['gift', 'redeem', 'store', 'store', 'refund', 'dispute', 'adjust', 'books'] as const).map(
  (what) => ({ what, pick: what === 'refund' ? 1 : 0, days: 5 }),
);

// The full size needs minutes.
jest.setTimeout(size({ usual: 300_000, full: 3_600_000 }));

describe.each([
  ['EUR', 'with tax', true],
  ['JPY', 'with tax', true],
  ['KWD', 'with tax', true],
  ['EUR', 'without tax', false],
  ['JPY', 'without tax', false],
  ['KWD', 'without tax', false],
] as const)('%s, prices %s', (currency, _, pricesIncludeTax) => {
  test('whatever becomes of a subscription, the journal says what the other ledgers say', async () => {
    const [steps, giftSteps, stores] = [await importSteps(), await importGifts(), await importStores()];
    const world = await createWorld(currency, pricesIncludeTax);
    let lastMs = Date.now();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 16 }), async (course) => {
        const person = await createConsumer(app, world.shop.merchant);
        const shop = { ...world.shop, consumer: person };
        const story = await startStory(app, shop);
        const gifts = new GiftLife(app, giftSteps, { ...shop, fee: world.pass });
        const store = new StoreLife(stores, shop, currency);
        let atMs = Date.now();
        await story.take('begin', atMs, 0);
        for (const { what, pick, days } of course) {
          atMs += days * dayMs + 1_000;
          const moment = { steps, world, person, story, atMs, pick, currency };
          const { state } = await story.row();
          const deeds: readonly Deed[] = possible[state];
          const deed = deeds[pick % deeds.length];
          const feeId = world.feeIds[pick % world.feeIds.length] ?? 0;
          if (what === 'life' && deed !== undefined && deed !== 'switch') await story.take(deed, atMs, feeId);
          if (what === 'plan' && (state === 'active' || state === 'trialing')) await changePlan(moment, feeId);
          if (what === 'refund') await refundSome(moment);
          if (what === 'dispute') await dispute(moment);
          if (what === 'adjust') await adjust(moment);
          if (what === 'gift') await gifts.give();
          if (what === 'redeem') await gifts.redeem(pick);
          if (what === 'store') await store.next(pick, atMs);
          if (what === 'books') await recognise(app.pool, world.shop.merchant.id, day(atMs - dayMs));
        }
        expect(await journalFaults(app.pool, world.shop.merchant.id)).toEqual([]);
        expect(await wrongGifts(world)).toEqual([]);
        expect(await wrongTaxSums(app, world.shop.merchant)).toEqual([]);
        expect(await wrongTax(steps, world, currency)).toBe(0);
        lastMs = Math.max(lastMs, atMs) + dayMs;
        await recognise(app.pool, world.shop.merchant.id, day(lastMs));
        expect(await unscheduled(app.pool, world.shop.merchant.id)).toEqual([0]);
      }),
      { numRuns: size({ usual: 20, full: 340 }), examples: [[everyKind]], endOnFailure: true },
    );
    await recognise(app.pool, world.shop.merchant.id, day(Date.now() + 3000 * dayMs));
    expect(await journalFaults(app.pool, world.shop.merchant.id)).toEqual([]);
    const { rows } = await app.pool.query<{ left: number }>(
      'SELECT sum(amount)::int AS left FROM deferred_revenue($1)',
      [world.shop.merchant.id],
    );
    expect(rows).toEqual([{ left: 0 }]);
    const kinds = await app.pool.query<{ kind: string }>(
      'SELECT DISTINCT kind FROM journal_entries WHERE merchant_id = $1 ORDER BY kind',
      [world.shop.merchant.id],
    );
    expect(kinds.rows.map(({ kind }) => kind)).toEqual([
      'balance',
      'charge',
      'dispute',
      'gift',
      'recognition',
      'refund',
      'store_payment',
      'store_refund',
    ]);
  });
});
