import { randomUUID } from 'node:crypto';
import { type World } from '../world';
import { acceptance, createRole, createStaff, inviteUnread, newAddress } from '../staff';
import { type Examples } from './example';

// Every caller of these endpoints has this scope, and may therefore give it.
const narrow = ({ app, merchant }: World) => createRole(app, merchant, ['staff:write']);
const memberOf = async (world: World) => createStaff(world.app, world.merchant, { role_id: await narrow(world) });
const invitationOf = async (world: World) => inviteUnread(world.app, world.merchant, { role_id: await narrow(world) });

/** The staff of a merchant. */
export const staffExamples: Examples = {
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
