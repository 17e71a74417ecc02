import { z } from 'zod';
import { createMerchant, createShop } from '../support/factories';
import { dayAhead, live, startStory } from '../support/reporting';
import { startApp, type TestApp } from '../support/startApp';

/** A file has every number that the report has, and no other. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('the columns of each file are the fields of its report', async () => {
  const schemas = await import('../../src/reports/reports.schemas.js');
  const { streamReport } = await import('../../src/reports/files.js');
  const { id: merchantId } = await createMerchant(app);
  const reports = {
    summary: schemas.Summary,
    revenue: schemas.Revenue,
    subscriptions: schemas.Subscriptions,
    mrr: schemas.Mrr,
    customers: schemas.Customers,
    trials: schemas.Trials,
    dunning: schemas.Dunning,
  };
  for (const [name, schema] of Object.entries(reports)) {
    const lines = streamReport({ merchantId }, name as 'mrr', { from: '2026-01-01', to: '2026-01-02' });
    const [head = ''] = await first(lines);
    const row: z.ZodObject = schema.shape.collection.element;
    const fields = Object.entries(row.shape).flatMap(([field, type]) =>
      type instanceof z.ZodObject ? Object.keys(type.shape).map((inner) => `${field}.${inner}`) : [field],
    );
    const ungrouped = fields.filter((field) => field !== 'key' && field !== 'label');
    expect(head.trim().split(',').sort()).toEqual(ungrouped.sort());
  }
});

/** The header of a file for an empty range. */
async function first(lines: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

test('a line a day, with amounts in the major unit', async () => {
  const { streamReport } = await import('../../src/reports/files.js');
  const shop = await createShop(app, { amount: '10.00' });
  await live(await startStory(app, shop), [['begin', 0]]);
  const range = { from: dayAhead(-1), to: dayAhead(0) };
  const lines: string[] = [];
  for await (const line of streamReport({ merchantId: shop.merchant.id }, 'mrr', range)) lines.push(line);
  expect(lines.slice(1)).toEqual([
    `${dayAhead(-1)},EUR,0,0,0,0,0,0,0,0,0,0,0,\r\n`,
    `${dayAhead(0)},EUR,0,10,0,0,0,0,0,0,10,10,120,\r\n`,
  ]);
});
