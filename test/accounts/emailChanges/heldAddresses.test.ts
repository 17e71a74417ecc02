import { call } from '../../support/client';
import { changeAtOnce, createActiveConsumer } from '../../support/emailChanges';
import { createMerchant, type Person, registration } from '../../support/factories';
import { newFollower } from '../../support/followers';
import { inviteOperator, registerOperator } from '../../support/operators';
import { acceptance, createStaff, inviteUnread } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

/** A former address stays reserved while its change can be undone. Each way to create an account is tried. */
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const endHold = ({ id }: Person) =>
  app.pool.query('UPDATE email_changes SET undo_until = now() WHERE account_id = $1', [id]);

const taken = { status: 409, body: { error: 'account_exists' } };

/** The owner and a member of the staff of a merchant who left their addresses a moment ago. */
async function createLeavers(): Promise<Person[]> {
  const owner = await createMerchant(app);
  const member = await createStaff(app, await createMerchant(app), { role: 'editor' });
  for (const person of [owner, member]) await changeAtOnce(app, person);
  return [owner, member];
}

test('409 account_exists: a customer whom the merchant creates', async () => {
  const { merchant, consumer } = await createActiveConsumer(app);
  await changeAtOnce(app, consumer);
  const create = () => call(app, 'POST', '/v2/accounts/customers', { email: consumer.email.toUpperCase() }, merchant);
  expect(await create()).toMatchObject(taken);
  await endHold(consumer);
  expect((await create()).status).toBe(200);
});

test('409 account_exists: a follower with the address that a merchant, or a member of the staff, has left', async () => {
  const master = await createMerchant(app);
  for (const person of await createLeavers()) {
    const create = () => call(app, 'POST', '/accounts/merchants', newFollower({ email: person.email }), master);
    expect(await create()).toMatchObject(taken);
    await endHold(person);
    expect((await create()).status).toBe(200);
  }
});

test('409 account_exists: a merchant who registers', async () => {
  for (const person of await createLeavers()) {
    const fields = { ...registration('merchant', 'platform'), username: person.email };
    expect(await call(app, 'POST', '/accounts', fields)).toMatchObject(taken);
  }
});

test('409 account_exists: a person who accepts an invitation to the staff, and the invitation stays', async () => {
  const merchant = await createMerchant(app);
  for (const { id, email } of await createLeavers()) {
    const invitation = await inviteUnread(app, merchant, { role: 'editor', email });
    const accept = () => call(app, 'POST', '/v2/staff/invitations/accept', acceptance(invitation.token));
    expect(await accept()).toMatchObject(taken);
    await app.pool.query('UPDATE email_changes SET undo_until = now() WHERE account_id = $1', [id]);
    expect((await accept()).status).toBe(200);
  }
});

test('account_exists: an operator whom the command creates', async () => {
  const operator = await registerOperator(app);
  const email = await changeAtOnce(app, operator);
  await expect(inviteOperator(operator.email)).rejects.toMatchObject({ code: 'account_exists' });
  // The present address still leads to the same operator.
  expect(await inviteOperator(email)).toContain('/accounts/forgot-password/');
  await endHold(operator);
  expect(await inviteOperator(operator.email)).toContain('/accounts/forgot-password/');
});

test('200: each kind of account holds its address for itself', async () => {
  const { merchant, consumer } = await createActiveConsumer(app);
  await changeAtOnce(app, consumer);
  const asMerchant = { ...registration('merchant', 'platform'), username: consumer.email };
  expect((await call(app, 'POST', '/accounts', asMerchant)).status).toBe(200);
  const owner = await createMerchant(app);
  await changeAtOnce(app, owner);
  const asConsumer = { ...registration('consumer', merchant.uuid), username: owner.email };
  expect((await call(app, 'POST', '/accounts', asConsumer)).status).toBe(200);
  expect(await inviteOperator(owner.email)).toContain('/accounts/forgot-password/');
});
