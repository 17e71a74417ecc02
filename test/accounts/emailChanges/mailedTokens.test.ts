import { answerMailRequests } from '../../../src/accounts/signIn/mailedTokens';
import { call } from '../../support/client';
import { askForChange, createActiveConsumer, newAddress } from '../../support/emailChanges';
import { waitForLocks } from '../../support/locks';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** Links in mails, at the same time as a change of the address. Both lock the account first. */
let app: TestApp;
beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

/** Changes the address in a transaction, and lets another call wait for its lock. */
async function during<T>(accountId: number, crossing: () => Promise<T>): Promise<T> {
  const holder = await app.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
  const answer = crossing();
  await waitForLocks(app.pool);
  await holder.query('DELETE FROM mailed_tokens WHERE account_id = $1', [accountId]);
  await holder.query('UPDATE accounts SET email = $2, email_normalized = $2 WHERE id = $1', [accountId, newAddress()]);
  await holder.query('COMMIT');
  holder.release();
  return answer;
}

test('422 reset_token_invalid: a link that is used while its token is deleted', async () => {
  const { consumer } = await createActiveConsumer(app);
  const token = 'a-token-of-a-mail';
  await app.pool.query(
    `INSERT INTO mailed_tokens (merchant_id, account_id, purpose, token_hash, expires_at)
     SELECT merchant_id, id, 'password_reset', sha256($2), now() + interval '1 hour' FROM accounts WHERE id = $1`,
    [consumer.id, Buffer.from(token)],
  );
  const fields = { password: 'a-quite-new-battery', password_confirmation: 'a-quite-new-battery' };
  const answer = await during(consumer.id, () => call(app, 'PUT', `/accounts/forgot-password/${token}`, fields));
  expect(answer).toMatchObject({ status: 422, body: { error: 'reset_token_invalid' } });
});

test('no link goes to an address that the account is leaving', async () => {
  const { merchant, consumer } = await askForChange(app, await createActiveConsumer(app));
  await during(consumer.id, async () => {
    await call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: merchant.uuid, email: consumer.email });
    return answerMailRequests();
  });
  const requests = 'SELECT FROM mail_requests WHERE email_normalized = $1';
  await until(async () => (await app.pool.query(requests, [consumer.email])).rows.length === 0);
  const { rows } = await app.pool.query(
    `SELECT purpose FROM mailed_tokens WHERE account_id = $1
     UNION ALL SELECT template FROM mails WHERE account_id = $1 AND template = 'password_reset'`,
    [consumer.id],
  );
  expect(rows).toEqual([]);
});
