import { createConsumer, createMerchant } from '../../support/factories';
import { lengthenBlocks } from '../../support/guesses';
import { getPairing, startPairing } from '../../support/pairings';
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

test('200: shows the device that waits with the code', async () => {
  const { person, user_code } = await pair();
  const { status, body } = await getPairing(app, user_code, person);
  expect(status).toBe(200);
  expect(body).toMatchObject({ user_code, device_name: 'Living room', device_type: 'tv', device_os: 'Roku OS' });
  expect(body.expires_at - body.created_at).toBe(600);
});

test.each([
  ['lower case without a hyphen', (code: string) => code.replace('-', '').toLowerCase()],
  ['spaces', (code: string) => ` ${code.replace('-', ' ')} `],
  ['other hyphens', (code: string) => code.replace('-', '–')],
])('200: takes a code with %s', async (_title, typed) => {
  const { person, user_code } = await pair();
  expect((await getPairing(app, typed(user_code), person)).body.user_code).toBe(user_code);
});

test('404 pairing_not_found: a customer of another merchant', async () => {
  const { user_code } = await pair();
  const stranger = await createConsumer(app, await createMerchant(app));
  expect(await getPairing(app, user_code, stranger)).toMatchObject(unknown);
});

test('404 pairing_not_found: an expired code', async () => {
  const { person, user_code, merchant } = await pair();
  await app.pool.query('UPDATE device_pairings SET expires_at = now() WHERE merchant_id = $1', [merchant.id]);
  expect(await getPairing(app, user_code, person)).toMatchObject(unknown);
});

test.each(['BCDF', 'BCDF-GHJKL', 'AEIO-UYAE', '1234-5678', '%'])(
  '404 pairing_not_found: %s is no code, and no guess',
  async (typed) => {
    const { person, user_code } = await pair();
    for (let n = 0; n < 7; n += 1) expect(await getPairing(app, typed, person)).toMatchObject(unknown);
    expect((await getPairing(app, user_code, person)).status).toBe(200);
  },
);

test('429 too_many_requests: who guesses codes has to wait, also with a right code in between', async () => {
  const { person, user_code } = await pair();
  const guesses = [];
  for (let n = 0; n < 5; n += 1) guesses.push((await getPairing(app, `BBBB-BBB${'BCDFG'[n]}`, person)).status);
  expect(guesses).toEqual([404, 404, 404, 404, 404]);
  expect((await getPairing(app, user_code, person)).status).toBe(200);
  await lengthenBlocks(app);
  await getPairing(app, 'CCCC-CCCC', person);
  expect((await getPairing(app, user_code, person)).status).toBe(429);
});
