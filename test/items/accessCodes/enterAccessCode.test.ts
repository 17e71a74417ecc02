import { randomUUID } from 'node:crypto';
import { createCode, enterCode, moveClock } from '../../support/access';
import { call } from '../../support/client';
import { createShop } from '../../support/factories';
import { guessSevenTimes } from '../../support/guesses';
import { type ErrorBody, send } from '../../support/raw';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

let app: TestApp;

beforeAll(async () => (app = await startApp({ TRUSTED_PROXIES: 'loopback' })));
afterAll(() => app.stop());

const errorOf = ({ status, body }: { status: number; body: unknown }) => {
  const { error, errors = {} } = body as ErrorBody;
  return [status, error, ...Object.keys(errors)];
};

let addresses = 0;
const from = (address = `10.1.0.${(addresses += 1)}`) => ({ headers: { 'X-Forwarded-For': address } });

async function createCodeShop(fields: Record<string, unknown> = {}) {
  const shop = await createShop(app);
  const { body } = await createCode(app, shop, fields);
  return { ...shop, code: body };
}

test('200: the content, without an account, however the code is spelled', async () => {
  const { item, code } = await createCodeShop({ code: 'Cup-Final 2030' });
  const device = randomUUID();
  const { status, body } = await enterCode(app, item.id, ' cupfinal-2030 ', device);
  expect(status).toBe(200);
  expect(body).toEqual({
    item_id: item.id,
    content: item.content,
    in_use: true,
    browser_fingerprint: device,
    code: 'Cup-Final 2030',
    type: 'html_asset',
    code_id: code.code_id,
  });
});

test('404 item_not_found: to what is not sold any more no other device comes, and who is in stays in', async () => {
  const { merchant, item, code } = await createCodeShop({ device_limit: 3 });
  const inside = randomUUID();
  await enterCode(app, item.id, code.code, inside);
  await call(app, 'DELETE', `/items/${item.id}`, undefined, merchant);
  expect((await enterCode(app, item.id, code.code, inside)).status).toBe(200);
  expect(errorOf(await enterCode(app, item.id, code.code, randomUUID()))).toEqual([404, 'item_not_found']);
});

test('200: as multipart, as the JavaScript client sends it', async () => {
  const { item, code } = await createCodeShop();
  const body = new FormData();
  body.set('item_id', String(item.id));
  body.set('code', code.code);
  body.set('browser_fingerprint', randomUUID());
  const reply = await send<{ content: string }>(app, 'POST', '/items/access/codes/entry', { body });
  expect([reply.status, reply.body.content]).toEqual([200, item.content]);
});

test('200: a device that is in comes in again, also when no place is left', async () => {
  const { item, code } = await createCodeShop({ device_limit: 1 });
  const device = randomUUID();
  for (let times = 0; times < 3; times += 1)
    expect((await enterCode(app, item.id, code.code, device)).status).toBe(200);
  expect((await enterCode(app, item.id, code.code)).status).toBe(400);
  const { rows } = await app.pool.query('SELECT devices FROM access_codes WHERE id = $1', [code.code_id]);
  expect(rows).toEqual([{ devices: 1 }]);
});

test('400 access_code_in_use: 200 devices at once, of which exactly the limit gets in', async () => {
  const { item, code } = await createCodeShop({ device_limit: 7 });
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, index) => enterCode(app, item.id, code.code, `device-${index}`, from())),
  );
  const statuses = replies.map(({ status }) => status);
  expect([statuses.filter((status) => status === 200).length, new Set(statuses)]).toEqual([7, new Set([200, 400])]);
  const refused = replies.find(({ status }) => status === 400);
  expect(refused && errorOf(refused)).toEqual([400, 'access_code_in_use', 'code']);
  expect(JSON.stringify(refused?.body)).not.toContain(item.content);
  const { rows } = await app.pool.query(
    `SELECT c.devices, count(s.id)::int AS sessions FROM access_codes c JOIN access_code_sessions s ON s.code_id = c.id
     WHERE c.id = $1 GROUP BY c.id`,
    [code.code_id],
  );
  expect(rows).toEqual([{ devices: 7, sessions: 7 }]);
});

test('200: the same device forty times at once takes one place', async () => {
  const { item, code } = await createCodeShop({ device_limit: 2 });
  const replies = await Promise.all(
    Array.from({ length: 40 }, () => enterCode(app, item.id, code.code, 'device', from())),
  );
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  const { rows } = await app.pool.query('SELECT devices FROM access_codes WHERE id = $1', [code.code_id]);
  expect(rows).toEqual([{ devices: 1 }]);
});

test('401 invalid_access_code: no such code, one of another item, one that is over by the merchant’s time', async () => {
  const [shop, other] = [await createCodeShop(), await createCodeShop()];
  const wrong = [401, 'invalid_access_code', 'code'];
  expect(errorOf(await enterCode(app, shop.item.id, 'AAAA-BBBB-CCCC', 'd', from()))).toEqual(wrong);
  expect(errorOf(await enterCode(app, shop.item.id, other.code.code, 'd', from()))).toEqual(wrong);
  const expires_at = Math.floor(Date.now() / 1000) + 3600;
  const { body } = await createCode(app, shop, { expires_at });
  expect((await enterCode(app, shop.item.id, body.code, 'd', from())).status).toBe(200);
  await moveClock(app, shop.merchant, '2 hours');
  expect(errorOf(await enterCode(app, shop.item.id, body.code, 'd', from()))).toEqual(wrong);
});

test('402 access_restricted: what is restricted is so for codes too', async () => {
  const { merchant, item, code } = await createCodeShop();
  await app.pool.query(
    `INSERT INTO domain_restrictions (merchant_id, item_id, type, domain) VALUES ($1, $2, 'whitelist', 'news.example')`,
    [merchant.id, item.id],
  );
  const enter = (origin: string) => enterCode(app, item.id, code.code, 'd', { headers: { Origin: origin } });
  await until(async () => (await enter('https://thief.example')).status === 402);
  const refused = await enter('https://thief.example');
  expect(errorOf(refused)).toEqual([402, 'access_restricted', 'domain']);
  expect(refused.body).toMatchObject({ id: item.id });
  expect((await enter('https://news.example')).status).toBe(200);
  await app.pool.query('INSERT INTO age_restrictions (merchant_id, item_id, min_age) VALUES ($1, $2, 18)', [
    merchant.id,
    item.id,
  ]);
  await until(async () => (await enter('https://news.example')).status === 402);
  expect(errorOf(await enter('https://news.example'))).toEqual([402, 'access_restricted', 'age']);
});

test('402 access_restricted: where a pin is asked for, since nobody is signed in to have entered one', async () => {
  const { merchant, item, code } = await createCodeShop();
  await app.pool.query(
    `INSERT INTO restriction_settings (merchant_id, age_verification_enabled, age_verification_type)
     VALUES ($1, true, 'pin_code')
     ON CONFLICT (merchant_id) DO UPDATE SET age_verification_enabled = true, age_verification_type = 'pin_code'`,
    [merchant.id],
  );
  expect(errorOf(await enterCode(app, item.id, code.code))).toEqual([402, 'access_restricted', 'pin']);
});

test('404 item_not_found: no such item', async () => {
  expect(errorOf(await enterCode(app, 2_147_483_646, 'AAAA-BBBB-CCCC'))).toEqual([404, 'item_not_found']);
});

test('429 too_many_requests: guesses from one address, which block nobody else', async () => {
  const { item, code } = await createCodeShop({ device_limit: 10 });
  const guesser = from();
  const statuses = await guessSevenTimes(app, (count) => enterCode(app, item.id, `WRONG-${count}`, 'd', guesser));
  expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429]);
  const blocked = await enterCode(app, item.id, code.code, 'd', guesser);
  expect(blocked.status).toBe(429);
  expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(30);
  expect((await enterCode(app, item.id, code.code, 'd', from())).status).toBe(200);
});
