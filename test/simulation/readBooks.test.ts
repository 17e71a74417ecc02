import { Client } from 'pg';
import { type TestApp } from '../support/startApp';
import { buy, createQuietShop, present, settled, startStoreApp, type Stores } from '../support/stores';
import { readBooks } from './readBooks';

/** What the simulator reads from the tables of the service. */

let stores: Stores;
let app: TestApp;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ app, stores, stop } = await startStoreApp());
});
afterAll(() => stop());

test('a claim has the access of its purchase, also after a crash left out numbers of the source of access', async () => {
  const shop = await createQuietShop(app, stores);
  await app.pool.query(`SELECT setval('access_source_ids', nextval('access_source_ids') + 32)`);
  const reply = await present(shop, buy(shop, 'google-play'));
  await settled(shop, reply);

  const client = new Client(app.pool.options);
  await client.connect();
  const { claims } = await readBooks(client).finally(() => client.end());
  const token = reply.body.external_payment_id;
  expect(claims.filter((claim) => claim.token === token)).toMatchObject([{ state: 'succeeded', accesses: 1 }]);
});
