import { call } from '../../support/client';
import { cards, createFee, createShop, type Person, reaches, type Shop, subscribe } from '../../support/factories';
import { auditOf } from '../../support/followers';
import { createRole, createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** Another plan for a customer, by the staff of the merchant: in the own name, and as the customer. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

async function createSubscriber(): Promise<{ shop: Shop; id: string; dearer: number }> {
  const shop = await createShop(app);
  const { subscription_id: id } = (await subscribe(app, shop, cards.success)).body;
  await reaches(app, shop.consumer, id, 'active');
  return { shop, id, dearer: (await createFee(app, shop.merchant, shop.item.id, { amount: '300.00' })).id };
}

const chargesOf = async (id: string) => {
  const text = `SELECT c.id FROM charges c JOIN subscriptions s ON s.id = c.subscription_id
    WHERE s.token = $1 AND c.status = 'paid'`;
  return (await app.pool.query(text, [id])).rowCount;
};

test('200: a member of the staff with payments:write changes the plan in its own name, and the audit log names it', async () => {
  const { shop, id, dearer } = await createSubscriber();
  const member = await createStaff(app, shop.merchant, { role: 'finance' });
  const reply = await call(app, 'POST', `/subscriptions/${id}/switch`, { access_fee_id: dearer }, member);
  expect([200, 202]).toContain(reply.status);
  const entry = await until(async () => {
    const entries = await auditOf(app, shop.merchant);
    return entries.find(({ action }) => action === 'subscription.switch') ?? false;
  });
  expect(entry).toMatchObject({
    actor_account_id: member.id,
    actor_name: `Mira Stone (${member.email})`,
    acted_by: null,
  });
  expect(await chargesOf(id)).toBe(2);
});

test('403 forbidden: a member of the staff without payments:write', async () => {
  const { shop, id, dearer } = await createSubscriber();
  for (const role of ['support', 'editor', 'read_only']) {
    const member = await createStaff(app, shop.merchant, { role });
    const reply = await call(app, 'POST', `/subscriptions/${id}/switch`, { access_fee_id: dearer }, member);
    expect([role, reply.status]).toEqual([role, 403]);
  }
  expect(await chargesOf(id)).toBe(1);
});

async function actAs(actor: Person, { id }: Person): Promise<{ token: string }> {
  const path = '/v2/accounts/impersonate';
  const { body } = await call<{ access_token: string }>(app, 'POST', path, { customer_id: id }, actor);
  return { token: body.access_token };
}

test('403 forbidden: no member of the staff who acts as the customer, on any path that could cost something', async () => {
  const { shop, id, dearer } = await createSubscriber();
  const { merchant, consumer } = shop;
  const role_id = await createRole(app, merchant, ['impersonate', 'accounts:read', 'payments:read', 'payments:write']);
  for (const member of [
    await createStaff(app, merchant, { role_id }),
    await createStaff(app, merchant, { role: 'owner' }),
  ]) {
    const acting = await actAs(member, consumer);
    const paths: [method: 'POST' | 'PUT', path: string, fields: Record<string, unknown>][] = [
      ['POST', `/subscriptions/${id}/switch`, { access_fee_id: dearer }],
      ['POST', '/v2/subscriptions/stripe:switch', { access_fee_id: dearer, inplayer_token: id }],
      ['POST', `/subscriptions/${id}/switch:preview`, { access_fee_id: dearer }],
      ['POST', `/subscriptions/${id}/resume`, {}],
      ['POST', `/subscriptions/${id}/retry`, {}],
      ['POST', `/subscriptions/${id}/extend`, { days: 7 }],
      ['PUT', `/v2/subscriptions/${id}/payment-method`, { payment_method: 1 }],
      ['PUT', '/accounts', { full_name: 'Mallory' }],
    ];
    for (const [method, path, fields] of paths)
      expect([path, (await call(app, method, path, fields, acting)).status]).toEqual([path, 403]);
    expect((await call(app, 'GET', '/subscriptions', undefined, acting)).status).toBe(200);
  }
  expect(await chargesOf(id)).toBe(1);
});
