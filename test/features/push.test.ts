import { type Chromium, describeInBrowser, startChromium, type Visitor } from '../support/chromium';
import { call } from '../support/client';
import { cards, createFee, createItem, createShop, type Person } from '../support/factories';
import { publishEvents } from '../support/events';
import { getKeys, openMqtt } from '../support/mqtt';
import {
  contentOf,
  createBrandedMerchant,
  pay,
  paywallOf,
  registerAt,
  showPictures,
  typeCard,
} from '../support/paywall';
import { openSocket } from '../support/socket';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

/** While a merchant's `push` is off, no event is pushed: sockets are closed, and pages poll. */

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const turn = (merchant: Person, enabled: boolean) => call(app, 'PUT', '/v2/features/push', { enabled }, merchant);
const listen = ({ token, merchantUuid }: Person) =>
  openSocket(app, { merchant_uuid: merchantUuid }, { headers: { Authorization: `Bearer ${token}` } });

test('4410: the channel is closed while it is off, and told what happened when it is on again', async () => {
  const { merchant, consumer } = await createShop(app);
  const { sessionToken } = await getKeys(app, consumer);
  const before = listen(consumer);
  expect(await before.answered).toBe(101);
  await turn(merchant, false);
  expect(await before.closed).toBe(4410);
  expect(await listen(consumer).closed).toBe(4410);
  expect(await listen(merchant).closed).toBe(4410);
  expect(await openMqtt(app, sessionToken).refused).toContain('Not authorized');
  await publishEvents(consumer, merchant.id, [1]);
  const missed = await call<{ collection: object[] }>(app, 'GET', '/notifications/history', undefined, consumer);
  expect(missed.body.collection).toMatchObject([{ resource: { item_id: 1 } }]);
  await turn(merchant, true);
  const after = listen(consumer);
  expect(await after.answered).toBe(101);
  await publishEvents(consumer, merchant.id, [2]);
  await until(() => after.heard.some(({ resource }) => resource['item_id'] === 2));
  after.socket.close();
});

test('101: another merchant’s channel stays', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  const own = listen(other.consumer);
  expect(await own.answered).toBe(101);
  await turn(shop.merchant, false);
  expect(await listen(shop.consumer).closed).toBe(4410);
  await publishEvents(other.consumer, other.merchant.id, [1]);
  await until(() => own.heard.length === 1);
  own.socket.close();
});

describeInBrowser('at the paywall', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterEach(() => visitor.context.close());
  afterAll(() => chromium.close());

  test.each([
    ['on', true, 1],
    ['off', false, 0],
  ])('%s: the content comes without a reload, by a socket or by looking', async (_state, isOn, sockets) => {
    const merchant = await createBrandedMerchant(app);
    const item = await createItem(app, merchant);
    await createFee(app, merchant, item.id);
    await turn(merchant, isOn);
    visitor = await chromium.newVisitor();
    const { page, complaints } = visitor;
    const opened = new Set<string>();
    page.on('websocket', (socket) => opened.add(new URL(socket.url()).pathname));
    await showPictures(page);
    await page.goto(paywallOf(app, { merchant, item }));
    await page.evaluate('window.stillHere = true');
    await registerAt(page);
    await typeCard(page, cards.success);
    await pay(page);
    await contentOf(visitor).getByText('The final.').waitFor();
    expect(await page.evaluate('window.stillHere')).toBe(true);
    expect([opened.size, complaints]).toEqual([sockets, []]);
  });
});
