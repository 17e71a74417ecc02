import { acceptOffer, askOffer, createOffer, half, listOffers } from '../../support/cancelOffers';
import { call } from '../../support/client';
import { createConsumer, purchase, reaches } from '../../support/factories';
import { type Scenarios, startScenarios } from '../../support/scenarios';

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));
afterAll(() => scenarios.stop());

test('200: what customers decided on each offer, with the share of acceptances; nothing of another merchant', async () => {
  const first = await scenarios.subscribe();
  const { shop } = first;
  const { app } = scenarios;
  await createOffer(app, shop.merchant);
  await createOffer(app, shop.merchant, { ...half, percent: 20, reason: 'other' });
  const others = [];
  for (const consumer of [await createConsumer(app, shop.merchant), await createConsumer(app, shop.merchant)]) {
    const { body } = await call<{ subscription_id: string }>(app, 'POST', '/subscriptions', purchase(shop), consumer);
    await reaches(app, consumer, body.subscription_id, 'active');
    others.push(scenarios.of({ ...shop, consumer }, body.subscription_id));
  }
  const [second, third] = others;
  if (!second || !third) throw new Error('there are three subscriptions');
  await acceptOffer(app, first, (await askOffer(first)).body.offer_id);
  await askOffer(second);
  await second.send('DELETE', `/subscriptions/${second.id}`);
  await askOffer(third);
  expect(await listOffers(app, shop.merchant)).toMatchObject([
    { percent: 20, reason: 'other', item_id: null, shown: 0, accepted: 0, refused: 0, share: null },
    { percent: 50, reason: null, shown: 3, accepted: 1, refused: 1, share: 33.3 },
  ]);
  const stranger = await scenarios.subscribe();
  expect(await listOffers(app, stranger.shop.merchant)).toEqual([]);
});

test('200: the same list as CSV', async () => {
  const scenario = await scenarios.subscribe();
  const { merchant, item } = scenario.shop;
  await createOffer(scenarios.app, merchant, { ...half, item_id: item.id });
  await askOffer(scenario);
  const headers = { Authorization: `Bearer ${merchant.token}` };
  const file = await fetch(`${scenarios.app.address}/reporting/exports/cancel-offers`, { headers });
  expect(file.status).toBe(200);
  const [head, line] = (await file.text()).split('\r\n');
  expect(head).toBe(
    'id,kind,percent,charges,pause_months,access_fee_id,item_id,item_title,reason,shown,accepted,refused,share,created_at,ended_at',
  );
  expect(line).toMatch(new RegExp(`^\\d+,discount,50,2,,,${item.id},[^,]+,,1,0,0,0,`));
});
