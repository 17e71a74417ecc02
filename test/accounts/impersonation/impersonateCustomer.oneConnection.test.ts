import '../../support/oneConnection';
import { randomUUID } from 'node:crypto';
import { type Caller } from '../../../src/kit/auth';
import { call } from '../../support/client';
import { createShop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

/** A write in another name that holds the only connection: the mail about it needs no second one. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

async function actAsCustomer(): Promise<Caller> {
  const { merchant, consumer } = await createShop(app);
  const fields = { customer_id: consumer.id };
  const path = '/v2/accounts/impersonate';
  const { body } = await call<{ access_token: string }>(app, 'POST', path, fields, merchant);
  const { getCaller } = await import('../../../src/accounts/tokens/callers.js');
  return getCaller(body.access_token, '127.0.0.1');
}

interface ActedMail {
  not_before: Date | null;
}

const mailsAbout = async ({ accountId }: Caller) => {
  const text = `SELECT not_before FROM mails WHERE account_id = $1 AND template = 'acted_for_you'`;
  return (await app.pool.query<ActedMail>(text, [accountId])).rows;
};

/**
 * A request with an Idempotency-Key, which keeps its transaction open after its first write. `end` decides the outcome of the
 * write, and `answer` what follows it in the same transaction.
 */
async function writeAs(caller: Caller, end: () => string, answer = (text: string) => Buffer.from(text)): Promise<void> {
  const { recordActing } = await import('../../../src/accounts/signIn/impersonation.js');
  const { idempotencyStore } = await import('../../../src/adapters/postgres/idempotencyStore.js');
  const { transaction } = await import('../../../src/adapters/postgres/connection.js');
  const { execute } = await import('../../../src/adapters/postgres/statement.js');
  const work = async () => {
    const text = 'UPDATE accounts SET full_name = $2 WHERE id = $1';
    await transaction((inTransaction) => execute(inTransaction, text, [caller.accountId, 'Ana']));
    return end();
  };
  const write = { operation: 'pauseSubscription', requestId: randomUUID() };
  const claim = { scope: `account:${caller.accountId}`, key: randomUUID(), requestHash: '' };
  await idempotencyStore.once(claim, async () => answer(String(await recordActing(caller, write, work))));
}

test('200: the mail is released with the write', async () => {
  const caller = await actAsCustomer();
  await writeAs(caller, () => 'done');
  expect(await mailsAbout(caller)).toEqual([{ not_before: null }]);
});

test('409 subscription_state: the mail about a refused write is withdrawn', async () => {
  const { AppError } = await import('../../../src/kit/errors.js');
  const caller = await actAsCustomer();
  const refuse = () => {
    throw new AppError('subscription_state');
  };
  await expect(writeAs(caller, refuse)).rejects.toMatchObject({ code: 'subscription_state' });
  expect(await mailsAbout(caller)).toEqual([]);
});

test('500: the mail about a write that was undone waits for its time', async () => {
  const caller = await actAsCustomer();
  const fail = () => {
    throw new Error('the connection broke');
  };
  await expect(writeAs(caller, fail)).rejects.toThrow('the connection broke');
  const [mail] = await mailsAbout(caller);
  expect(mail?.not_before?.getTime()).toBeGreaterThan(Date.now());
});

test('500: the same if the request fails after the write', async () => {
  const caller = await actAsCustomer();
  const fail = () => {
    throw new Error('the answer was lost');
  };
  await expect(writeAs(caller, () => 'done', fail)).rejects.toThrow('the answer was lost');
  const [mail] = await mailsAbout(caller);
  expect(mail?.not_before?.getTime()).toBeGreaterThan(Date.now());
});
