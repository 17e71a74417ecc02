import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { answerPairing, poll, startPairing } from '../../support/pairings';
import { waitForLocks } from '../../support/locks';
import { putInState } from '../../support/operators';
import { codeOf, confirmFactor, signInWith, startFactor, switchFactorOn } from '../../support/secondFactors';
import { isSignedIn, listSessions } from '../../support/sessions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

async function pair() {
  const merchant = await createMerchant(app);
  const person = await createConsumer(app, merchant);
  const { body } = await startPairing(app, merchant.uuid, { device_name: 'Living room' });
  return { merchant, person, ...body };
}

const pollAs = ({ merchant, device_code }: { merchant: Person; device_code: string }) =>
  poll(app, merchant.uuid, device_code);

/** As if the interval between two polls had passed. */
const passInterval = () => app.pool.query(`UPDATE device_pairings SET polled_at = polled_at - interval '5 seconds'`);

test('200: a television is signed in as the customer who has entered its code', async () => {
  const paired = await pair();
  expect((await answerPairing(app, paired.user_code, paired.person)).status).toBe(200);
  const { status, body } = await pollAs(paired);
  expect([status, body.account.id]).toEqual([200, paired.person.id]);
  const television = { ...paired.person, token: body.access_token };
  expect(await isSignedIn(app, television)).toBe(true);
  const { collection } = await listSessions(app, paired.person);
  expect(collection.map(({ is_current }) => is_current).toSorted()).toEqual([false, true]);
});

test('400 authorization_pending: nobody has confirmed the television', async () => {
  const paired = await pair();
  expect(await pollAs(paired)).toMatchObject({ status: 400, body: { error: 'authorization_pending' } });
});

test('200: the session is the television’s, and the customer can end it', async () => {
  const paired = await pair();
  await answerPairing(app, paired.user_code, paired.person);
  const { body } = await pollAs(paired);
  const television = { ...paired.person, token: body.access_token };
  const { collection } = await listSessions(app, paired.person);
  const [own] = collection.filter(({ is_current }) => !is_current);
  expect(own).toMatchObject({ device: { type: 'tv', os: 'Roku OS' } });
  await call(app, 'DELETE', `/accounts/sessions/${own?.id}`, undefined, paired.person);
  expect(await isSignedIn(app, television)).toBe(false);
});

test('400 expired_token: a pairing gives one session, also to polls at once', async () => {
  const paired = await pair();
  await answerPairing(app, paired.user_code, paired.person);
  const replies = await Promise.all([1, 2, 3].map(() => pollAs(paired)));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
  expect(await pollAs(paired)).toMatchObject({ status: 400, body: { error: 'expired_token' } });
});

test('400 slow_down: a second poll within the interval; the next one in time is answered', async () => {
  const paired = await pair();
  const errors = (await Promise.all([pollAs(paired), pollAs(paired)])).map(({ body }) => body.error);
  expect(errors.toSorted()).toEqual(['authorization_pending', 'slow_down']);
  await passInterval();
  expect((await pollAs(paired)).body.error).toBe('authorization_pending');
});

test('200: an early poll after the answer is not held up', async () => {
  const paired = await pair();
  await pollAs(paired);
  await answerPairing(app, paired.user_code, paired.person);
  expect((await pollAs(paired)).status).toBe(200);
});

test('400 access_denied: the customer has refused', async () => {
  const paired = await pair();
  await answerPairing(app, paired.user_code, paired.person, false);
  expect(await pollAs(paired)).toMatchObject({ status: 400, body: { error: 'access_denied' } });
});

test('400 expired_token: after ten minutes, approved or not, and for an unknown code', async () => {
  const [waiting, approved] = [await pair(), await pair()];
  await answerPairing(app, approved.user_code, approved.person);
  for (const { device_code } of [waiting, approved])
    await app.pool.query(
      `UPDATE device_pairings SET expires_at = now() WHERE device_code_hash = sha256(convert_to($1, 'UTF8'))`,
      [device_code],
    );
  for (const paired of [waiting, approved, { ...waiting, device_code: 'unknown' }])
    expect(await pollAs(paired)).toMatchObject({ status: 400, body: { error: 'expired_token' } });
});

test('400 expired_token: a code of another client', async () => {
  const paired = await pair();
  await answerPairing(app, paired.user_code, paired.person);
  const stranger = await createMerchant(app);
  expect(await pollAs({ ...paired, merchant: stranger })).toMatchObject({
    status: 400,
    body: { error: 'expired_token' },
  });
  expect((await pollAs(paired)).status).toBe(200);
});

test('401 invalid_client: an unknown client', async () => {
  const { device_code } = await pair();
  expect(await poll(app, 'no-such-client', device_code)).toMatchObject({
    status: 401,
    body: { error: 'invalid_client' },
  });
});

test('400 expired_token: the customer has ended all other sessions since', async () => {
  const paired = await pair();
  await answerPairing(app, paired.user_code, paired.person);
  await call(app, 'DELETE', '/accounts/sessions', undefined, paired.person);
  expect(await pollAs(paired)).toMatchObject({ status: 400, body: { error: 'expired_token' } });
});

test('400 expired_token: the password has changed while the pairing was taken', async () => {
  const paired = await pair();
  expect((await answerPairing(app, paired.user_code, paired.person)).status).toBe(200);
  const holder = await app.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM device_pairings WHERE merchant_id = $1 FOR KEY SHARE', [paired.merchant.id]);
  const crossing = pollAs(paired);
  await waitForLocks(app.pool);
  await app.pool.query(`UPDATE accounts SET password_hash = 'another' WHERE id = $1`, [paired.person.id]);
  await holder.query('COMMIT');
  holder.release();
  expect(await crossing).toMatchObject({ status: 400, body: { error: 'expired_token' } });
});

test('400 expired_token: the account was deactivated since', async () => {
  const paired = await pair();
  await answerPairing(app, paired.user_code, paired.person);
  await app.pool.query('UPDATE accounts SET is_active = false WHERE id = $1', [paired.person.id]);
  expect(await pollAs(paired)).toMatchObject({ status: 400, body: { error: 'expired_token' } });
});

test('200: the second factor of the customer counts, at the time at which it was proven', async () => {
  const paired = await pair();
  await switchFactorOn(app, paired.person);
  await answerPairing(app, paired.user_code, paired.person);
  const { status, body } = await pollAs(paired);
  expect(status).toBe(200);
  const { rows } = await app.pool.query<{ same: boolean }>(
    `SELECT count(DISTINCT date_trunc('milliseconds', factor_proven_at)) = 1 AS same FROM sessions WHERE account_id = $1 AND factor_proven_at IS NOT NULL`,
    [paired.person.id],
  );
  expect([rows, body.account.id]).toEqual([[{ same: true }], paired.person.id]);
});

test('401 second_factor_required: the factor was switched on after the customer had confirmed', async () => {
  const paired = await pair();
  await answerPairing(app, paired.user_code, paired.person);
  const { body: factor } = await startFactor(app, paired.person);
  await confirmFactor(app, paired.person, factor.id, codeOf(factor.secret));
  expect(await pollAs(paired)).toMatchObject({ status: 401, body: { error: 'second_factor_required' } });
  expect((await signInWith(app, paired.person)).status).toBe(401);
});

test('401 invalid_client: the merchant was suspended since', async () => {
  const paired = await pair();
  await answerPairing(app, paired.user_code, paired.person);
  await putInState(app, paired.merchant, 'suspended');
  expect(await pollAs(paired)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
});
