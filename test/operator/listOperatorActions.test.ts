import { call } from '../support/client';
import { createOperator } from '../support/operators';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('200: the actions of operators are in one list', async () => {
  const operator = await createOperator(app);
  const { body } = await call<{ collection: { operator_id: number; action: string }[] }>(
    app,
    'GET',
    '/operator/audit?limit=500',
    undefined,
    operator,
  );
  const own = body.collection.filter(({ operator_id: id }) => id === operator.id).map(({ action }) => action);
  expect(own).toEqual(['second_factor.enable', 'sign_in.succeed', 'password.reset', 'operator.create']);
});
