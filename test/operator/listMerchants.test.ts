import { type z } from 'zod';
import { type MerchantPage } from '../../src/operator/operator.schemas';
import { call } from '../support/client';
import { createConsumer, createMerchant } from '../support/factories';
import { openOperator, type Operator, putInState } from '../support/operators';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let operator: Operator;

beforeAll(async () => {
  app = await startApp();
  operator = await openOperator(app);
});
afterAll(() => app.stop());

const list = async (query: string) =>
  (await call<z.output<typeof MerchantPage>>(app, 'GET', `/operator/merchants?${query}`, undefined, operator)).body;

test('200: merchants by state and by words, the newest first, and no operator among them', async () => {
  const [open, waiting, suspended] = [await createMerchant(app), await createMerchant(app), await createMerchant(app)];
  await createConsumer(app, open);
  await putInState(app, waiting, 'waiting');
  await putInState(app, suspended, 'suspended');
  expect((await list('')).collection.map(({ id, state }) => [id, state])).toEqual([
    [suspended.id, 'suspended'],
    [waiting.id, 'waiting'],
    [open.id, 'open'],
  ]);
  expect(await list('state=waiting')).toMatchObject({ total: 1, collection: [{ id: waiting.id }] });
  expect(await list(`search=${open.email.toUpperCase()}`)).toMatchObject({ total: 1, collection: [{ customers: 1 }] });
  expect(await list(`search=${suspended.uuid}`)).toMatchObject({ total: 1, collection: [{ id: suspended.id }] });
  expect(await list('search=%25')).toMatchObject({ total: 0, collection: [] });
  expect(await list('limit=1&page=2')).toMatchObject({ total: 3, collection: [{ id: waiting.id }] });
});
