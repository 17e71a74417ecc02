import { createConsumer, createMerchant } from '../../support/factories';
import { auditOf } from '../../support/followers';
import { guessSevenTimes } from '../../support/guesses';
import { receives } from '../../support/mailbox';
import { codeOf, listFactors, removeFactor, signInWith, switchFactorOn } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('200: the password alone signs in again, no recovery code is left, and a mail tells the owner', async () => {
  const merchant = await createMerchant(app);
  const { id, secret } = await switchFactorOn(app, merchant);
  expect((await removeFactor(app, merchant, id, codeOf(secret))).status).toBe(200);
  expect(await listFactors(app, merchant)).toEqual({ collection: [], recovery_codes_left: 0 });
  expect((await signInWith(app, merchant)).status).toBe(200);
  await receives(app, merchant, merchant.email, 'second_factor_off');
  const actions = (await auditOf(app, merchant)).map(({ action, object_id }) => `${action} ${object_id}`);
  expect(actions).toContain(`second_factor.disable ${merchant.id}`);
});

test('200: with a recovery code, when the telephone is lost', async () => {
  const merchant = await createMerchant(app);
  const { id, recoveryCodes } = await switchFactorOn(app, merchant);
  expect((await removeFactor(app, merchant, id, recoveryCodes[3] ?? '')).status).toBe(200);
});

test('422 second_factor_code_invalid: a wrong code, and the factor stays', async () => {
  const merchant = await createMerchant(app);
  const { id, secret } = await switchFactorOn(app, merchant);
  expect(await removeFactor(app, merchant, id, codeOf(secret, 20))).toMatchObject({
    status: 422,
    body: { error: 'second_factor_code_invalid' },
  });
  expect((await listFactors(app, merchant)).collection).toHaveLength(1);
});

test('404 second_factor_not_found: the one of somebody else', async () => {
  const merchant = await createMerchant(app);
  const { id, secret } = await switchFactorOn(app, merchant);
  const consumer = await createConsumer(app, merchant);
  await switchFactorOn(app, consumer);
  expect(await removeFactor(app, consumer, id, codeOf(secret))).toMatchObject({
    status: 404,
    body: { error: 'second_factor_not_found' },
  });
});

test('429 too_many_requests: a stolen session does not guess the code', async () => {
  const merchant = await createMerchant(app);
  const { id, secret } = await switchFactorOn(app, merchant);
  const statuses = await guessSevenTimes(app, (count) => removeFactor(app, merchant, id, codeOf(secret, 20 + count)));
  expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 429]);
});
