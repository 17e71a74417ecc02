import { type EventMessage } from '../../src/notifications/events';
import { giveByHand, moveClock, takeAway } from '../support/access';
import { call, listen } from '../support/client';
import { createConsumer, createItem, createMerchant, createShop, type Person, type Shop } from '../support/factories';
import { createFollower } from '../support/followers';
import { startApp, type TestApp } from '../support/startApp';

/** An event about access contains the content only if the access check would return it too. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

async function contentsIn(person: Person): Promise<unknown[]> {
  const reply = await call<{ collection: EventMessage[] }>(app, 'GET', '/notifications/history', undefined, person);
  const granted = reply.body.collection.filter(({ type }) => type === 'access.granted');
  return granted.map(({ resource }) => (resource['item'] as { content: unknown }).content);
}

async function heardOnTheSocket(shop: Omit<Shop, 'fee'>, person: Person): Promise<unknown> {
  const listening = await listen(app, person);
  await giveByHand(app, shop);
  const { resource } = await listening.hears('access.granted');
  await listening.close();
  return (resource['item'] as { content: unknown }).content;
}

test('listEvents: an entitlement that runs comes with the content', async () => {
  const shop = await createShop(app);
  await giveByHand(app, shop);
  for (const person of [shop.consumer, shop.merchant]) expect(await contentsIn(person)).toEqual([shop.item.content]);
});

test('listEvents: of one that was taken away, or has run out, the content is not told again', async () => {
  const [taken, lapsed] = [await createShop(app), await createShop(app)];
  await takeAway(app, taken, (await giveByHand(app, taken)).body.id);
  await giveByHand(app, lapsed);
  await moveClock(app, lapsed.merchant, '10 years');
  for (const { consumer } of [taken, lapsed]) expect(await contentsIn(consumer)).toEqual(['']);
});

const rules: [string, (shop: Shop) => Promise<{ status: number }>][] = [
  [
    'a pin',
    ({ merchant }) =>
      call(
        app,
        'PATCH',
        '/restrictions/settings',
        { age_verification_enabled: true, age_verification_type: 'pin_code', merchant_uuid: merchant.uuid },
        merchant,
      ),
  ],
  [
    'an age of its own',
    ({ merchant, item }) => call(app, 'POST', `/restrictions/age/item/${item.id}`, { min_age: 18 }, merchant),
  ],
  ['an age of all items', ({ merchant }) => call(app, 'POST', '/restrictions/age', { min_age: 18 }, merchant)],
];

test.each(rules)('the content is left to the access check where %s is asked for', async (_rule, make) => {
  const shop = await createShop(app);
  expect((await make(shop)).status).toBe(200);
  expect(await heardOnTheSocket(shop, shop.consumer)).toBe('');
  expect(await contentsIn(shop.consumer)).toEqual(['']);
});

test('a follower that may not read items is told who was let in, and not to what it reads as', async () => {
  const master = await createMerchant(app);
  const tellsTo = async (...scopes: string[]) => {
    const merchant = await createFollower(app, master, ['payments:read', 'items:write', ...scopes]);
    const shop = { merchant, consumer: await createConsumer(app, merchant), item: await createItem(app, merchant) };
    const { content } = shop.item;
    return { content, heard: await heardOnTheSocket(shop, merchant), read: await contentsIn(merchant) };
  };
  expect(await tellsTo()).toMatchObject({ heard: '', read: [''] });
  const { content, heard, read } = await tellsTo('items:read');
  expect([heard, read]).toEqual([content, [content]]);
});
