import { call } from '../../support/client';
import { createMerchant, password } from '../../support/factories';
import { receives, tokenIn } from '../../support/mailbox';
import { PageWalker } from '../../support/pageWalker';
import { addPasskey } from '../../support/passkeys';
import { switchFactorOn } from '../../support/secondFactors';
import { createRole, createStaff, newAddress } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

async function enter(email: string): Promise<PageWalker> {
  const walker = new PageWalker(app);
  await walker.open('/console/sign-in');
  await walker.submit('/console/sign-in', { email, password });
  return walker;
}

test('invited, joined, changed, removed: a member of the team in the pages', async () => {
  const merchant = await createMerchant(app);
  const email = newAddress();
  const owner = await enter(merchant.email);
  expect((await owner.open('/console/team')).status).toBe(200);
  expect((await owner.submit('/console/team', { email, role: 'support' })).headers.get('location')).toBe(
    '/console/team?done=created',
  );
  const token = tokenIn(await receives(app, merchant, email, 'staff_invitation'));

  const member = new PageWalker(app);
  const invitation = await member.open(`/console/join/${token}`);
  expect(invitation.text).toContain(email);
  expect((await member.submit(`/console/join/${token}`, { full_name: 'Mira', password: 'short' })).status).toBe(422);
  const joined = await member.submit(`/console/join/${token}`, { full_name: 'Mira Stone', password });
  expect([joined.status, joined.headers.get('location')]).toEqual([303, '/console']);
  const menu = (await member.open('/console')).text;
  expect(menu).toContain('/console/customers');
  for (const hidden of ['/console/team', '/console/settings', '/console/reports', '/console/branding'])
    expect(menu).not.toContain(`href="${hidden}"`);
  expect((await member.open('/console/team')).status).toBe(403);
  expect((await member.open(`/console/join/${token}`)).status).toBe(404);

  const list = await owner.open('/console/team');
  expect(list.text).toContain('Mira Stone');
  const id = /\/console\/team\/(\d+)\/role/.exec(list.text)?.[1] ?? '';
  await owner.submit(`/console/team/${id}/role`, { [`role_${id}`]: 'editor' });
  expect((await member.open('/console')).headers.get('location')).toContain('/console/sign-in');
  await owner.open('/console/team');
  await owner.submit(`/console/team/${id}/remove`);
  expect((await owner.open('/console/team')).text).not.toContain('Mira Stone');
});

test('an invitation is sent again and withdrawn, and a role is defined, in both languages', async () => {
  const merchant = await createMerchant(app);
  const owner = await enter(merchant.email);
  await owner.open('/console/team');
  await owner.submit('/console/team', { email: newAddress(), role: 'editor' });
  const id = /invitations\/(\d+)\/resend/.exec((await owner.open('/console/team?lang=ar')).text)?.[1] ?? '';
  expect((await owner.submit(`/console/team/invitations/${id}/resend`)).status).toBe(303);
  await owner.open('/console/team');
  expect((await owner.submit(`/console/team/invitations/${id}/withdraw`)).status).toBe(303);
  expect((await call(app, 'GET', '/v2/staff/invitations', undefined, merchant)).body).toEqual([]);
  await owner.open('/console/team/roles');
  await owner.submit('/console/team/roles', { name: 'Desk', 'scope_items:read': 'true' });
  const roles = await call(app, 'GET', '/v2/staff/roles', undefined, merchant);
  expect(roles.body).toEqual([expect.objectContaining({ name: 'Desk', scopes: ['items:read'] })]);
});

test('a merchant requires a second factor: a member can only add one, and then continues', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'admin' });
  const walker = await enter(member.email);
  await switchFactorOn(app, merchant);
  const fields = { second_factor_policy: 'required' };
  await call(app, 'PUT', '/accounts/settings', fields, merchant);
  for (const place of ['/console', '/console/customers', '/console/settings'])
    expect((await walker.open(place)).headers.get('location')).toBe('/console/security');
  // This search calls no endpoint.
  const seller = await createStaff(app, merchant, { role_id: await createRole(app, merchant, ['payments:read']) });
  const searched = await (await enter(seller.email)).open('/console/search?query=S1');
  expect(searched.headers.get('location')).toBe('/console/security');
  const security = await walker.open('/console/security');
  expect(security.text).toContain('Your company requires a second factor');
  await addPasskey(app, member);
  expect((await walker.open('/console/customers')).status).toBe(200);
  expect((await walker.open('/console/security')).text).not.toContain('Your company requires a second factor');
});

test('a member sees only the roles that it may give', async () => {
  const merchant = await createMerchant(app);
  const role_id = await createRole(app, merchant, ['staff:write', 'items:read']);
  const member = await createStaff(app, merchant, { role_id });
  const page = (await (await enter(member.email)).open('/console/team')).text;
  expect(page).toContain(`value="${role_id}"`);
  for (const role of ['owner', 'admin', 'read_only']) expect(page).not.toContain(`value="${role}"`);
  expect(page).not.toContain(`/console/team/${merchant.id}/`);
});
