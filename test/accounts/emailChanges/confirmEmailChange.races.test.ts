import { call } from '../../support/client';
import { askForChange, confirmEmail, createActiveConsumer, newAddress } from '../../support/emailChanges';
import { createMerchant, type Person, registration } from '../../support/factories';
import { waitForLocks } from '../../support/locks';
import { createRole, createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

/** Changes and registrations of the same address at the same time. */
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('409 email_taken: exactly one of several changes and registrations gets the address', async () => {
  for (let round = 0; round < 5; round += 1) {
    const first = await askForChange(app, await createActiveConsumer(app));
    const { merchant, email } = first;
    const second = await askForChange(app, await createActiveConsumer(app, merchant), email);
    const fields = { ...registration('consumer', merchant.uuid), username: email };
    const answers = await Promise.all([
      confirmEmail(app, first.confirm),
      confirmEmail(app, second.confirm),
      call(app, 'POST', '/accounts', fields),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const { rows } = await app.pool.query('SELECT id FROM accounts WHERE merchant_id = $1 AND email_normalized = $2', [
      merchant.id,
      email,
    ]);
    expect(rows).toHaveLength(1);
  }
});

/** Confirms a requested change of an account in a transaction that ends after `crossing` waits for it. */
async function crossChange<T>({ id }: Person, crossing: () => Promise<T>): Promise<T> {
  await app.pool.query(
    `INSERT INTO email_changes (merchant_id, account_id, email, former_email, former_email_normalized, session_id, confirm_hash, expires_at)
     SELECT merchant_id, id, $2, email, email_normalized, gen_random_uuid(), sha256(convert_to($2, 'UTF8')), now()
     FROM accounts WHERE id = $1`,
    [id, newAddress()],
  );
  const holder = await app.pool.connect();
  await holder.query('BEGIN');
  const confirm = `UPDATE email_changes SET confirmed_at = now(), undo_until = now() + interval '7 days' WHERE account_id = $1`;
  await holder.query(confirm, [id]);
  await holder.query('UPDATE accounts SET email = $2, email_normalized = $2 WHERE id = $1', [id, newAddress()]);
  const answer = crossing();
  await waitForLocks(app.pool);
  await holder.query('COMMIT');
  holder.release();
  return answer;
}

const taken = { status: 409, body: { error: 'account_exists' } };

test('409 account_exists: a registration that waits for a change of the same address', async () => {
  const { merchant, consumer } = await createActiveConsumer(app);
  const fields = { ...registration('consumer', merchant.uuid), username: consumer.email };
  expect(await crossChange(consumer, () => call(app, 'POST', '/accounts', fields))).toMatchObject(taken);
});

test('409 account_exists: a merchant who registers with the address that a member of the staff leaves', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role_id: await createRole(app, merchant, ['accounts:read']) });
  const fields = { ...registration('merchant', 'platform'), username: member.email };
  expect(await crossChange(member, () => call(app, 'POST', '/accounts', fields))).toMatchObject(taken);
  // A removed member cannot undo the change.
  await app.pool.query('UPDATE accounts SET is_active = false WHERE id = $1', [member.id]);
  expect((await call(app, 'POST', '/accounts', fields)).status).toBe(200);
});
