import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { call } from '../support/client';
import { createPayShop } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { nameSeller } from '../support/tax';

/** The operator's file decides where a merchant can be registered. */

let app: TestApp;

beforeAll(async () => {
  const file = path.join(tmpdir(), `few-rates-${process.pid}.txt`);
  writeFileSync(file, 'DE standard 2018-01-01 19\nUS US-NY standard 2020-01-01 8.875\n');
  app = await startApp({ TAX_RATES_FILE: file });
});
afterAll(() => app.stop());

const newYork = { country: 'US', region: 'US-NY', scheme: 'domestic' };

test('201: a place with a rate in the operator’s file', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop, [newYork]);
});

test('422: the one stop shop names the member states without a rate', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop, []);
  const fields = { country: 'DE', scheme: 'oss' };
  const { status, body } = await call<{ errors: Record<string, string> }>(
    ...([app, 'POST', '/v2/tax/registrations', fields, shop.merchant] as const),
  );
  expect([status, Object.keys(body.errors)]).toEqual([422, ['scheme']]);
  expect(body.errors['scheme']).toMatch(/^There is no tax rate for AT, BE, .*, SK\. The operator/);
  expect(body.errors['scheme']).not.toContain('DE,');
});
