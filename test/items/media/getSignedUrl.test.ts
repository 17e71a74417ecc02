import { createVerify } from 'node:crypto';
import { call } from '../../support/client';
import { createConsumer, createItem, createShop, type Person, type Shop } from '../../support/factories';
import { grant } from '../../support/grant';
import { createMediaShop, keyPairId, keys, mediaHost } from '../../support/mediaSettings';
import { type ErrorBody } from '../../support/raw';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const ask = ({ item }: Pick<Shop, 'item'>, person: Pick<Person, 'token'>, url: string) =>
  call<{ video_url: string } & ErrorBody>(
    app,
    'GET',
    `/items/${item.id}/access/cloudfront?url=${url}`,
    undefined,
    person,
  );

const errorOf = ({ status, body }: { status: number; body: ErrorBody }) => [
  status,
  body.error,
  ...Object.keys(body.errors ?? {}),
];

const video = `https://${mediaHost}/films/final.mp4`;
const content = JSON.stringify({ video_url: video, folder: `https://${mediaHost}/extras/` });
const createVideoShop = () => createMediaShop(app, { item_type: 'cloudfront_asset', content });

/** As CloudFront does: rebuilds the canned policy from the address and verifies the signature. */
function verify(signed: string): { asked: string; isValid: boolean; expires: number } {
  const { url, parameters } = taken(signed);
  const expires = Number(parameters['Expires']);
  const policy = JSON.stringify({
    Statement: [{ Resource: url, Condition: { DateLessThan: { 'AWS:EpochTime': expires } } }],
  });
  const base64 = (parameters['Signature'] ?? '').replaceAll('-', '+').replaceAll('_', '=').replaceAll('~', '/');
  const isSigned = createVerify('RSA-SHA1').update(policy).verify(keys.publicKey, base64, 'base64');
  return { asked: url, isValid: isSigned && parameters['Key-Pair-Id'] === keyPairId, expires };
}

function taken(signed: string) {
  const url = new URL(signed);
  const names = ['Expires', 'Signature', 'Key-Pair-Id'];
  const parameters = Object.fromEntries(names.map((name) => [name, url.searchParams.get(name) ?? '']));
  const [path = '', query = ''] = signed.split('?');
  const rest = query.split('&').filter((pair) => !names.includes(pair.split('=')[0] ?? ''));
  return { url: rest.length > 0 ? `${path}?${rest.join('&')}` : path, parameters };
}

test('200: the address with a signature that the public key verifies, for ten minutes', async () => {
  const shop = await createVideoShop();
  const { status, body } = await ask(shop, shop.consumer, video);
  expect(status).toBe(200);
  const { asked, isValid, expires } = verify(body.video_url);
  expect([asked, isValid]).toEqual([video, true]);
  const now = Date.now() / 1000;
  expect(expires).toBeGreaterThan(now + 500);
  expect(expires).toBeLessThanOrEqual(now + 601);
});

test('200: an address with a query of its own, sent as it is or encoded', async () => {
  const shop = await createVideoShop();
  const asked = `${video}?a=b&c=d&url=e`;
  for (const sent of [asked, encodeURIComponent(asked)]) {
    const { status, body } = await ask(shop, shop.consumer, sent);
    expect([status, verify(body.video_url)]).toEqual([200, expect.objectContaining({ asked, isValid: true })]);
  }
});

test('200: what lies in a folder that the item names', async () => {
  const shop = await createVideoShop();
  const { status, body } = await ask(shop, shop.consumer, `https://${mediaHost}/extras/interview.m3u8`);
  expect([status, verify(body.video_url).isValid]).toEqual([200, true]);
});

test('200: never longer than the access', async () => {
  const shop = await createVideoShop();
  await app.pool.query(`UPDATE accesses SET expires_at = now() + interval '2 minutes' WHERE account_id = $1`, [
    shop.consumer.id,
  ]);
  const { body } = await ask(shop, shop.consumer, video);
  expect(verify(body.video_url).expires).toBeLessThanOrEqual(Date.now() / 1000 + 121);
});

test('402 access_not_found: who has no access, before anything is told of the address', async () => {
  const shop = await createVideoShop();
  const stranger = await createConsumer(app, shop.merchant);
  for (const url of [video, 'x']) expect(errorOf(await ask(shop, stranger, url))).toEqual([402, 'access_not_found']);
});

test('402 access_restricted: who may not see the item', async () => {
  const shop = await createVideoShop();
  await app.pool.query('INSERT INTO age_restrictions (merchant_id, item_id, min_age) VALUES ($1, $2, 18)', [
    shop.merchant.id,
    shop.item.id,
  ]);
  expect(errorOf(await ask(shop, shop.consumer, video))).toEqual([402, 'access_restricted', 'age']);
});

test('400 missing_parameter: no address', async () => {
  const shop = await createVideoShop();
  expect(errorOf(await ask(shop, shop.consumer, ''))).toEqual([400, 'missing_parameter', 'url']);
});

test('404 item_not_found: another merchant’s item', async () => {
  const [shop, other] = [await createVideoShop(), await createVideoShop()];
  expect(errorOf(await ask(other, shop.consumer, video))).toEqual([404, 'item_not_found']);
});

test('409 media_not_configured: the merchant has set no key', async () => {
  const shop = await createShop(app);
  const item = await createItem(app, shop.merchant, { content });
  await grant(app, { ...shop, item }, { from: '-1 hour', to: '1 hour' });
  expect(errorOf(await ask({ item }, shop.consumer, video))).toEqual([409, 'media_not_configured']);
});

test.each([
  ['of another host', 'https://other.example.org/films/final.mp4'],
  ['of a host that only begins so', `https://${mediaHost}.example.com/films/final.mp4`],
  ['of a host behind a name', `https://${mediaHost}@example.com/films/final.mp4`],
  ['without encryption', `http://${mediaHost}/films/final.mp4`],
  ['of another port', `https://${mediaHost}:8443/films/final.mp4`],
  ['that is a script', 'javascript:alert(1)'],
  ['that is none', 'films/final.mp4'],
  ['that the item does not name', `https://${mediaHost}/films/another.mp4`],
  ['that leaves the folder', `https://${mediaHost}/extras/../films/another.mp4`],
  ['with a wildcard', `https://${mediaHost}/extras/*`],
  ['with a wildcard for one letter', `${video}????`],
  ['that is signed already', `${video}?Expires=1&Signature=x&Key-Pair-Id=y`],
  ['with a fragment', `${video}%23top`],
])('422 invalid_input: an address %s', async (_what, url) => {
  const shop = await createVideoShop();
  expect(errorOf(await ask(shop, shop.consumer, url))).toEqual([422, 'invalid_input', 'url']);
});
