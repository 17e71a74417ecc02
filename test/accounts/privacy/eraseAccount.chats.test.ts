import { liveChatProvider } from '../../../src/adapters/liveChat';
import { type ChatMember } from '../../../src/adapters/liveChat/provider';
import { call } from '../../support/client';
import { createShop, type Person, type Shop } from '../../support/factories';
import { isErased, operationOf, requestErasure } from '../../support/privacy';
import { startApp, type TestApp } from '../../support/startApp';

/**
 * An erasure also deletes the member at the live-chat partner. The built-in partner stores nothing, so this test records
 * its calls.
 */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

type Forgotten = Pick<ChatMember, 'externalAccountId' | 'accountUuid' | 'merchantUuid'>;

let forgotten: Forgotten[] = [];
const forget = jest.spyOn(liveChatProvider, 'forget');

beforeEach(() => {
  forgotten = [];
  forget.mockImplementation((member) => {
    forgotten.push(member);
    return Promise.resolve();
  });
});

afterAll(() => forget.mockRestore());

async function join({ consumer, item }: Shop, integration: string): Promise<number> {
  const path = `/v2/accounts/external/${integration}`;
  return (await call<{ id: number }>(app, 'POST', path, { item_id: item.id }, consumer)).body.id;
}

const chatsOf = async ({ id }: Person) =>
  (await app.pool.query<{ id: number }>('SELECT id FROM external_accounts WHERE account_id = $1', [id])).rows;

test('account.erased: the partner has forgotten each of its accounts by then, and nobody else’s', async () => {
  const shop = await createShop(app);
  await join(await createShop(app), 'partner');
  const ids = [await join(shop, 'partner'), await join(shop, 'livelike')];
  await requestErasure(app, shop.consumer);
  const worker = await app.startWorker();
  await isErased(app, shop.consumer.id);
  await worker.stop();
  const { uuid: accountUuid, merchantUuid } = shop.consumer;
  expect(forgotten).toEqual(ids.map((externalAccountId) => ({ externalAccountId, accountUuid, merchantUuid })));
  expect(await chatsOf(shop.consumer)).toEqual([]);
});

test('202: a partner that is away is told later: what it has not heard of is not forgotten here', async () => {
  const shop = await createShop(app);
  const [first, second] = [await join(shop, 'partner'), await join(shop, 'livelike')];
  await requestErasure(app, shop.consumer);
  const { leaveChats } = await import('../../../src/privacy/erasures.js');
  const operationId = await operationOf(app, shop.consumer.id);
  forget.mockImplementationOnce((member) => Promise.resolve(void forgotten.push(member)));
  forget.mockRejectedValueOnce(new Error('away'));
  await expect(leaveChats(operationId)).rejects.toThrow('away');
  expect(await chatsOf(shop.consumer)).toEqual([{ id: second }]);
  await leaveChats(operationId);
  await leaveChats(operationId);
  expect(forgotten.map(({ externalAccountId }) => externalAccountId)).toEqual([first, second]);
});

test('404 account_not_found: nobody joins a chat once the erasure has begun, and the partner is told of who slipped in', async () => {
  const { consumer, item } = await createShop(app);
  const caller = { accountId: consumer.id, merchantId: item.merchant_id, accountUuid: consumer.uuid };
  const { createExternalAccount, renameExternalAccount } =
    await import('../../../src/externalAccounts/externalAccounts.js');
  const stale = {
    ...caller,
    merchantUuid: consumer.merchantUuid,
    role: 'consumer' as const,
    scopes: [],
    sessionId: '',
    clientAddress: '127.0.0.1',
    dateOfBirth: null,
  };
  await createExternalAccount(stale, 'partner', { item_id: item.id });
  await requestErasure(app, consumer);
  const gone = { code: 'account_not_found' };
  await expect(createExternalAccount(stale, 'livelike', { item_id: item.id })).rejects.toMatchObject(gone);
  expect(forgotten).toEqual([]);
  await expect(renameExternalAccount(stale, 'partner', 'Ana')).rejects.toMatchObject(gone);
  expect(forgotten).toHaveLength(1);
});
