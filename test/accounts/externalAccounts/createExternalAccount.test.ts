import { createPublicKey, type JsonWebKey } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import { call } from '../../support/client';
import { createMerchant, createShop } from '../../support/factories';
import { requestErasure } from '../../support/privacy';
import { startApp, type TestApp } from '../../support/startApp';

interface External {
  id: number;
  account_id: number;
  nickname: string;
  token: string;
}

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const join = (token: string, fields: Record<string, unknown>, integration = 'partner') =>
  call<External>(app, 'POST', `/v2/accounts/external/${integration}`, fields, { token });

test('200: an account at the partner, and a chat token that the public keys verify', async () => {
  const { consumer, item } = await createShop(app);
  const { status, body } = await join(consumer.token, { item_id: item.id, nickname: ' Ana ' });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      code: 200,
      message: 'External account successfully created',
      explain: 'External account successfully created',
      id: expect.any(Number) as number,
      account_id: consumer.id,
      nickname: 'Ana',
      token: expect.any(String) as string,
      expires: expect.any(Number) as number,
    },
  });
  const { keys } = (await call<{ keys: JsonWebKey[] }>(app, 'GET', '/.well-known/jwks.json')).body;
  const kid = jsonwebtoken.decode(body.token, { complete: true })?.header.kid;
  const key = createPublicKey({ key: keys.find((found) => found['kid'] === kid) ?? {}, format: 'jwk' });
  expect(jsonwebtoken.verify(body.token, key, { algorithms: ['ES256'], audience: 'live-chat' })).toMatchObject({
    sub: consumer.uuid,
    mid: consumer.merchantUuid,
    member: body.id,
    item: item.id,
    nickname: 'Ana',
  });
});

test('401 invalid_auth_token: the chat token opens nothing here', async () => {
  const { consumer, item } = await createShop(app);
  const { body } = await join(consumer.token, { item_id: item.id });
  expect((await call(app, 'GET', '/accounts', undefined, { token: body.token })).status).toBe(401);
});

test('200: one account an integration, however often; a chosen name stays', async () => {
  const { consumer, item } = await createShop(app);
  const first = (await join(consumer.token, { item_id: item.id, nickname: 'Ana' })).body;
  const again = (await join(consumer.token, { item_id: item.id })).body;
  const elsewhere = (await join(consumer.token, { item_id: item.id }, 'livelike')).body;
  expect(again).toMatchObject({ id: first.id, nickname: 'Ana' });
  expect(elsewhere.id).not.toBe(first.id);
  expect(elsewhere.nickname).toBe(`viewer-${consumer.id}`);
});

test('200: ten at once make one account', async () => {
  const { consumer, item } = await createShop(app);
  const replies = await Promise.all(Array.from({ length: 10 }, () => join(consumer.token, { item_id: item.id })));
  expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
});

test('404 item_not_found: another merchant’s item; nothing is made', async () => {
  const { consumer } = await createShop(app);
  const { item } = await createShop(app);
  expect(await join(consumer.token, { item_id: item.id })).toMatchObject({
    status: 404,
    body: { error: 'item_not_found' },
  });
  const { rows } = await app.pool.query('SELECT * FROM external_accounts WHERE account_id = $1', [consumer.id]);
  expect(rows).toEqual([]);
});

test('404 account_not_found: nobody joins once the account is to be erased', async () => {
  const { consumer, merchant, item } = await createShop(app);
  const { createExternalAccount } = await import('../../../src/externalAccounts/externalAccounts.js');
  // As a replica that still trusts the session for some seconds.
  const caller = {
    accountId: consumer.id,
    accountUuid: consumer.uuid,
    merchantId: merchant.id,
    merchantUuid: merchant.uuid,
    role: 'consumer' as const,
    scopes: [],
    sessionId: '',
    clientAddress: '127.0.0.1',
    dateOfBirth: null,
  };
  await requestErasure(app, consumer);
  const joining = createExternalAccount(caller, 'partner', { item_id: item.id });
  await expect(joining).rejects.toMatchObject({ code: 'account_not_found' });
  const { rows } = await app.pool.query('SELECT * FROM external_accounts WHERE account_id = $1', [consumer.id]);
  expect(rows).toEqual([]);
});

test('404 not_found: an integration that nobody configured', async () => {
  const { consumer, item } = await createShop(app);
  expect((await join(consumer.token, { item_id: item.id }, 'elsewhere')).status).toBe(404);
});

test('400 missing_parameter, 422 invalid_input: the item, and a name of at most 50 characters', async () => {
  const { consumer, item } = await createShop(app);
  expect((await join(consumer.token, { nickname: 'Ana' })).status).toBe(400);
  expect((await join(consumer.token, { item_id: item.id, nickname: 'x'.repeat(51) })).status).toBe(422);
});

test('401 invalid_auth_token: without a token', async () => {
  expect((await call(app, 'POST', '/v2/accounts/external/partner', { item_id: 1 })).status).toBe(401);
});

test('200: a merchant may try its own chat', async () => {
  const { merchant, item } = await createShop(app);
  expect((await join(merchant.token, { item_id: item.id })).status).toBe(200);
  expect((await join((await createMerchant(app)).token, { item_id: item.id })).status).toBe(404);
});
