import { createMerchant } from '../../support/factories';
import { startPairing } from '../../support/pairings';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('201: a code for people, a code for the device, and the address as text and as a picture', async () => {
  const merchant = await createMerchant(app);
  const { status, body } = await startPairing(app, merchant.uuid);
  expect(status).toBe(201);
  expect(body.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  expect(body.device_code).toMatch(/^[\w-]{43}$/);
  expect(body.verification_uri).toMatch(new RegExp(`/portal/${merchant.uuid}/tv$`));
  expect(body.verification_uri_complete).toBe(`${body.verification_uri}?code=${body.user_code}`);
  expect([body.expires_in, body.interval]).toEqual([600, 5]);
  const [, picture = ''] = /^data:image\/gif;base64,(.+)$/.exec(body.qr_code) ?? [];
  expect(Buffer.from(picture, 'base64').subarray(0, 3).toString()).toBe('GIF');
});

test('201: the codes are stored as hashes only', async () => {
  const merchant = await createMerchant(app);
  const { body } = await startPairing(app, merchant.uuid);
  const { rows } = await app.pool.query<{ row: string }>(
    'SELECT row_to_json(p)::text AS row FROM device_pairings p WHERE merchant_id = $1',
    [merchant.id],
  );
  expect(rows).toHaveLength(1);
  for (const secret of [body.device_code, body.user_code, body.user_code.replace('-', '')])
    expect(rows[0]?.row).not.toContain(secret);
});

test('201: two devices have different codes', async () => {
  const { uuid } = await createMerchant(app);
  const [first, second] = [await startPairing(app, uuid), await startPairing(app, uuid)];
  expect(first.body.user_code).not.toBe(second.body.user_code);
  expect(first.body.device_code).not.toBe(second.body.device_code);
});

test.each([['no-such-client'], ['platform'], ['operator']])('401 invalid_client: %s', async (clientId) => {
  expect(await startPairing(app, clientId)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
});

test('201, 422 invalid_input: a name of the device has at most 100 characters', async () => {
  const { uuid } = await createMerchant(app);
  expect((await startPairing(app, uuid, { device_name: 'x'.repeat(100) })).status).toBe(201);
  const { status, body } = await startPairing(app, uuid, { device_name: 'x'.repeat(101) });
  expect([status, body]).toMatchObject([422, { errors: { device_name: expect.any(String) as string } }]);
});
