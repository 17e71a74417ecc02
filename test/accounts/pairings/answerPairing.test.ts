import { createConsumer, createMerchant } from '../../support/factories';
import { lengthenBlocks } from '../../support/guesses';
import { waitForLocks } from '../../support/locks';
import { answerPairing, getPairing, poll, startPairing } from '../../support/pairings';
import { endUnheard } from '../../support/sessions';
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

const unknown = { status: 404, body: { error: 'pairing_not_found' } };

test('404 pairing_not_found: a customer of another merchant', async () => {
  const { user_code, merchant, device_code } = await pair();
  const stranger = await createConsumer(app, await createMerchant(app));
  expect(await answerPairing(app, user_code, stranger)).toMatchObject(unknown);
  expect((await poll(app, merchant.uuid, device_code)).body.error).toBe('authorization_pending');
});

test('404 pairing_not_found: an expired code', async () => {
  const { person, user_code, merchant } = await pair();
  await app.pool.query('UPDATE device_pairings SET expires_at = now() WHERE merchant_id = $1', [merchant.id]);
  expect(await answerPairing(app, user_code, person)).toMatchObject(unknown);
});

test('200: the same answer can be given twice; another answer, and another customer, come too late', async () => {
  const { person, user_code, merchant } = await pair();
  const other = await createConsumer(app, merchant);
  expect((await answerPairing(app, user_code, person)).status).toBe(200);
  expect((await answerPairing(app, user_code, person)).status).toBe(200);
  expect(await answerPairing(app, user_code, person, false)).toMatchObject(unknown);
  expect(await answerPairing(app, user_code, other)).toMatchObject(unknown);
  expect(await getPairing(app, user_code, person)).toMatchObject(unknown);
});

test('200: of two customers who answer at once, one signs the device in', async () => {
  const { person, user_code, merchant } = await pair();
  const other = await createConsumer(app, merchant);
  const replies = await Promise.all([person, other].map((each) => answerPairing(app, user_code, each)));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 404]);
});

test('401 invalid_auth_token: a session that has ended signs no device in, although a replica still trusts it', async () => {
  const { person, user_code, merchant, device_code } = await pair();
  expect((await getPairing(app, user_code, person)).status).toBe(200);
  await endUnheard(app, person);
  expect(await answerPairing(app, user_code, person)).toMatchObject({
    status: 401,
    body: { error: 'invalid_auth_token' },
  });
  expect((await poll(app, merchant.uuid, device_code)).body.error).toBe('authorization_pending');
});

test('401 invalid_auth_token: a new password that is set at the same time ends the answer', async () => {
  const { person, user_code, merchant, device_code } = await pair();
  const holder = await app.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [person.id]);
  const crossing = answerPairing(app, user_code, person);
  await waitForLocks(app.pool);
  await holder.query('UPDATE sessions SET revoked_at = now() WHERE account_id = $1', [person.id]);
  await holder.query('COMMIT');
  holder.release();
  expect((await crossing).status).toBe(401);
  expect((await poll(app, merchant.uuid, device_code)).body.error).toBe('authorization_pending');
});

test('429 too_many_requests: who guesses codes has to wait, also with a right code in between', async () => {
  const { person, user_code } = await pair();
  const guesses = [];
  for (let n = 0; n < 5; n += 1) guesses.push((await answerPairing(app, `BBBB-BBB${'BCDFG'[n]}`, person)).status);
  expect(guesses).toEqual([404, 404, 404, 404, 404]);
  expect((await answerPairing(app, user_code, person)).status).toBe(200);
  await lengthenBlocks(app);
  await answerPairing(app, 'CCCC-CCCC', person);
  expect((await answerPairing(app, user_code, person)).status).toBe(429);
});
