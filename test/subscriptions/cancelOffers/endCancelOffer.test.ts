import { call } from '../../support/client';
import { createOffer, half, listOffers } from '../../support/cancelOffers';
import { createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const end = (merchant: Person, id: number) => call(app, 'DELETE', `/v2/cancel-offers/${id}`, undefined, merchant);

test('200: the offer stays in the list as ended, and another one takes its place', async () => {
  const merchant = await createMerchant(app);
  const { id } = (await createOffer(app, merchant)).body;
  expect((await end(merchant, id)).status).toBe(200);
  expect((await createOffer(app, merchant, { ...half, percent: 20 })).status).toBe(201);
  const [present, ended] = await listOffers(app, merchant);
  expect([present?.ended_at, present?.percent]).toEqual([0, 20]);
  expect([ended?.id, ended?.percent]).toEqual([id, 50]);
  expect(ended?.ended_at).toBeGreaterThan(0);
});

test('404 cancel_offer_not_found: another merchant’s, an unknown one, and one that has ended', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  const { id } = (await createOffer(app, merchant)).body;
  expect(await end(other, id)).toMatchObject({ status: 404, body: { error: 'cancel_offer_not_found' } });
  expect((await end(merchant, 2_000_000_000)).status).toBe(404);
  expect((await end(merchant, id)).status).toBe(200);
  expect((await end(merchant, id)).status).toBe(404);
  expect(await listOffers(app, other)).toEqual([]);
});
