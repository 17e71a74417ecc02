import { type z } from 'zod';
import { type AccessExplanation } from '../../../src/entitlements/explanations.schemas';
import { createPackage, giveByHand, takeAway } from '../../support/access';
import { call } from '../../support/client';
import { createItem, createShop, type Person, type Shop } from '../../support/factories';
import { tablesChangedBy } from '../../support/fingerprint';
import { grant } from '../../support/grant';
import { type ErrorBody } from '../../support/raw';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';
import { createFollower } from '../../support/world';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

type Explanation = z.output<typeof AccessExplanation> & ErrorBody;

const explain = ({ item, consumer }: Pick<Shop, 'item' | 'consumer'>, staff: Pick<Person, 'token'>, query = '') =>
  call<Explanation>(
    app,
    'GET',
    `/items/${item.id}/access?explain=true&account_id=${consumer.id}${query}`,
    undefined,
    staff,
  );

const outcomes = ({ steps }: Explanation) => Object.fromEntries(steps.map(({ step, outcome }) => [step, outcome]));

test('200: every step of a check that says yes, and the entitlement that answers', async () => {
  const shop = await createShop(app);
  const { merchant, item } = shop;
  const packageId = await createPackage(app, merchant, [item.id]);
  const old = await grant(app, shop, { from: '-2 hours', to: '-1 hour' });
  const { body: given } = await giveByHand(app, shop);
  const longer = await grant(app, { ...shop, item: { ...item, id: packageId } }, { from: '-1 hour', to: '9 days' });
  const { status, body } = await explain(shop, merchant);
  expect(status).toBe(200);
  expect(body).toMatchObject({ item_id: item.id, account_id: shop.consumer.id, granted: true, refused_by: null });
  expect(outcomes(body)).toEqual({
    session: 'passed',
    item: 'passed',
    domain: 'no_rule',
    geo: 'no_rule',
    age: 'no_rule',
    entitlement: 'passed',
    pin: 'no_rule',
  });
  expect(body.entitlements).toEqual([
    expect.objectContaining({ id: longer.id, item_id: packageId, state: 'running', answers: true }),
    expect.objectContaining({ id: given.id, item_id: item.id, source: 'grant', state: 'running', answers: false }),
    expect.objectContaining({ id: old.id, state: 'expired', answers: false }),
  ]);
  const { body: checked } = await call(app, 'GET', `/items/${item.id}/access`, undefined, shop.consumer);
  expect(checked['id']).toBe(longer.id);
});

test('200: which rule says no', async () => {
  const shop = await createShop(app);
  const { merchant, item, consumer } = shop;
  expect((await explain(shop, merchant)).body).toMatchObject({ granted: false, refused_by: 'entitlement' });
  const { body: given } = await giveByHand(app, shop);
  await app.pool.query(
    `INSERT INTO domain_restrictions (merchant_id, item_id, type, domain) VALUES ($1, $2, 'whitelist', 'news.example')`,
    [merchant.id, item.id],
  );
  await app.pool.query('INSERT INTO age_restrictions (merchant_id, item_id, min_age) VALUES ($1, $2, 18)', [
    merchant.id,
    item.id,
  ]);
  await app.pool.query(`UPDATE accounts SET date_of_birth = '2020-01-01' WHERE id = $1`, [consumer.id]);
  const body = await until(async () => {
    const { body: asked } = await explain(shop, merchant);
    return outcomes(asked)['age'] === 'refused' && asked;
  });
  expect(outcomes(body)).toMatchObject({ domain: 'unknown', geo: 'no_rule', age: 'refused', entitlement: 'passed' });
  expect(body.refused_by).toBe('age');
  const from = async (host: string) => outcomes((await explain(shop, merchant, `&host=${host}`)).body)['domain'];
  expect([await from('www.news.example'), await from('thief.example')]).toEqual(['passed', 'refused']);
  await takeAway(app, shop, given.id);
  await app.pool.query('UPDATE sessions SET revoked_at = now() WHERE account_id = $1', [consumer.id]);
  const { body: ended } = await explain(shop, merchant);
  expect([ended.refused_by, ended.entitlements.map(({ state }) => state)]).toEqual(['session', ['revoked']]);
});

test('200: a country that is asked for by an address; without one it is unknown', async () => {
  const shop = await createShop(app);
  const { merchant, item } = shop;
  const { rows } = await app.pool.query<{ id: number }>(
    `INSERT INTO country_sets (merchant_id, name, type, is_global) VALUES ($1, 'Home', 'whitelist', false) RETURNING id`,
    [merchant.id],
  );
  const setId = rows[0]?.id;
  await app.pool.query(
    `INSERT INTO country_set_countries (merchant_id, country_set_id, country) VALUES ($1, $2, 'MK')`,
    [merchant.id, setId],
  );
  await app.pool.query('INSERT INTO item_country_sets (merchant_id, item_id, country_set_id) VALUES ($1, $2, $3)', [
    merchant.id,
    item.id,
    setId,
  ]);
  const geo = async (query = '') => outcomes((await explain(shop, merchant, query)).body)['geo'];
  expect(await geo()).toBe('unknown');
  expect(await geo('&ip_address=62.162.0.1')).toBe('passed');
  expect(await geo('&ip_address=8.8.8.8')).toBe('refused');
});

test('200: it changes nothing, not even for an item that is free after sign-in', async () => {
  const shop = await createShop(app);
  const item = await createItem(app, shop.merchant, { access_control_type_id: 3 });
  const changed = await tablesChangedBy(app.pool, async () => {
    const { body } = await explain({ ...shop, item }, shop.merchant);
    expect([body.granted, body.entitlements]).toEqual([true, []]);
  });
  expect(changed).toEqual([]);
});

test('200: a consumer who asks for an explanation is answered as ever, about itself', async () => {
  const shop = await createShop(app);
  const stranger = await createShop(app);
  await grant(app, shop, { from: '-1 hour', to: '1 hour' });
  const { body } = await explain({ item: shop.item, consumer: stranger.consumer }, shop.consumer);
  expect(body).toMatchObject({ account_id: shop.consumer.id, item: { content: shop.item.content } });
});

test('403 forbidden: a follower without the scope accounts:read', async () => {
  const shop = await createShop(app);
  const world = { app, ...shop };
  const follower = await createFollower(world, ['items:read', 'items:write']);
  expect((await explain(shop, follower)).status).toBe(403);
});

test('400 missing_parameter: no customer is named', async () => {
  const { item, merchant } = await createShop(app);
  const { status, body } = await call<ErrorBody>(app, 'GET', `/items/${item.id}/access?explain=1`, undefined, merchant);
  expect([status, body.error, Object.keys(body.errors ?? {})]).toEqual([400, 'missing_parameter', ['account_id']]);
});

test('400 account_does_not_exist, 404 item_not_found: another merchant’s customer, another merchant’s item', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  expect((await explain({ ...shop, consumer: other.consumer }, shop.merchant)).body.error).toBe(
    'account_does_not_exist',
  );
  expect((await explain({ ...shop, item: other.item }, shop.merchant)).body.error).toBe('item_not_found');
});

test('400 account_does_not_exist: nobody', async () => {
  const shop = await createShop(app);
  const nobody = { ...shop.consumer, id: 2_147_483_646 };
  expect((await explain({ ...shop, consumer: nobody }, shop.merchant)).status).toBe(400);
});

test('422 invalid_input: an address that is none', async () => {
  const shop = await createShop(app);
  const { status, body } = await explain(shop, shop.merchant, '&ip_address=256.1.1.1');
  expect([status, body.errors]).toEqual([422, { ip_address: 'The ip_address must be an IP address.' }]);
});
