import { cards, createConsumer, createFee, createShop, type Shop } from '../../support/factories';
import { giveTrial } from '../../support/scenarios';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { numbersOn, totalsAt, type Shown } from '../../support/reportPages';
import { beginTrial, dayAhead, startStory, type Deed } from '../../support/reporting';
import { startApp, type TestApp } from '../../support/startApp';
import { createVoucher } from '../../support/vouchers';

/** Every number of the reports leads to rows, and they come to that number. */

let app: TestApp;
let shop: Shop;
let walker: PageWalker;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app, { amount: '10.00' });
  await liveThrough();
  walker = await enterConsole(app, shop.merchant.email);
});

afterAll(() => app.stop());

const dayMs = 86_400_000;
const startMs = Date.now();

type Step = readonly [what: Deed | 'charge', days: number];

/** Takes the steps of a subscription by hand. `charge` charges the card for the period. */
async function subscribes(
  steps: readonly Step[],
  { number = cards.success, feeId = shop.fee.id, code = '' }: { number?: string; feeId?: number; code?: string } = {},
) {
  const { chargeCycle } = await import('../../../src/subscriptions/charges/charges.js');
  const consumer = await createConsumer(app, shop.merchant);
  const own = { ...shop, consumer, fee: { ...shop.fee, id: feeId } };
  const story = await startStory(app, own, { number, ...(code !== '' && { code }) });
  const attempts = new Map<number, number>();
  if (feeId !== shop.fee.id) await beginTrial(story);
  for (const [what, days] of steps) {
    const atMs = startMs + days * dayMs;
    if (what !== 'charge') {
      await story.take(what, atMs, feeId);
      continue;
    }
    const { rows } = await app.pool.query<{ cycle: number }>('SELECT cycle FROM subscriptions WHERE id = $1', [
      story.id,
    ]);
    const cycle = rows[0]?.cycle ?? 0;
    attempts.set(cycle, (attempts.get(cycle) ?? 0) + 1);
    await chargeCycle({ subscriptionId: story.id, cycle, attempt: attempts.get(cycle) ?? 1, atMs });
  }
}

async function liveThrough(): Promise<void> {
  const trial = await createFee(app, shop.merchant, shop.item.id, { amount: '12.00' });
  await giveTrial(app, trial.id, [7, 'day']);
  const { code } = await createVoucher(app, shop.merchant, { discount: 50 });
  const declined = ['begin', 'nextPeriod', 'charge', 'fail'] as const;
  const at = (day: number, deeds: readonly Step[0][]): Step[] => deeds.map((deed) => [deed, day]);
  await subscribes([['begin', 0], ...at(31, ['nextPeriod', 'charge', 'renew'])], { code });
  await subscribes([['begin', 0], ...at(31, declined.slice(1)), ['hold', 34], ['expire', 38]], {
    number: cards.declinedAtRenewal,
  });
  await subscribes([['begin', 0], ...at(31, declined.slice(1)), ...at(33, ['charge', 'renew'])], {
    number: cards.declinedOnceAtRenewal,
  });
  await subscribes([['begin', 0], ...at(31, declined.slice(1))], { number: cards.declinedAtRenewal });
  await subscribes([['begin', 10]]);
  await subscribes([
    ['begin', 0],
    ['cancel', 12],
  ]);
  await subscribes(at(9, ['nextPeriod', 'charge', 'renew']), { feeId: trial.id });
  // A card has one trial.
  await subscribes([['cancel', 9]], { feeId: trial.id, number: cards.lostAtRenewal });
  await subscribes([], { feeId: trial.id, number: cards.busyAtRenewal });
  await app.pool.query(
    `INSERT INTO refunds (token, merchant_id, account_id, charge_id, amount_minor, currency, revoke_access, state,
       requested_by, settled_at)
     SELECT gen_random_uuid(), merchant_id, account_id, id, 100, currency, false, 'refunded', merchant_id,
       to_timestamp($2::double precision / 1000)
     FROM charges WHERE merchant_id = $1 AND status = 'paid' ORDER BY id LIMIT 1`,
    [shop.merchant.id, startMs + 20 * dayMs],
  );
  await app.pool.query(
    `INSERT INTO disputes (provider, reference, charge_id, is_won, told_at)
     SELECT 'sandbox', 'taken-back', id, false, to_timestamp($2::double precision / 1000)
     FROM charges WHERE merchant_id = $1 AND status = 'paid' ORDER BY id DESC LIMIT 1`,
    [shop.merchant.id, startMs + 36 * dayMs],
  );
}

/** The number that the rows give, by the text of the link. */
type Rule = (totals: Record<string, number>) => number;
const rows: Rule = ({ Rows = 0 }) => Rows;
const sum: Rule = ({ Total = 0 }) => Math.abs(Total);
const inState: Rule = (totals) => totals['In this status'] ?? 0;
const customers: Rule = (totals) => totals['Paying customers'] ?? 0;
const counted: Rule = ({ Subscriptions = 0 }) => Subscriptions;

const tiles: Record<string, Rule> = {
  'Monthly recurring revenue': sum,
  'Annual recurring revenue': (totals) => 12 * sum(totals),
  Revenue: sum,
  Refunds: sum,
  Chargebacks: sum,
  'Net revenue': sum,
  'Active subscriptions': inState,
  New: rows,
  Churned: rows,
  Trials: inState,
  'Overdue payments': inState,
  'Paying customers': customers,
};
/** The number in the text of a link. */
const wholes: Record<string, Rule> = {
  'at the start': counted,
  ended: rows,
  decided: rows,
  customers,
  churned: rows,
};

const pageOf = (from: number, to: number, more = '', reader = walker) =>
  reader.open(`/console/reports?from=${dayAhead(from, startMs)}&to=${dayAhead(to, startMs)}&interval=week${more}`);

/** Every number as it is shown, and as its rows give it. */
async function compare(shown: readonly Shown[], ruleOf: (shown: Shown) => Rule | undefined) {
  const found: [name: string, shown: number, rows: number][] = [];
  for (const each of shown) {
    const rule = ruleOf(each);
    if (!rule) continue;
    const named = `${each.text} ${each.address}`;
    found.push([named, Math.abs(each.value), rule(await totalsAt(walker, each.address))]);
  }
  return {
    count: found.length,
    shown: found.map(([name, value]) => [name, value.toFixed(2)]),
    rows: found.map(([name, , value]) => [name, value.toFixed(2)]),
  };
}

/** Splits a page into its sections by their first texts. */
function sectionsOf({ text }: { text: string }) {
  const [, tilesText = '', chartsText = '', groupsText = '', cohortsText = ''] = text.split(
    /aria-label="Summary"|class="charts"|id="revenue-by"|class="cohorts"/,
  );
  return { tiles: tilesText, charts: chartsText, groups: groupsText, cohorts: cohortsText };
}

test.each([
  [5, 39],
  [-1, 60],
])('the tiles of the days %i to %i, and what their shares are of', async (from, to) => {
  const page = sectionsOf(await pageOf(from, to));
  const shown = numbersOn({ text: page.tiles });
  const found = await compare(shown, ({ text }) => tiles[text] ?? wholes[text.replace(/^\D*\d+ /, '')]);
  expect(found.shown).toEqual(found.rows);
  expect(found.count).toBe(17);
  for (const [name, whole, rule] of [
    ['Trial conversion rate', 'ended', rows],
    ['Recovery rate', 'decided', rows],
    ['Churn rate', 'at the start', counted],
  ] as const) {
    const addressOf = (isIt: (text: string) => boolean) => shown.find(({ text }) => isIt(text))?.address ?? '';
    const parts = rows(
      await totalsAt(
        walker,
        addressOf((text) => text === name),
      ),
    );
    const all = rule(
      await totalsAt(
        walker,
        addressOf((text) => text.endsWith(whole)),
      ),
    );
    const share = all === 0 ? NaN : Math.round((1000 * parts) / all) / 10;
    expect([name, shown.find(({ text }) => text === name)?.value]).toEqual([name, share]);
  }
});

test('what happened to payments that failed has amounts, and they come to those of the chart', async () => {
  const page = sectionsOf(await pageOf(5, 39));
  const shown = numbersOn({ text: page.charts }).filter(({ address }) => address.includes('what=dunning'));
  const keys = shown.filter(({ text }) => ['Failed', 'Recovered', 'Lost'].includes(text));
  expect(keys.map(({ text, value }) => [text, value])).toEqual([
    ['Failed', 30],
    ['Recovered', 10],
    ['Lost', 10],
  ]);
});

test('the charts: what each colour comes to, and each number of their tables', async () => {
  const page = sectionsOf(await pageOf(5, 39));
  const countsOnly = /what=(trial_|renewed)|kind=new&|kind=churn_voluntary,churn_payment/;
  for (const section of page.charts.split('<h2>').slice(1)) {
    const heading = section.slice(0, section.indexOf('<'));
    // A measure has no rows of its own: those of the recovered payments are behind the chart above.
    if (heading === 'Recovered payments by measure') continue;
    const isCount = ['Subscriptions', 'Trials'].includes(heading);
    const found = await compare(numbersOn({ text: section }), ({ address }) =>
      isCount && countsOnly.test(address) ? rows : sum,
    );
    expect(found.shown).toEqual(found.rows);
    expect([heading, found.count >= 4]).toEqual([heading, true]);
  }
});

test.each(['item', 'fee', 'country', 'payment_method', 'voucher', 'kind'])('the revenue by %s', async (group) => {
  const page = sectionsOf(await pageOf(-1, 39, `&group_by=${group}`));
  const found = await compare(numbersOn({ text: page.groups }), ({ address }) =>
    address.includes('type=') ? rows : sum,
  );
  expect(found.shown).toEqual(found.rows);
  expect(found.count).toBeGreaterThanOrEqual(2);
});

test('who stays: how many began in a month, and how many of them are left', async () => {
  const page = sectionsOf(await pageOf(-1, 39));
  const shown = numbersOn({ text: page.cohorts });
  const sizes = shown.filter(({ address }) => address.includes('first='));
  const found = await compare(sizes, () => rows);
  expect(found.shown).toEqual(found.rows);
  expect(sizes.length).toBeGreaterThan(0);
  for (const { address, value } of shown.filter(({ address: each }) => !each.includes('first='))) {
    const cohort = new URLSearchParams(address.split('?')[1]).get('cohort');
    const size = sizes.find((each) => each.address.includes(`cohort=${cohort}`))?.value ?? 0;
    const left = counted(await totalsAt(walker, address));
    expect([address, value]).toEqual([address, Math.round((100 * left) / size)]);
  }
});

test('under the heading of each chart and table stands what its numbers mean, in the reader’s language', async () => {
  const english = (await pageOf(5, 39)).text;
  const reader = await enterConsole(app, shop.merchant.email);
  const arabic = (await pageOf(5, 39, '&lang=ar', reader)).text;
  for (const page of [english, arabic]) {
    const sections = page.split('<h2>').slice(1);
    const told = sections.map((section) => {
      const [, meaning = ''] =
        /<\/h2>(?:\s*<p[^>]*>[^<]*<\/p>)?\s*<details class="small meaning">([^]*?)<\/details>/.exec(section) ?? [];
      return [...meaning.matchAll(/<dt class="strong">[^<]+<\/dt>\s*<dd>[^<]+<\/dd>/g)].length;
    });
    // The tiles, seven charts, the measures, the groups and the cohorts.
    expect(told).toEqual([17, 1, 7, 6, 3, 3, 3, 3, 1, 2, 2]);
  }
});

test('the overview: what came in today, who came and went, and what comes in every month', async () => {
  const shown = numbersOn(await walker.open('/console'));
  const overview = { ...tiles, 'New subscriptions': rows, 'Ended subscriptions': rows };
  const found = await compare(shown, ({ text }) => overview[text as keyof typeof overview]);
  expect(found.shown).toEqual(found.rows);
  expect(found.count).toBe(5);
});
