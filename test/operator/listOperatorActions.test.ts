import { call } from '../support/client';
import { createOperator } from '../support/operators';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('200: the actions of operators are in one list', async () => {
  const operator = await createOperator(app);
  const { body } = await call<{ collection: { operator_id: number; operator_email: string; action: string }[] }>(
    app,
    'GET',
    '/operator/audit?limit=500',
    undefined,
    operator,
  );
  const own = body.collection.filter(({ operator_id: id }) => id === operator.id);
  expect(new Set(own.map(({ operator_email: email }) => email))).toEqual(new Set([operator.email]));
  expect(own.map(({ action }) => action)).toEqual([
    'second_factor.enable',
    'sign_in.succeed',
    'password.reset',
    'operator.create',
  ]);
});
