import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { auditOf } from '../../support/followers';
import { receives } from '../../support/mailbox';
import { signInWith, switchFactorOn } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const remove = (merchant: Person, { id }: Pick<Person, 'id'>) =>
  call(app, 'DELETE', `/v2/accounts/customers/${id}/second-factor`, undefined, merchant);

test('200: the password alone signs the customer in, a mail tells the customer, and the audit log names the merchant', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const { recoveryCodes } = await switchFactorOn(app, consumer);
  expect((await remove(merchant, consumer)).status).toBe(200);
  expect((await signInWith(app, consumer)).status).toBe(200);
  const again = await switchFactorOn(app, await signedInAgain(consumer));
  expect(again.recoveryCodes).not.toEqual(expect.arrayContaining([recoveryCodes[0]]));
  await receives(app, merchant, consumer.email, 'second_factor_off');
  const entries = (await auditOf(app, merchant)).map(({ action, object_id }) => `${action} ${object_id}`);
  expect(entries).toContain(`second_factor.remove ${consumer.id}`);
});

async function signedInAgain(person: Person): Promise<Person> {
  return { ...person, token: (await signInWith(app, person)).body.access_token };
}

test('404 second_factor_not_found: a customer without one', async () => {
  const merchant = await createMerchant(app);
  expect(await remove(merchant, await createConsumer(app, merchant))).toMatchObject({
    status: 404,
    body: { error: 'second_factor_not_found' },
  });
});

test('404 account_not_found: a customer of another merchant, and the merchant itself', async () => {
  const merchant = await createMerchant(app);
  const stranger = await createConsumer(app, await createMerchant(app));
  await switchFactorOn(app, stranger);
  for (const person of [stranger, merchant])
    expect(await remove(merchant, person)).toMatchObject({ status: 404, body: { error: 'account_not_found' } });
  expect((await signInWith(app, stranger)).status).toBe(401);
});
