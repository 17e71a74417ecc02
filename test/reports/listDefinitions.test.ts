import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

interface Definitions {
  collection: { name: string; definition: string; unit: string; rows: string | null; divided_by: string | null }[];
}

test('200: what every number of the summary means, and a path to its rows that leads there', async () => {
  const merchant = await createMerchant(app);
  const { status, body } = await call<Definitions>(app, 'GET', '/reporting/definitions', undefined, merchant);
  expect(status).toBe(200);
  const names = body.collection.map(({ name }) => name);
  const told = [
    'mrr',
    'arr',
    'churn_rate',
    'churned',
    'new_subscriptions',
    'trial_conversion_rate',
    'revenue',
    'net_revenue',
    'arpu',
    'ltv',
    'customers',
  ];
  expect(names).toEqual(expect.arrayContaining(told));
  const asked = { from: '2026-01-01', to: '2026-01-31', before: '2025-12-31', currency: 'EUR', cohort: '2026-01' };
  for (const rows of body.collection.flatMap((each) => [each.rows, each.divided_by])) {
    if (rows === null) continue;
    const path = rows.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof asked) => asked[name]);
    expect([path, (await call(app, 'GET', path, undefined, merchant)).status]).toEqual([path, 200]);
  }
  const divided = body.collection.filter(({ unit }) => unit === 'share').map((each) => each.divided_by !== null);
  expect(new Set(divided)).toEqual(new Set([true]));
});
