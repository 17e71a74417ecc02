import { listen } from '../support/client';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { authenticateBySecret, createApp } from '../support/oauthApps';
import { requireFactors, switchFactorOn } from '../support/secondFactors';
import { signInAgain } from '../support/sessions';
import { createStaff } from '../support/staff';
import { startApp, type TestApp } from '../support/startApp';

/** The channel of a merchant that requires a second factor. It carries events of all customers. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

/** The end of a socket that is refused; undefined for one that stays. */
async function openAs(merchant: Person, token: string): Promise<number | undefined> {
  const channel = await listen(app, { token, merchantUuid: merchant.uuid });
  const answered = new Promise<undefined>((resolve) => channel.socket.once('pong', () => resolve(undefined)));
  channel.socket.ping();
  const end = await Promise.race([channel.closed, answered]);
  if (end === undefined) await channel.close();
  return end;
}

test('4403: people without the factor hear nothing; with one, as a server and as a customer they do', async () => {
  const merchant = await createMerchant(app);
  const member = { ...(await createStaff(app, merchant, { role: 'finance' })), merchantUuid: 'platform' };
  const consumer = await createConsumer(app, merchant);
  const server = await createApp(app, merchant);
  await requireFactors(app, merchant);
  for (const person of [{ ...merchant, merchantUuid: 'platform' }, member]) {
    const { token } = await signInAgain(app, person);
    const channel = await listen(app, { token, merchantUuid: merchant.uuid });
    expect(await channel.closed).toBe(4403);
  }
  const { body } = await authenticateBySecret(app, server.client_id, server.secret);
  expect(await openAs(merchant, body.access_token)).toBeUndefined();
  expect(await openAs(merchant, consumer.token)).toBeUndefined();
  const known = await signInAgain(app, member);
  await switchFactorOn(app, known);
  expect(await openAs(merchant, known.token)).toBeUndefined();
});

test('1012: a merchant that begins to require the factor has the open sockets of its people checked again', async () => {
  const merchant = await createMerchant(app);
  const member = { ...(await createStaff(app, merchant, { role: 'finance' })), merchantUuid: 'platform' };
  const consumer = await createConsumer(app, merchant);
  const { token } = await signInAgain(app, member);
  const channel = await listen(app, { token, merchantUuid: merchant.uuid });
  const ofCustomer = await listen(app, consumer);
  await requireFactors(app, merchant);
  expect(await channel.closed).toBe(1012);
  const again = await listen(app, { token, merchantUuid: merchant.uuid });
  expect(await again.closed).toBe(4403);
  expect(await openAs(merchant, consumer.token)).toBeUndefined();
  expect(ofCustomer.socket.readyState).toBe(ofCustomer.socket.OPEN);
  await ofCustomer.close();
});
