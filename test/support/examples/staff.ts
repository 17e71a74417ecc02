import { randomUUID } from 'node:crypto';
import { type Person } from '../factories';
import { saveFilter } from '../savedFilters';
import { type World } from '../world';
import { acceptance, createRole, createStaff, inviteUnread, newAddress } from '../staff';
import { type Examples } from './example';

// Every caller of these endpoints has this scope, and may therefore give it.
const narrow = ({ app, merchant }: World) => createRole(app, merchant, ['staff:write']);
const memberOf = async (world: World) => createStaff(world.app, world.merchant, { role_id: await narrow(world) });
const invitationOf = async (world: World) => inviteUnread(world.app, world.merchant, { role_id: await narrow(world) });

const provider = {
  issuer: 'https://login.example.org',
  ...{ client_id: 'paywall', client_secret: 'secret', domains: ['example.org'] },
};
/** A provider whose secret cannot be read, so that a test of it sends nothing. */
async function connected({ app }: World, caller: Person) {
  const text = `INSERT INTO company_providers (merchant_id, issuer, client_id, sealed_secret, domains, is_active)
    SELECT merchant_id, $2, 'paywall', '', '{example.org}', true FROM accounts WHERE id = $1 ON CONFLICT DO NOTHING`;
  await app.pool.query(text, [caller.id, provider.issuer]);
  return {};
}
const company = { 'params.merchant_uuid': 'names the company whose provider the browser visits' };

/** A filter of the caller. Its older ones make room, because a list has at most 20. */
async function newFilter({ app }: World, caller: Person) {
  await app.pool.query(
    'DELETE FROM saved_filters WHERE id IN (SELECT id FROM saved_filters WHERE account_id = $1 ORDER BY id DESC OFFSET 4)',
    [caller.id],
  );
  return { list: 'subscriptions', name: randomUUID(), query: { status: 'active' } };
}

/** The staff of a merchant, and what each person of it has of its own. */
export const staffExamples: Examples = {
  listSavedFilters: { request: () => ({ query: { list: 'subscriptions' } }) },
  createSavedFilter: { request: async (world, caller) => ({ body: await newFilter(world, caller) }) },
  deleteSavedFilter: {
    request: async (world, caller) => {
      const { body } = await saveFilter(world.app, caller, await newFilter(world, caller));
      return { params: { id: body.id } };
    },
    owned: { 'params.id': 'account' },
  },
  listStaff: { request: () => ({}) },
  changeStaffRole: [
    {
      request: async (world) => ({
        params: { id: (await memberOf(world)).id },
        body: { role_id: await narrow(world) },
      }),
      owned: { 'params.id': 'merchant', 'body.role_id': 'merchant' },
    },
  ],
  removeStaff: {
    request: async (world) => ({ params: { id: (await memberOf(world)).id } }),
    owned: { 'params.id': 'merchant' },
  },
  getCompanyProvider: { request: connected },
  setCompanyProvider: {
    request: () => ({ body: provider }),
    unowned: { 'body.client_id': 'names the client at the provider of the company' },
  },
  deleteCompanyProvider: { request: connected, spends: true },
  testCompanyProvider: { request: connected },
  startCompanySignIn: { request: ({ merchant }) => ({ params: { merchant_uuid: merchant.uuid } }), unowned: company },
  endCompanySignIn: {
    request: ({ merchant }) => ({ params: { merchant_uuid: merchant.uuid }, query: { state: 'unknown' } }),
    unowned: company,
  },
  listStaffInvitations: { request: () => ({}) },
  inviteStaff: {
    request: async (world) => ({ body: { email: newAddress(), role_id: await narrow(world) } }),
    owned: { 'body.role_id': 'merchant' },
  },
  resendStaffInvitation: {
    request: async (world) => ({ params: { id: (await invitationOf(world)).id } }),
    owned: { 'params.id': 'merchant' },
  },
  withdrawStaffInvitation: {
    request: async (world) => ({ params: { id: (await invitationOf(world)).id } }),
    owned: { 'params.id': 'merchant' },
  },
  acceptStaffInvitation: {
    request: async (world) => ({ body: acceptance((await invitationOf(world)).token) }),
    unowned: { 'body.token': 'a secret of the mail' },
  },
  listStaffRoles: { request: () => ({}) },
  createStaffRole: { request: () => ({ body: { name: `Role ${randomUUID()}`, scopes: ['staff:write'] } }) },
  updateStaffRole: {
    request: async (world) => ({
      params: { id: await narrow(world) },
      body: { name: `Role ${randomUUID()}`, scopes: [''] },
    }),
    owned: { 'params.id': 'merchant' },
  },
  deleteStaffRole: {
    request: async (world) => ({ params: { id: await narrow(world) } }),
    owned: { 'params.id': 'merchant' },
  },
};
