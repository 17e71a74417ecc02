import jsonwebtoken from 'jsonwebtoken';
import { call } from '../../support/client';
import { createShop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

interface External {
  id: number;
  nickname: string;
  token: string;
}

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const send = (method: 'POST' | 'PATCH', token: string, fields: Record<string, unknown>, integration = 'partner') =>
  call<External>(app, method, `/v2/accounts/external/${integration}`, fields, { token });
const join = (token: string, item_id: number) => send('POST', token, { item_id });
const rename = (token: string, fields: Record<string, unknown>, integration?: string) =>
  send('PATCH', token, fields, integration);

test('200: the name changes, and the next token has it', async () => {
  const { consumer, item } = await createShop(app);
  const { id } = (await join(consumer.token, item.id)).body;
  const { status, body } = await rename(consumer.token, { nickname: 'Petrova' });
  expect({ status, id: body.id, nickname: body.nickname }).toEqual({ status: 200, id, nickname: 'Petrova' });
  expect(jsonwebtoken.decode(body.token)).toMatchObject({ nickname: 'Petrova', member: id });
});

test('404 account_not_found: before the account is there', async () => {
  const { consumer } = await createShop(app);
  expect(await rename(consumer.token, { nickname: 'Ana' })).toMatchObject({
    status: 404,
    body: { error: 'account_not_found' },
  });
});

test('404 account_not_found: the account at another integration, and another consumer’s, stay as they are', async () => {
  const { consumer, item } = await createShop(app);
  const stranger = (await createShop(app)).consumer;
  await send('POST', consumer.token, { item_id: item.id, nickname: 'Ana' });
  expect((await rename(consumer.token, { nickname: 'Eve' }, 'livelike')).status).toBe(404);
  expect((await rename(stranger.token, { nickname: 'Eve' })).status).toBe(404);
  const { rows } = await app.pool.query('SELECT nickname FROM external_accounts WHERE account_id = $1', [consumer.id]);
  expect(rows).toEqual([{ nickname: 'Ana' }]);
});

test('404 not_found: an integration that nobody configured', async () => {
  const { consumer } = await createShop(app);
  expect((await rename(consumer.token, { nickname: 'Ana' }, 'elsewhere')).status).toBe(404);
});

test('400 missing_parameter, 422 invalid_input: a name of at most 50 characters', async () => {
  const { consumer } = await createShop(app);
  expect((await rename(consumer.token, {})).status).toBe(400);
  expect((await rename(consumer.token, { nickname: 'x'.repeat(51) })).status).toBe(422);
  expect((await rename(consumer.token, { nickname: { a: 'b' } })).status).toBe(422);
});

test('401 invalid_auth_token: without a token', async () => {
  expect((await call(app, 'PATCH', '/v2/accounts/external/partner', { nickname: 'Ana' })).status).toBe(401);
});
