import { cards, createMerchant, createShop, reaches, subscribe } from '../../support/factories';
import { enterConsole } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';
import { failToRenew, passDays } from '../../support/testClock';

/** The key figures of the overview, and what needs attention. */

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const overviewOf = async (email: string) => (await (await enterConsole(app, email)).open('/console')).text;
/** The value and the note of each key figure, as text. */
const figuresIn = (page: string) =>
  (/<div class="key-figures">([^]*?)<\/section>/.exec(page)?.[1] ?? '')
    .split('<div class="card stat"')
    .slice(1)
    .map((tile) =>
      tile
        .replaceAll(/<svg[^]*?<\/svg>/g, '')
        .replaceAll(/^[^>]*>|<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );

test('200: a merchant without a sale sees no figures, and that nothing needs attention', async () => {
  const page = await overviewOf((await createMerchant(app)).email);
  expect(figuresIn(page)).toEqual([]);
  expect(page).toContain('Nothing needs your attention.');
});

test('200: the figures of the last 30 days, each with its change', async () => {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  const page = await overviewOf(shop.merchant.email);
  expect(figuresIn(page)).toEqual([
    'Monthly recurring revenue €9.99 +€9.99 vs €0.00',
    'Net revenue €9.99 +€9.99 vs €0.00',
    'Net new subscriptions +1 +1 vs 0',
    'Churn rate –',
  ]);
  // The churn has no line, because no subscription could end.
  const lines = [...page.matchAll(/<svg\s+class="spark"[^]*?<polyline points="([^"]+)"/g)].map(([, points]) => points);
  expect(lines).toHaveLength(3);
  expect(lines[2]).toMatch(/^0,26 .* 120,2$/);
});

test('200: each figure has the course of its days, also the churn rate', async () => {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  await passDays(app, shop.merchant, 31);
  const page = await overviewOf(shop.merchant.email);
  expect(page.match(/<svg\s+class="spark"/g)).toHaveLength(4);
});

test('200: an overdue payment needs attention, with the link to the list', async () => {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop, cards.declinedAtRenewal);
  await failToRenew(app, shop, body.subscription_id);
  const page = await overviewOf(shop.merchant.email);
  expect(page).toContain('<a class="strong" href="/console/subscriptions?status=past_due">1 overdue payment</a>');
  expect(page).not.toContain('Nothing needs your attention.');
});
