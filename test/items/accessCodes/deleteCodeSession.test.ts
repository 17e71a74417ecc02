import { createCode, enterCode } from '../../support/access';
import { call } from '../../support/client';
import { createShop } from '../../support/factories';
import { guessSevenTimes } from '../../support/guesses';
import { type ErrorBody } from '../../support/raw';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp({ TRUSTED_PROXIES: 'loopback' })));
afterAll(() => app.stop());

const end = (named: string | number, fingerprint: string, address = '10.3.0.1') =>
  call<ErrorBody>(app, 'DELETE', `/items/access/codes/${named}/${fingerprint}`, undefined, {
    headers: { 'X-Forwarded-For': address },
  });

test('200: a place for another device, once however often it is asked', async () => {
  const shop = await createShop(app);
  const { body: code } = await createCode(app, shop, { device_limit: 1 });
  await enterCode(app, shop.item.id, code.code, 'first');
  expect((await enterCode(app, shop.item.id, code.code, 'second')).status).toBe(400);
  const replies = await Promise.all(Array.from({ length: 5 }, () => end(code.code_id, 'first')));
  expect(replies.map(({ status, body }) => [status, body.message])).toEqual(
    replies.map(() => [200, 'Successfully deleted session']),
  );
  const { rows } = await app.pool.query('SELECT devices FROM access_codes WHERE id = $1', [code.code_id]);
  expect(rows).toEqual([{ devices: 0 }]);
  expect((await enterCode(app, shop.item.id, code.code, 'second')).status).toBe(200);
});

test('200: by the code itself, as older clients ask', async () => {
  const shop = await createShop(app);
  const { body: code } = await createCode(app, shop, { device_limit: 1 });
  await enterCode(app, shop.item.id, code.code, 'first');
  expect((await end(code.code, 'first')).status).toBe(200);
  expect((await enterCode(app, shop.item.id, code.code, 'second')).status).toBe(200);
});

test('200: devices that come and go at once never take more places than there are', async () => {
  const shop = await createShop(app);
  const { body: code } = await createCode(app, shop, { device_limit: 3 });
  await Promise.all(
    Array.from({ length: 120 }, (_, index) =>
      index % 2 === 0
        ? enterCode(app, shop.item.id, code.code, `d${index % 10}`, {
            headers: { 'X-Forwarded-For': `10.3.1.${index}` },
          })
        : end(code.code_id, `d${(index - 1) % 10}`, `10.3.2.${index}`),
    ),
  );
  const { rows } = await app.pool.query<{ devices: number; sessions: number }>(
    `SELECT devices, (SELECT count(*)::int FROM access_code_sessions s WHERE s.code_id = c.id) AS sessions
     FROM access_codes c WHERE id = $1`,
    [code.code_id],
  );
  expect(rows[0]?.devices).toBe(rows[0]?.sessions);
  expect(rows[0]?.devices).toBeLessThanOrEqual(3);
});

test('404 access_code_not_found: nobody’s code', async () => {
  const { status, body } = await end('4503599627370497', 'first');
  expect([status, body.error]).toEqual([404, 'access_code_not_found']);
});

test('429 too_many_requests: guesses of codes', async () => {
  const shop = await createShop(app);
  const { body: code } = await createCode(app, shop);
  await guessSevenTimes(app, (count) => end(`GUESS-${count}`, 'x', '10.3.0.9'));
  expect((await end(code.code_id, 'x', '10.3.0.9')).status).toBe(429);
});
