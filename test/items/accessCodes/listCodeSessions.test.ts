import { type z } from 'zod';
import { type CodeSessions } from '../../../src/items/accessCodes.schemas';
import { createCode, enterCode } from '../../support/access';
import { call } from '../../support/client';
import { createItem, createShop } from '../../support/factories';
import { guessSevenTimes } from '../../support/guesses';
import { type ErrorBody } from '../../support/raw';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp({ TRUSTED_PROXIES: 'loopback' })));
afterAll(() => app.stop());

const list = (named: string | number, address = '10.2.0.1') =>
  call<z.output<typeof CodeSessions>>(app, 'GET', `/items/access/codes/${named}/sessions`, undefined, {
    headers: { 'X-Forwarded-For': address },
  });

const errorOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as ErrorBody).error];

test('200: the devices of a code, the last used first, by its id and by the code itself', async () => {
  const shop = await createShop(app);
  const { body: code } = await createCode(app, shop, { device_limit: 3 });
  expect((await list(code.code_id)).body).toEqual([]);
  const agent = { headers: { 'User-Agent': 'Television/1.0' } };
  for (const device of ['old', 'new']) await enterCode(app, shop.item.id, code.code, device, agent);
  const { status, body } = await list(code.code_id);
  expect(status).toBe(200);
  expect(body).toEqual(
    ['new', 'old'].map((device) => ({
      id: expect.any(Number) as number,
      code: code.code,
      browser_fingerprint: device,
      agent_info: 'Television/1.0',
      last_used: expect.any(Number) as number,
    })),
  );
  expect((await list(code.code)).body).toEqual(body);
});

test('404 access_code_not_found: an id that nobody was given, and a code that several items have', async () => {
  const shop = await createShop(app);
  for (const item of [shop.item, await createItem(app, shop.merchant)])
    await createCode(app, { ...shop, item }, { code: 'SHARED-30' });
  for (const named of ['4503599627370497', '1', 'NOBODY-30', 'SHARED-30'])
    expect(errorOf(await list(named))).toEqual([404, 'access_code_not_found']);
});

test('429 too_many_requests: guesses of ids and codes', async () => {
  const shop = await createShop(app);
  const { body: code } = await createCode(app, shop);
  await guessSevenTimes(app, (count) => list(4_503_599_627_370_500 + count, '10.2.0.9'));
  expect(errorOf(await list(code.code_id, '10.2.0.9'))).toEqual([429, 'too_many_requests']);
  expect((await list(code.code_id, '10.2.0.10')).status).toBe(200);
});

test('200: page and size select a part of the list', async () => {
  const shop = await createShop(app);
  const { body: code } = await createCode(app, shop, { device_limit: 3 });
  for (const device of ['first', 'second', 'third']) await enterCode(app, shop.item.id, code.code, device);
  const devices = async (query: string) => {
    const { body } = await call<z.output<typeof CodeSessions>>(
      app,
      'GET',
      `/items/access/codes/${code.code_id}/sessions${query}`,
    );
    return body.map(({ browser_fingerprint }) => browser_fingerprint);
  };
  expect(await devices('?size=2')).toEqual(['third', 'second']);
  expect(await devices('?size=2&page=2')).toEqual(['first']);
  expect(await devices('?size=2&page=3')).toEqual([]);
});
