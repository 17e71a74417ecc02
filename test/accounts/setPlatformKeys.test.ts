import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { auditOf } from '../support/followers';
import { startApp, type TestApp } from '../support/startApp';
import { tablesHolding } from '../support/stored';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const read = async (merchantId: number) => {
  const { rows } = await app.pool.query<{ platform: string; sealed_keys: Buffer }>(
    'SELECT platform, sealed_keys FROM platform_keys WHERE merchant_id = $1 ORDER BY platform',
    [merchantId],
  );
  const { unseal } = await import('../../src/adapters/sealing.js');
  return rows.map(({ platform, sealed_keys }) => [
    platform,
    JSON.parse(unseal('platform keys', sealed_keys) ?? 'null') as unknown,
  ]);
};

test('200: keys are kept sealed, one set a platform, and who set them is written down', async () => {
  const merchant = await createMerchant(app);
  const first = { type: 'jw', public_key: 'site-one', private_key: 'old-private-key-of-jw' };
  const { status, body } = await call(app, 'POST', '/accounts/external', first, merchant);
  expect({ status, body }).toMatchObject({ status: 200, body: { code: 200 } });
  expect(JSON.stringify(body)).not.toContain('old-private-key-of-jw');
  const second = { type: 'jw', keys: { site: 'two', secret: 'new-private-key-of-jw' } };
  await call(app, 'POST', '/accounts/external', second, merchant);
  await call(app, 'POST', '/accounts/external', { type: 'kaltura', public_key: '42' }, merchant);
  expect(await read(merchant.id)).toEqual([
    ['jw', { site: 'two', secret: 'new-private-key-of-jw' }],
    ['kaltura', { public_key: '42' }],
  ]);
  for (const secret of ['old-private-key-of-jw', 'new-private-key-of-jw'])
    expect(await tablesHolding(app.pool, secret)).toEqual([]);
  expect((await auditOf(app, merchant)).map(({ action, object_id }) => [action, object_id])).toEqual([
    ['platform_keys.set', 'kaltura'],
    ['platform_keys.set', 'jw'],
    ['platform_keys.set', 'jw'],
  ]);
});

test('400 missing_parameter: a platform without any key', async () => {
  const merchant = await createMerchant(app);
  expect(await call(app, 'POST', '/accounts/external', { type: 'jw' }, merchant)).toMatchObject({
    status: 400,
    body: { error: 'missing_parameter', errors: { keys: 'The keys must not be empty.' } },
  });
  expect(await read(merchant.id)).toEqual([]);
});
