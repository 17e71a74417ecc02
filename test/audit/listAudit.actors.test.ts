import { call } from '../support/client';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { auditOf, createFollower, signIn } from '../support/followers';
import { createOperator } from '../support/operators';
import { enterConsole } from '../support/pageWalker';
import { createStaff } from '../support/staff';
import { startApp, type TestApp } from '../support/startApp';

/** Who has acted: the name of the person, and the account in whose name it was. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** A member of the staff who acts as a customer, in a request that changes something. */
async function actAsCustomer(role: string): Promise<{ merchant: Person; staff: Person; consumer: Person }> {
  const merchant = await createMerchant(app);
  const [staff, consumer] = [await createStaff(app, merchant, { role }), await createConsumer(app, merchant)];
  const path = '/v2/accounts/impersonate';
  const { body } = await call<{ access_token: string }>(app, 'POST', path, { customer_id: consumer.id }, staff);
  const acting = { token: body.access_token };
  expect((await call(app, 'DELETE', '/subscriptions/unknown', {}, acting)).status).toBe(404);
  return { merchant, staff, consumer };
}

async function fileOf(merchant: Person): Promise<Record<string, string>[]> {
  const headers = { Authorization: `Bearer ${merchant.token}` };
  const text = await (await fetch(`${app.address}/reporting/exports/audit`, { headers })).text();
  const [head = [], ...lines] = text
    .replace('\uFEFF', '')
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  return lines.map((cells) => Object.fromEntries(cells.map((cell, index) => [head[index] ?? '', cell])));
}

/** The words of the page. A long word can break at `<wbr>`. */
async function wordsOf({ email }: Person): Promise<string> {
  const { text } = await (await enterConsole(app, email)).open('/console/audit');
  return text
    .replaceAll(/<wbr[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

test('200: the name of the member of the staff, for itself and as a customer; in the list, the file and the console', async () => {
  const { merchant, staff, consumer } = await actAsCustomer('admin');
  const acted = {
    action: 'impersonation.write',
    actor_account_id: consumer.id,
    actor_name: consumer.email,
    acted_by: staff.uuid,
    acted_by_name: `Mira Stone (${staff.email})`,
  };
  const own = {
    actor_account_id: staff.id,
    actor_name: `Mira Stone (${staff.email})`,
    acted_by: null,
    acted_by_name: null,
  };
  const [written, started] = await auditOf(app, merchant);
  expect(written).toMatchObject(acted);
  expect(started).toMatchObject({ action: 'impersonation.start', ...own });
  const [line] = (await fileOf(merchant)).filter(({ action }) => action === 'impersonation.write');
  expect(line).toMatchObject({
    actor_name: consumer.email,
    acted_by: staff.uuid,
    acted_by_name: `Mira Stone (${staff.email})`,
  });
  expect(await wordsOf(merchant)).toContain(`Mira Stone (${staff.email}) acting as ${consumer.email}`);
  expect(await wordsOf(staff)).toContain(`You acting as ${consumer.email}`);
});

test('200: the name of a master that acts as its follower', async () => {
  const master = await createMerchant(app);
  await app.pool.query(`UPDATE accounts SET full_name = 'Head Office' WHERE id = $1`, [master.id]);
  const follower = await createFollower(app, master, ['accounts:read']);
  const fields = { follower_id: follower.id, scopes: ['accounts:read', 'items:read'] };
  expect((await call(app, 'PUT', '/accounts/merchants/relation', fields, master)).status).toBe(200);
  const named = (await auditOf(app, follower)).filter(({ acted_by }) => acted_by === master.uuid);
  expect(named.length).toBeGreaterThan(0);
  for (const entry of named) expect(entry.acted_by_name).toBe('Head Office');
});

test('200: an operator is named by the role only', async () => {
  const [merchant, operator] = [await createMerchant(app), await createOperator(app)];
  await app.pool.query(`UPDATE accounts SET full_name = 'Olga Person' WHERE id = $1`, [operator.id]);
  for (const [state, fields] of [
    ['suspend', { reason: 'Mails to strangers.' }],
    ['resume', {}],
  ] as const)
    expect((await call(app, 'POST', `/operator/merchants/${merchant.id}/${state}`, fields, operator)).status).toBe(200);
  const again = await signIn(app, merchant.email, 'platform');
  const [resumed] = (await auditOf(app, again)).filter(({ acted_by }) => acted_by === operator.uuid);
  expect(resumed).toMatchObject({ acted_by_name: 'Operator' });
});

test('200: names are null once the account is gone', async () => {
  const { merchant, staff } = await actAsCustomer('admin');
  await app.pool.query('UPDATE accounts SET uuid = gen_random_uuid() WHERE id = $1', [staff.id]);
  expect((await auditOf(app, merchant))[0]).toMatchObject({ acted_by: staff.uuid, acted_by_name: null });
});

test('200: a member of the staff who takes the name of another person is still known, and the change is in the log', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'admin' });
  expect((await call(app, 'PUT', '/accounts', { full_name: 'Ana Petrova' }, member)).status).toBe(200);
  expect((await auditOf(app, merchant))[0]).toMatchObject({
    action: 'account.update',
    object_id: String(member.id),
    actor_account_id: member.id,
    actor_name: `Ana Petrova (${member.email})`,
  });
});

test('200: customers change their own names without an entry', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const before = await auditOf(app, merchant);
  expect((await call(app, 'PUT', '/accounts', { full_name: 'Ana Petrova' }, consumer)).status).toBe(200);
  expect(await auditOf(app, merchant)).toEqual(before);
});
