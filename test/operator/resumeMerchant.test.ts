import { call } from '../support/client';
import { createMerchant, type Person } from '../support/factories';
import { createFollower } from '../support/followers';
import { openOperator, type Operator } from '../support/operators';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let operator: Operator;

beforeAll(async () => {
  app = await startApp();
  operator = await openOperator(app);
});
afterAll(() => app.stop());

const act = (decision: string, { id }: Pick<Person, 'id'>, body = {}) =>
  call(app, 'POST', `/operator/merchants/${id}/${decision}`, body, operator);
const suspend = (merchant: Pick<Person, 'id'>) => act('suspend', merchant, { reason: 'Mails to strangers.' });

test('200: a follower is suspended with its master, and resumes with it unless it was suspended before', async () => {
  const master = await createMerchant(app);
  const [before, along] = [await createFollower(app, master, []), await createFollower(app, master, [])];
  await suspend(before);
  await suspend(master);
  const states = async () => {
    const { rows } = await app.pool.query<{ suspended: boolean }>(
      `SELECT suspended_at IS NOT NULL AS suspended FROM merchant_states WHERE merchant_id = ANY ($1) ORDER BY merchant_id`,
      [[before.id, along.id]],
    );
    return rows.map(({ suspended }) => suspended);
  };
  expect(await states()).toEqual([true, true]);
  await act('resume', master);
  expect(await states()).toEqual([true, false]);
});

test('409 merchant_state: what is not suspended is not resumed, and of two requests one is done', async () => {
  const merchant = await createMerchant(app);
  expect((await act('resume', merchant)).body).toMatchObject({ error: 'merchant_state' });
  await suspend(merchant);
  const both = await Promise.all([act('resume', merchant), act('resume', merchant)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test('404 merchant_not_found: an operator is no merchant', async () => {
  expect((await act('resume', operator)).body).toMatchObject({ error: 'merchant_not_found' });
});
